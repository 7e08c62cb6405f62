// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a journal tells of trials of any kind: plain values.
#pragma once

#include "result/probe_result.h"
#include "result/rtt_curve.h"
#include "result/trial_result.h"
#include "system/listed.h"
#include "system/words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A process of the server. If processes share memory, each counts a part of it.
struct ProcessMemory {
    int process = 0;
    std::string name;
    std::uint64_t octets = 0; // in memory or swapped out

    bool operator==(const ProcessMemory &) const = default;
};

// Replies by the name of their RCODE, without RCODEs that did not occur.
using RcodeCounts = std::map<std::string, std::uint64_t>;

// The queries that were sent in one interval of a trial.
struct TrialInterval {
    Nanoseconds since{}; // from the start of the trial
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    RcodeCounts rcodes{};
};

// The queries of a trial's later part, whose latency is shown.
struct LaterPart {
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
    std::optional<std::uint64_t> rtt_p50{}; // nanoseconds; missing if no query was answered
    std::optional<std::uint64_t> rtt_p99{};
    RttCurve curve{};
};

// What a series keeps of each trial; the journal has whole trials. sent = valid + late + invalid +
// lost.
struct TrialSummary {
    Rate rate;
    Verdict verdict = Verdict::invalid;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0; // answered right, at or before the timeout
    std::string why{};
    bool rate_not_offered = false; // see TrialResult
    std::uint64_t late = 0;
    std::uint64_t invalid = 0;
    std::uint64_t lost = 0;
    std::optional<std::uint64_t> rtt_p50{}; // nanoseconds; missing if no query was answered
    std::optional<std::uint64_t> rtt_p99{};
    std::optional<double> rtt_mean{};
    std::string started{};   // UTC, ISO 8601
    unsigned repetition = 1; // from 1
    Nanoseconds duration{};
    unsigned goal = 0; // place, from 1, of the loss ratio that asked for the trial; 0 without one
    std::vector<ProcessMemory> processes{}; // of the server, after the trial; empty if unknown

    std::optional<WindowSummary> window{}; // of a sweep's closed loop
    std::optional<ProbeResult> probe{};    // if --probe asked for one; without histograms

    // Only in replays.
    InvalidCounts reasons{};                // of the invalid queries
    RcodeCounts rcodes{};                   // of all replies, late ones and invalid ones included
    std::vector<TrialInterval> intervals{}; // ascending
    LaterPart later{};
    // How late the Tester sent queries, nanoseconds.
    std::uint64_t lateness_p99 = 0;
    std::uint64_t lateness_max = 0;

    // Returns `whole` times the share of the queries that were answered.
    [[nodiscard]] double answered_of(double whole) const
    {
        return sent == 0 ? 0 : whole * static_cast<double>(valid) / static_cast<double>(sent);
    }
    [[nodiscard]] double answered_percent() const { return answered_of(100); }
    // Returns the queries answered per second.
    [[nodiscard]] double answered_rate() const
    {
        return window ? window->answered_rate : answered_of(static_cast<double>(rate.per_second));
    }
    // Returns the percentage of the queries that were not answered right and in time.
    [[nodiscard]] double loss_percent() const
    {
        return sent == 0 ? 0 : 100 * static_cast<double>(sent - valid) / static_cast<double>(sent);
    }
    // Returns how much memory the server has; nothing where no process of the server is known.
    [[nodiscard]] std::optional<std::uint64_t> memory() const
    {
        std::uint64_t octets = 0;
        for (const ProcessMemory &one : processes)
            octets += one.octets;
        return processes.empty() ? std::nullopt : std::optional(octets);
    }
};

// What ended the trials that a journal records.
enum class TrialsEnd {
    complete,
    interrupted,
    invalid_trial, // the last trial showed nothing about the server
    below_range,   // the lowest rate of a search failed
    above_range,   // the highest rate of a search passed
    not_offered,   // the Tester cannot offer a higher rate than a search has passed
};

inline constexpr auto trials_ends = words<TrialsEnd>({{TrialsEnd::complete, "complete"},
                                                      {TrialsEnd::interrupted, "interrupted"},
                                                      {TrialsEnd::invalid_trial, "invalid trial"},
                                                      {TrialsEnd::below_range, "below range"},
                                                      {TrialsEnd::above_range, "above range"},
                                                      {TrialsEnd::not_offered, "not offered"}});

// The Testers that made trials in a row.
struct TesterTeam {
    std::vector<std::string> hosts; // by rank
    // What each of them asked, by rank; empty if a Tester sent no part of these trials.
    std::vector<std::string> servers;
    std::uint64_t trials = 0;
};

struct TrialLog {
    std::vector<std::string> command;
    std::string journal; // its file

    std::uint64_t trials = 0;         // with invalid ones
    std::uint64_t invalid_trials = 0; // made again, except a trial that ended the series
    std::uint64_t gone_below = 0;     // invalid trials that were not made again at their rate
    unsigned invalid_retries = 0;     // times in a row that an invalid trial may be made again
    unsigned resumed = 0;             // times that somebody went on with the journal
    std::optional<TrialSummary> last_trial;     // the trial that ended the series, if one did
    std::optional<Circumstances> circumstances; // of the last trial
    Transport transport{};                      // of the last trial
    std::uint64_t connections = 0; // that each sender of the last trial kept open; 0 over UDP
    std::optional<PlacementResult> placement; // of all trials together
    std::vector<TesterTeam> teams;            // in the order of the trials that they made
    bool lacks_a_tester = false; // one stopped answering in the last trial: no trial could follow

    // Returns whether several Testers made some of the trials together.
    [[nodiscard]] bool is_of_several() const
    {
        return std::ranges::any_of(teams, [](const auto &team) { return team.hosts.size() > 1; });
    }

    // Returns the servers that the trials asked, each once.
    [[nodiscard]] std::vector<std::string> servers() const
    {
        std::vector<std::string> all;
        for (const TesterTeam &team : teams)
            all.insert(all.end(), team.servers.begin(), team.servers.end());
        return each_once(all);
    }

    // Returns how many invalid trials were made again at their rate.
    [[nodiscard]] std::uint64_t made_again(bool ended_by_invalid_trial) const
    {
        return invalid_trials - gone_below - (ended_by_invalid_trial ? 1 : 0);
    }
};

} // namespace dnsgauge
