// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server's counters: by kind, by the type asked for, and by the query's path. The kernel's
// kinds (fakedns_abi.h) come first, so that a kind has the same number and name everywhere.
#pragma once

#include "base/tls_server.h"

#include "fakedns_abi.h"
#include "wire/log_histogram.h"

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

// How long queries took, in the buckets of wire/log_histogram.h.
class DurationHistogram
{
public:
    void add(std::uint64_t ns, std::uint64_t times)
    {
        count_[log_histogram_bucket(ns)] += times;
        sum_ns_ += ns * times;
    }

    // Adds a bucket that the kernel program counted.
    void add_bucket(std::uint32_t bucket, std::uint64_t times) { count_[bucket] += times; }
    void add_sum(std::uint64_t ns) { sum_ns_ += ns; }

    [[nodiscard]] std::uint64_t sum_ns() const { return sum_ns_; }
    // Returns exactly how many durations are below `ns`, a power of two.
    [[nodiscard]] std::uint64_t below(std::uint64_t ns) const
    {
        return of_first(log_histogram_bucket(ns));
    }
    [[nodiscard]] std::uint64_t count() const { return of_first(LOG_HISTOGRAM_BUCKETS); }

private:
    [[nodiscard]] std::uint64_t of_first(std::uint32_t buckets) const
    {
        return std::accumulate(count_.begin(), count_.begin() + buckets, std::uint64_t{0});
    }

    std::array<std::uint64_t, LOG_HISTOGRAM_BUCKETS> count_{};
    std::uint64_t sum_ns_ = 0;
};

enum SocketCounter : unsigned {
    COUNTER_UNSENT = FAKEDNS_COUNTERS, // counted answers that the stack did not take
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

    // Returns one answer_kind, fakedns_counter or SocketCounter, as the sum over all types.
    [[nodiscard]] std::uint64_t of(unsigned counter) const;

    // Returns the answers with RCODE `rcode` (16: BADVERS) to queries for `type`, a fakedns_type. A
    // missing value means all of them.
    [[nodiscard]] std::uint64_t answers(std::optional<unsigned> type,
                                        std::optional<unsigned> rcode) const;

private:
    std::array<std::array<std::uint64_t, COUNTERS>, FAKEDNS_TYPES> value_{};
};

// The kernel program's counters of one receive queue.
struct QueueCounters {
    std::string interface;
    unsigned queue = 0;
    Counters counters;
};

// Whether an interface still carries the kernel program that was attached to it.
struct ProgramState {
    std::string interface;
    bool is_attached = true;
};

struct ServerCounters {
    std::vector<QueueCounters> queues;
    std::vector<ProgramState> programs;
    Counters udp; // by sockets
    Counters tcp;
    Counters tls; // over TCP
    Counters https;
    Counters quic;
    TlsCounts tls_handshakes;
    TlsCounts https_handshakes;
    TlsCounts quic_handshakes;
    DurationHistogram xdp_times; // of timed answers
    DurationHistogram udp_times;

    [[nodiscard]] Counters xdp() const; // of all queues
};

// How handshakes end: names, and their counts.
constexpr std::array<std::pair<std::string_view, std::uint64_t TlsCounts::*>, 3> handshake_ends{
    {{"full", &TlsCounts::full}, {"resumed", &TlsCounts::resumed}, {"failed", &TlsCounts::failed}}};

struct Rcode {
    unsigned value;
    std::string_view name;
};

// The RCODEs that the server gives; its counters have a row for each.
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

// Returns the name of `counter` (an answer_kind, fakedns_counter or SocketCounter) in the table.
[[nodiscard]] std::string_view counter_name(unsigned counter);

// Returns a table with the columns xdp, udp, tcp, tls, https, quic and total. It has a row for each
// counter, and then four groups of rows: "type-" (answers by the type asked for), "rcode-" (by
// RCODE), "queue-INTERFACE-NUMBER" (by the queue of the kernel program) and "handshakes-" (of TLS).
// Each of the first two groups adds up to all answers, the third one to the answers of column xdp.
// Every line ends in '\n'.
[[nodiscard]] std::string counters_table(const ServerCounters &counters);

// Returns the counters in Prometheus' text form.
[[nodiscard]] std::string metrics_text(const ServerCounters &counters);

} // namespace dnsgauge
