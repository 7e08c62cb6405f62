// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a self-test of the Tester, and its JSON. Record files hold such objects.
#pragma once

#include "record/fields.h"
#include "result/caveats.h"
#include "result/series_result.h"
#include "result/tester_setup.h"
#include "stats/selftest_rule.h"
#include "stats/summary.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr const char *selftest_schema = "dnsgauge/selftest/1";

// What a self-test found when it tried placements of the Tester.
struct WalkedPlacement {
    unsigned sender_cpu = 0;
    std::optional<unsigned> sender_queue{}; // missing if it is the usual one
    // Settings of dnsgauge placement apply, by name. No setting means the machine as it is.
    std::map<std::string, std::string> settings{};
    // The highest r that each search found, queries per second; 0 if none passed.
    std::vector<std::uint64_t> rates{};

    // Returns how far the rates lie apart; all zero if there are none.
    [[nodiscard]] Band spread() const
    {
        return band_of(std::vector<double>(rates.begin(), rates.end())).value_or(Band{});
    }
};

// Placements of one part of the Tester, tried in turn, round after round.
struct PlacementStage {
    std::string part{};
    std::vector<WalkedPlacement> walked{}; // the usual placement first
    std::size_t best = 0;                  // the usual one unless another is better
    std::optional<double> gain_percent{};  // of the best median; missing if it is the usual one
    std::string found{};                   // the finding as a clause: "found CPU 1 best: ..."

    [[nodiscard]] const WalkedPlacement &chosen() const { return walked.at(best); }
};

struct PlacementWalk {
    std::string finished;                // UTC, ISO 8601
    std::uint64_t repeat = 0;            // searches of each placement
    std::vector<PlacementStage> stages;  // each begins with the best placement of the previous one
    std::vector<std::string> not_walked; // parts that cannot be placed here, and why

    [[nodiscard]] const WalkedPlacement &best() const { return stages.back().chosen(); }
};

// The parts, as `PlacementStage::part` names them.
inline constexpr const char *sender_part = "sender";
inline constexpr const char *transmit_part = "transmit queue";
inline constexpr const char *receive_part = "receiving queues";

// Returns the options of trials with that sender: "--cpus 5 --sender-queues 1".
[[nodiscard]] inline std::string sender_options(unsigned cpu, unsigned queue)
{
    return "--cpus " + std::to_string(cpu) + " --sender-queues " + std::to_string(queue);
}

// Returns "as it is", or the settings as options: "--irqbalance stop --irq-cpus 2".
[[nodiscard]] inline std::string settings_text(const std::map<std::string, std::string> &settings)
{
    std::string text;
    for (const auto &[name, value] : settings)
        text += (text.empty() ? "--" : " --") + name + ' ' + value;
    return text.empty() ? "as it is" : text;
}

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

void fields(Fields &row, SelftestResult &result);
void fields(Fields &row, SelftestTrial &tried);
void fields(Fields &row, PlacementWalk &walk);

// Returns dnsgauge/selftest/1.
[[nodiscard]] nlohmann::ordered_json to_json(const SelftestResult &result);

} // namespace dnsgauge
