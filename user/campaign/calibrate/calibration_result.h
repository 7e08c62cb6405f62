// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a calibration of the Tester, and its JSON, which is also what its record file
// holds. Times are in nanoseconds.
#pragma once

#include "record/certificate.h"
#include "record/fields.h"
#include "record/selftest_result.h"
#include "result/caveats.h"
#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What a check by several Testers found of one of them.
template <class Check>
struct OfTester {
    std::uint32_t rank = 0;
    std::string host;
    Check found;
};

// The counts of a class of queries or packets.
struct CountedClass {
    std::string name;
    std::uint64_t counted = 0;   // by the Tester
    std::uint64_t predicted = 0; // by FakeDNS' rule
};

struct CountingCheck {
    Rate rate;
    unsigned attempts = 1; // the last attempt counts
    std::vector<CountedClass> classes;
    std::vector<OfTester<CountingCheck>> testers{}; // by rank; none if one Tester made the check
};

// RTTs less the delay, in nanoseconds, exact.
struct RttExcess {
    std::int64_t p50 = 0;
    std::int64_t p99 = 0;
};

// A check of RTTs. FakeDNS holds all replies for a known time, or answers at once, as in trials.
// Over UDP it holds replies by AF_XDP, even for a time of 0, and answers at once by XDP. Over
// connections it does both by sockets.
struct DelayCheck {
    Rate rate;
    Nanoseconds delay{};
    bool is_held = true; // false: FakeDNS answers at once
    unsigned attempts = 1;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    std::uint64_t late = 0;
    RttSummary rtt{};                  // of the valid replies
    std::optional<RttExcess> excess{}; // missing if several Testers made the check
    // The smallest RTT less the delay and the baseline: see CalibrationResult. If several Testers
    // made the check, the largest of their biases.
    std::int64_t bias = 0;
    std::optional<RttExcess> error{};            // the excess less the first check's median excess
    std::vector<OfTester<DelayCheck>> testers{}; // by rank; none if one Tester made the check
};

// The figures of a trial that the clock at the other end of the link saw.
struct PacingFigures {
    std::uint64_t arrived = 0;
    std::uint64_t disordered = 0; // queries that overtook one that was due earlier
    Lateness lateness{};          // behind the schedule of the most punctual query
    // Gaps from one query to the next.
    std::uint64_t gap_min = 0;
    std::uint64_t gap_p1 = 0;
    std::uint64_t gap_p50 = 0;
    std::uint64_t gap_p99 = 0;
    std::uint64_t gap_max = 0;
    double burst_share = 0;      // share of gaps shorter than a tenth of the gap asked for
    std::int64_t span_error = 0; // time from first to last query, less what the rate asks for
    double rate_error = 0;       // 0.01: one percent too fast over the whole trial
};

struct PacingCheck {
    Rate rate;
    unsigned attempts = 1;
    std::uint64_t sent = 0;
    std::uint64_t planned = 0;
    std::uint64_t repeated = 0;          // packets
    std::uint64_t told_lateness_p99 = 0; // by the Tester itself
    PacingFigures seen;
};

// A figure that cannot be trusted, and why.
struct Doubt {
    std::string figure;
    std::string why;
    std::vector<std::uint32_t> testers{}; // the ranks of the Testers whose parts leave this doubt
};

struct CalibrationResult {
    std::string server; // FakeDNS
    CalibrationTerms terms;
    std::vector<std::string> command;
    std::string record;
    std::string finished; // UTC, ISO 8601
    TesterSetup setup;
    Circumstances circumstances;

    std::optional<Rate> allowed; // by the self-test's rule
    std::optional<Rate> kept;    // the highest rate at which nothing was lost
    std::optional<SelftestTrial> stopped_by;
    std::vector<CountingCheck> counting;
    std::vector<DelayCheck> at_once; // by rate; they yield the floor
    // Ascending by delay, over UDP from 0 on. The baseline of the bias is the smallest RTT of the
    // first check less its delay.
    std::vector<DelayCheck> delays;
    // rtt_added() over TCP alone, in a certificate for TLS or HTTPS; and over TLS alone, for HTTPS.
    std::optional<std::int64_t> tcp_adds{};
    std::optional<std::int64_t> tls_adds{};
    std::optional<std::int64_t> tcp_adds_instead{}; // of QUIC: rtt_added() over TCP
    DelayCheck before_edge;                         // of the timeout
    DelayCheck behind_edge;
    std::vector<PacingCheck> pacing;

    std::vector<Doubt> doubts;

    // Returns the median RTT of the first of `delays` less the delay, in nanoseconds: what engine,
    // link and FakeDNS' sending add to each RTT. Returns nothing if it is unknown.
    [[nodiscard]] std::optional<std::int64_t> rtt_added() const
    {
        return delays.empty() || !delays.front().excess ? std::nullopt
                                                        : std::optional(delays.front().excess->p50);
    }
    // Returns the part of it that TLS adds.
    [[nodiscard]] std::optional<std::int64_t> tls_added() const
    {
        const auto all = tls_adds ? tls_adds : rtt_added();
        return all && tcp_adds ? std::optional(*all - *tcp_adds) : std::nullopt;
    }
    // Returns the part that HTTP adds.
    [[nodiscard]] std::optional<std::int64_t> http_added() const
    {
        const auto all = rtt_added();
        return all && tls_adds ? std::optional(*all - *tls_adds) : std::nullopt;
    }
    // Returns how much more QUIC adds than TCP.
    [[nodiscard]] std::optional<std::int64_t> quic_added() const
    {
        const auto all = rtt_added();
        return all && tcp_adds_instead ? std::optional(*all - *tcp_adds_instead) : std::nullopt;
    }
    // Returns the floor; nothing if no reply was valid, or RTTs were not checked.
    [[nodiscard]] std::optional<RttFloor> rtt_floor() const;
};

inline std::optional<RttFloor> CalibrationResult::rtt_floor() const
{
    std::optional<RttFloor> floor;
    for (const DelayCheck &check : at_once)
        if (check.valid != 0 && (!floor || check.rtt.min < floor->least))
            floor = RttFloor{check.rtt.min};
    return floor;
}

void fields(Fields &row, CalibrationResult &result);

// Returns dnsgauge/calibration/1.
[[nodiscard]] nlohmann::ordered_json to_json(const CalibrationResult &result);

} // namespace dnsgauge
