// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The statistics of a capture: rates over time, types, names, clients, RCODEs.
#pragma once

#include "capture/capture_reader.h"
#include "capture/recent_queries.h"
#include "record/fields.h"
#include "units/rate.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Counts how often each text came. Counts at most `most` different texts, so that memory is
// bounded.
class BoundedCounts
{
public:
    static constexpr std::size_t most = 1'000'000;

    void add(const std::string &text);

    [[nodiscard]] std::size_t distinct() const { return counts_.size(); }
    // Returns how often further texts came, for which there was no room.
    [[nodiscard]] std::uint64_t uncounted() const { return uncounted_; }
    // Returns the `wanted` texts that came most often, the most frequent first.
    [[nodiscard]] std::vector<std::pair<std::string, std::uint64_t>>
    most_frequent(std::size_t wanted) const;

private:
    std::unordered_map<std::string, std::uint64_t> counts_;
    std::uint64_t uncounted_ = 0;
};

class CaptureStats
{
public:
    static constexpr std::size_t intervals_most = 1'000'000;

    // Counts rates over intervals of this length.
    explicit CaptureStats(Nanoseconds interval) : interval_(interval) {}

    // Throws SetupError if the messages span more than intervals_most intervals.
    void add(const CapturedMessage &message);

    struct Interval {
        std::uint64_t queries = 0;
        std::uint64_t answers = 0;
    };
    // An interval, or the part of it that lies between the first message and the last.
    struct Moment {
        std::int64_t since_ns = 0; // since 1970
        Nanoseconds covered{};     // the part's length; 0 if all its messages have the same time
        Interval counts;
    };
    struct Sizes {
        std::uint64_t least = 0;
        std::uint64_t most = 0;
        std::uint64_t sum = 0;
        std::uint64_t count = 0;
    };

    std::uint64_t queries = 0;
    std::uint64_t answers = 0;
    std::int64_t first_ns = 0;    // of the earliest message
    std::int64_t last_ns = 0;     // of the latest
    std::uint64_t unreadable = 0; // queries without exactly one plain question
    std::uint64_t doubled = 0;    // queries that came again within a millisecond
    std::uint64_t recursion_desired = 0;
    std::uint64_t edns = 0; // queries with an OPT record
    std::uint64_t dnssec_ok = 0;
    Sizes query_octets;
    Sizes answer_octets;
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{};
    std::array<std::uint64_t, 16> opcodes{};
    std::map<std::uint16_t, std::uint64_t> types;
    BoundedCounts names;   // in wire form, small letters
    BoundedCounts clients; // addresses, 4 or 16 octets

    [[nodiscard]] Nanoseconds interval() const { return interval_; }
    [[nodiscard]] Nanoseconds duration() const { return Nanoseconds{last_ns - first_ns}; }
    // Returns the queries per second from the first message to the last; nothing if there is no
    // time between them.
    [[nodiscard]] std::optional<double> rate() const;
    // Returns the intervals from the first message to the last, also those without messages.
    [[nodiscard]] std::vector<Moment> over_time() const;

private:
    void add_query(const CapturedMessage &message);
    Interval &interval_of(std::int64_t time_ns);

    Nanoseconds interval_;
    RecentQueries recent_;
    // The first message that was read begins interval 0. Messages that come out of order may belong
    // to intervals before it.
    std::int64_t begin_ns_ = 0;
    std::map<std::int64_t, Interval> intervals_; // by number; only intervals with messages
};

// What the inputs hold.
struct CaptureStudy {
    CaptureStats stats{std::chrono::seconds(1)};
    std::vector<std::string> files{};
    std::size_t top = 0; // names and clients to list
    CaptureCounts counts{};
    std::uint64_t disordered = 0;
    std::uint64_t filtered = 0; // unwanted messages
};

// The rows of dnsgauge/capture/1.
void fields(Fields &row, CaptureStudy &study);

// Returns the statistics as text for a terminal.
[[nodiscard]] std::string to_text(const CaptureStudy &study);

} // namespace dnsgauge
