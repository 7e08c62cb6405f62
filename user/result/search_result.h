// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a search for the highest rate: plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_result.h"

#include <cstddef>
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

// A sign that one unlucky trial may have capped the search: the trial right above the result
// failed, and all of many later steps passed, up to the rate right below that trial.
struct Cap {
    std::size_t trial = 0;         // the failed trial's place in the repetition, from 0
    unsigned passed_behind_it = 0; // steps that passed later; chance does that once in 2^steps
};

// One repetition: a whole binary search.
struct Repetition {
    std::vector<SearchTrial> trials; // without invalid ones
    std::optional<Rate> rate;        // the result; absent while there is none
    std::optional<Cap> cap;
    std::optional<Rate>
        at_least{}; // the range's highest rate, where it passed: then there is no rate
};

enum class SearchEnd {
    complete,
    interrupted,
    invalid_trial, // the trial taught nothing about the server
    below_range,   // the lowest rate failed
    above_range,   // the highest rate passed
};

struct SearchResult {
    std::string server;
    Rate min_rate;
    Rate max_rate;
    std::uint64_t resolution = 1;
    unsigned repeat = 0;
    unsigned confirm = 0; // times that a failed trial is tried again before it counts
    double accept_percent = 100;
    std::optional<Dns64Conditions> dns64; // absent: the server is authoritative
    Caveats caveats;

    std::vector<std::string> command;
    std::string journal; // its file

    std::vector<Repetition> repetitions; // the last one may be unfinished
    std::uint64_t trials = 0;            // with invalid ones
    std::uint64_t invalid_trials = 0;    // made again, but for a trial that ended the search
    unsigned invalid_retries = 0;        // times in a row that an invalid trial may be made again
    unsigned resumed = 0;                // times that the search was resumed
    SearchEnd end = SearchEnd::complete;
    std::optional<SearchTrial> last_trial;      // the trial that ended the search, if one did
    std::optional<Circumstances> circumstances; // of the last trial

    // Returns the highest rate of the last search's range, if all of the range passed: a lower
    // bound of the result.
    [[nodiscard]] std::optional<Rate> at_least() const
    {
        return repetitions.empty() ? std::nullopt : repetitions.back().at_least;
    }

    // Returns the results, in the order in which they were found.
    [[nodiscard]] std::vector<double> rates() const
    {
        std::vector<double> found;
        for (const Repetition &repetition : repetitions)
            if (repetition.rate)
                found.push_back(static_cast<double>(repetition.rate->per_second));
        return found;
    }

    // Returns how many repetitions one unlucky trial may have capped.
    [[nodiscard]] std::size_t capped() const
    {
        std::size_t count = 0;
        for (const Repetition &repetition : repetitions)
            count += repetition.cap.has_value();
        return count;
    }
};

} // namespace dnsgauge
