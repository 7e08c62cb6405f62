// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a journal tells of many trials, whatever they were made for: plain values.
#pragma once

#include "result/trial_result.h"
#include "userland/listed.h"
#include "userland/words.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What a search keeps of each trial. The journal has whole trials.
struct SearchTrial {
    Rate rate;
    Verdict verdict = Verdict::invalid;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    std::string why;
};

// What ended the trials that a journal records.
enum class TrialsEnd {
    complete,
    interrupted,
    invalid_trial, // the trial taught nothing about the server
};

inline constexpr auto trials_ends = words<TrialsEnd>({{TrialsEnd::complete, "complete"},
                                                      {TrialsEnd::interrupted, "interrupted"},
                                                      {TrialsEnd::invalid_trial, "invalid trial"}});

// The Testers that made trials in a row.
struct TesterTeam {
    std::vector<std::string> hosts; // by rank
    // What each of them asked, by rank. Empty: the Tester sent no part of any of the trials.
    std::vector<std::string> servers;
    std::uint64_t trials = 0;
};

struct TrialLog {
    std::vector<std::string> command;
    std::string journal; // its file

    std::uint64_t trials = 0;              // with invalid ones
    std::uint64_t invalid_trials = 0;      // made again, but for a trial that ended it all
    unsigned invalid_retries = 0;          // times in a row that an invalid trial may be made again
    unsigned resumed = 0;                  // times that somebody went on with the journal
    std::optional<SearchTrial> last_trial; // the trial that ended it all, if one did
    std::optional<Circumstances> circumstances; // of the last trial
    std::optional<PlacementResult> placement;   // of all trials together
    std::vector<TesterTeam> teams;              // in the order of the trials that they made
    bool lacks_a_tester = false; // one stopped answering in the last trial: no trial could follow

    // Returns whether several Testers made some of the trials together.
    [[nodiscard]] bool is_of_several() const
    {
        return std::ranges::any_of(teams,
                                   [](const TesterTeam &team) { return team.hosts.size() > 1; });
    }

    // Returns the servers that the trials asked, each once.
    [[nodiscard]] std::vector<std::string> servers() const
    {
        std::vector<std::string> all;
        for (const TesterTeam &team : teams)
            all.insert(all.end(), team.servers.begin(), team.servers.end());
        return each_once(all);
    }

    // Returns how many invalid trials were made again; an invalid trial that ended it all was not.
    [[nodiscard]] std::uint64_t made_again(bool ended_by_invalid_trial) const
    {
        return invalid_trials - (ended_by_invalid_trial ? 1 : 0);
    }
};

} // namespace dnsgauge
