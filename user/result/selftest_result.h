// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a self-test of the Tester: plain values.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "result/placement_walk.h"
#include "result/series_result.h"
#include "stats/selftest_rule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// The set-up that a self-test is valid for. A Tester that differs in anything here is another
// Tester.
struct TesterSetup {
    std::string version; // of dnsgauge
    std::string kernel;
    std::string host;
    std::string cpu_model;
    unsigned cpus = 0;
    std::string interface;
    std::string driver;
    std::uint32_t mtu = 0;
    std::uint64_t link_mbps = 0; // 0 if unknown
    unsigned receive_queues = 0;
    unsigned transmit_queues = 0;
    std::vector<unsigned> sender_cpus;
    // The options with a setup_key (options/option.h), by these keys, in the options' order.
    std::vector<std::pair<std::string, OptionValue>> options;
    bool is_ipv6 = false;
    std::vector<TesterSetup> others{}; // of the Testers that make the trials with this one
};

struct SelftestTrial {
    Rate r;             // the rate that the Tester is to be used at
    TrialSummary trial; // at the rate that the self-test's rule asks for
};

// What the trials of a self-test found.
struct SelftestOutcome {
    std::vector<SelftestTrial> trials{};
    TrialsEnd end = TrialsEnd::complete;
    std::optional<Rate> allowed{}; // the highest r that passed
    // The trial right above `allowed`, or the trial that ended the self-test.
    std::optional<SelftestTrial> stopped_by{};
    Circumstances circumstances{}; // of the last trial
    // The last trial's circumstances of each other Tester, by rank.
    std::vector<Circumstances> other_circumstances{};
};

struct SelftestResult : SelftestOutcome {
    std::string server; // FakeDNS
    std::string zone;
    std::string answer;
    Rate min_rate; // of the rates r; equal to max_rate if only one rate was asked for
    Rate max_rate;
    std::uint64_t resolution = 1;
    unsigned confirm = 0;
    double delta = 0;
    Nanoseconds timeout{}; // t, of the trials that the self-test allows
    Nanoseconds duration{};
    Nanoseconds max_lateness{};
    Nanoseconds max_overrun{};
    Caveats caveats; // of the self-test itself
    std::vector<std::string> command;
    std::string record;                    // the record's file; empty if there is nothing to record
    std::vector<std::string> record_notes; // what became of earlier self-tests in that file
    std::string finished;                  // UTC, ISO 8601
    TesterSetup setup;
    std::optional<PlacementWalk> placements; // missing if no placements were tried

    // Returns the rate that the Tester kept for `allowed`; nothing if no rate is allowed.
    [[nodiscard]] std::optional<Rate> kept() const
    {
        return allowed ? std::optional(SelftestRule(delta).rate_for(*allowed)) : std::nullopt;
    }
};

} // namespace dnsgauge
