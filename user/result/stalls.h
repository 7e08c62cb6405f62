// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Stalls: times in which the Tester's sender or the server's CPU stood still, and their cost.
//
// A sender that stood still then sends all overdue queries at once. A server whose CPU was away
// then finds all waiting queries at once. Either is a burst that nobody asked for. What the server
// loses of a burst says nothing about the rate.
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

// Linux's default size of a socket's receive buffer (net.core.rmem_default) in octets, which
// servers have unless they ask for another.
inline constexpr std::uint64_t usual_socket_buffer = 212'992;
// The octets that a small packet takes of the buffer (skb->truesize): the buffer holds 277. A
// packet of 800 octets takes three times as much.
inline constexpr std::uint64_t packet_in_buffer = 768;
// A larger number of queries at once is a burst. This many fill a quarter of the buffer: it may
// already hold some, and packets may be larger.
inline constexpr std::uint64_t burst_allowed = usual_socket_buffer / packet_in_buffer / 4;

// Returns the shortest time in which more queries than burst_allowed become due. Standing still for
// longer is a stall. The burst decides, so one of several senders must stand still for longer, or
// together with others.
[[nodiscard]] constexpr Nanoseconds stall_limit(Rate rate)
{
    return due_at(rate, burst_allowed);
}

// Who stood still: the Tester's sender, or the CPU of the server.
enum class Stalled { tester, server };

// One stall, or several that followed each other closely. Times are from the start of the schedule.
struct Stall {
    Stalled who = Stalled::tester;
    Nanoseconds since{};      // of the Tester: when the first late query was due
    Nanoseconds until{};      // when no query was overdue any more
    Nanoseconds longest{};    // for which anybody stood still without a break
    std::uint64_t burst = 0;  // most queries of the Tester that were overdue at once
    std::uint64_t stalls = 1; // how many followed each other
};

// A connection on which the server went silent until its end. Times are from the start of the
// schedule.
struct Silence {
    Nanoseconds since{}; // when the first query without a reply was sent
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
    // The longest time from a stall's end until the last of these queries was sent.
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
    // Queries that were due while the Tester stood still, plus queries that were due while the
    // server did.
    std::uint64_t delayed = 0;
    // The times from the end of a stall until the next one, without the time right after the stall:
    // their first halves, and their second halves.
    DueQueries soon;
    DueQueries later;
    bool decided = false; // the trial is invalid for this reason alone

    [[nodiscard]] std::uint64_t failed() const
    {
        return tester.lost + tester.late + server.lost + server.late;
    }
};

} // namespace dnsgauge
