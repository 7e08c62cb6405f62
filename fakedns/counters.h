// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server counts, by kind, by the type asked for, and by the way the query came: the
// kernel's kinds (fakedns_abi.h) first, so that a kind has one number and one name everywhere.
#pragma once

#include "fakedns/duration_histogram.h"

#include "fakedns_abi.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

enum SocketCounter : unsigned {
    COUNTER_UNSENT = FAKEDNS_COUNTERS, // answered and counted so, but the stack did not take it
    COUNTERS
};

class Counters
{
public:
    void add(unsigned counter, unsigned type = FAKEDNS_TYPE_OTHER, std::uint64_t count = 1)
    {
        value_[type][counter] += count;
    }

    Counters &operator+=(const Counters &other);

    // Of one answer_kind, fakedns_counter or SocketCounter, whatever type was asked for.
    [[nodiscard]] std::uint64_t of(unsigned counter) const;

    // Answers, RCODE `rcode` (16: BADVERS), to queries for `type`, a fakedns_type.
    [[nodiscard]] std::uint64_t answers(unsigned type, unsigned rcode) const;

private:
    std::array<std::array<std::uint64_t, COUNTERS>, FAKEDNS_TYPES> value_{};
};

// Of what one receive queue's packets met in the kernel program.
struct QueueCounters {
    std::string interface;
    unsigned queue = 0;
    Counters counters;
};

// Whether an interface that was given a kernel program still carries it.
struct ProgramState {
    std::string interface;
    bool is_attached = true;
};

struct ServerCounters {
    std::vector<QueueCounters> queues;
    std::vector<ProgramState> programs;
    Counters udp; // by sockets
    Counters tcp;
    DurationHistogram xdp_times; // of those that were timed
    DurationHistogram udp_times;

    [[nodiscard]] Counters xdp() const; // of all queues
};

struct Rcode {
    unsigned value;
    std::string_view name;
};

// Those the server gives, and those that its counters have rows for.
constexpr std::array<Rcode, 7> rcodes{{
    {DNS_RCODE_NOERROR, "NOERROR"},
    {DNS_RCODE_FORMERR, "FORMERR"},
    {DNS_RCODE_SERVFAIL, "SERVFAIL"},
    {DNS_RCODE_NXDOMAIN, "NXDOMAIN"},
    {DNS_RCODE_NOTIMP, "NOTIMP"},
    {DNS_RCODE_REFUSED, "REFUSED"},
    {DNS_RCODE_BADVERS, "BADVERS"},
}};

constexpr std::array<std::string_view, FAKEDNS_TYPES> type_names{"A", "AAAA", "other"};

// The name under which `counter` (an answer_kind, fakedns_counter or SocketCounter) is shown.
[[nodiscard]] std::string_view counter_name(unsigned counter);

// A table, columns xdp, udp, tcp and total: a row for each counter; "type-" and "rcode-", the same
// answers by the type asked for and by RCODE; "queue-INTERFACE-NUMBER", by the queue of the kernel
// program. Each of these three groups adds up to all answers, the last one to those of column xdp.
// Every line ends in '\n'.
[[nodiscard]] std::string counters_table(const ServerCounters &counters);

} // namespace dnsgauge
