// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stalls: times in which the Tester's sender or the server's CPU stood still, and what they cost.
//
// A sender that stood still sends all that became due meanwhile at once. A server whose CPU was
// away finds all that came meanwhile at once. Either is a burst that nobody asked for, and what the
// server loses of the burst says nothing about the rate.
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

// A socket's receive buffer at Linux's default size (net.core.rmem_default), which servers have
// that ask for no other one, in octets.
inline constexpr std::uint64_t usual_socket_buffer = 212'992;
// What one small packet takes of the buffer (skb->truesize), so that the buffer holds 277. A packet
// of 800 octets takes three times as much.
inline constexpr std::uint64_t packet_in_buffer = 768;
// No more queries than these are a burst: they fill a quarter of the buffer, which may hold some
// already, and other packets than small ones.
inline constexpr std::uint64_t burst_allowed = usual_socket_buffer / packet_in_buffer / 4;

// Returns the shortest time in which more queries than burst_allowed become due. Who stands still
// for longer stalls. One of several senders has to stand still for longer, or together with others:
// its burst counts.
[[nodiscard]] constexpr Nanoseconds stall_limit(Rate rate)
{
    return due_at(rate, burst_allowed);
}

// Who stood still: the Tester's sender, or the CPU of the server.
enum class Stalled { tester, server };

// One stall, or several that followed each other closely. Times are from the start of the schedule.
struct Stall {
    Stalled who = Stalled::tester;
    Nanoseconds since{};      // of the Tester: when the first query was due that was late
    Nanoseconds until{};      // when all was as if nobody had stood still: no query was overdue
    Nanoseconds longest{};    // for which anybody stood still without a break
    std::uint64_t burst = 0;  // the Tester's queries that were overdue at once, at most
    std::uint64_t stalls = 1; // that this is
};

// A connection on which the server said nothing more, until the connection ended. Times are from
// the start of the schedule.
struct Silence {
    Nanoseconds since{}; // when the first query was sent that got no reply
    Nanoseconds until{};
};

// Some stalls together.
struct StallGroup {
    std::uint64_t stalls = 0;
    Nanoseconds longest{};
    std::uint64_t largest_burst = 0;
};

// What the stalls of one side cost.
struct StallCosts {
    StallGroup all;
    StallGroup costly; // those that lost queries, or made replies late
    std::uint64_t lost = 0;
    std::uint64_t late = 0;
    // How long after the end of its stall the last of these queries was sent, at most.
    Nanoseconds reach{};
};

// Queries that were due in some part of the time.
struct DueQueries {
    std::uint64_t queries = 0;
    std::uint64_t failed = 0; // lost or late

    [[nodiscard]] double failed_share() const
    {
        return queries == 0 ? 0 : static_cast<double>(failed) / static_cast<double>(queries);
    }
};

struct StallSummary {
    std::uint64_t burst_allowed = 0;
    Nanoseconds limit{};         // stalls are longer
    std::uint64_t forgotten = 0; // stalls for which a sender's book had no room
    StallCosts tester;
    StallCosts server;         // without what the Tester's own stalls cost
    std::uint64_t queries = 0; // that were due during stalls, and while these still cost queries
    // Queries that were due while the Tester stood still, or the server: each counts for each.
    std::uint64_t delayed = 0;
    // The times from one stall's end until the next stall, without what follows a stall at once:
    // the first halves of these times, and the second ones.
    DueQueries soon;
    DueQueries later;
    bool decided = false; // the trial is invalid, and for this reason alone

    [[nodiscard]] std::uint64_t failed() const
    {
        return tester.lost + tester.late + server.lost + server.late;
    }
};

} // namespace dnsgauge
