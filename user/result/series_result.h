// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of a series' result that all kinds share, and the result of a search for the highest
// rate: plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_log.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct SeriesResult : TrialLog {
    std::string server;
    Nanoseconds duration{}; // of a trial
    Nanoseconds timeout{};
    double accept_percent = 100;
    Caveats caveats;

    // The trials that the kind tells of, in the order in which they were made.
    std::vector<TrialSummary> rows;
    TrialsEnd end = TrialsEnd::complete;
    std::string error; // why no further trial could be made, which is an interruption; may be empty

    // Returns whether there is something to tell.
    [[nodiscard]] bool has_figures() const { return !rows.empty(); }
};

// A sign that one unlucky trial may have capped the search: the trial right above the result
// failed, and then many steps all passed, up to the rate right below that trial.
struct Cap {
    std::size_t trial = 0;         // the failed trial's place in the repetition, from 0
    unsigned passed_behind_it = 0; // steps that passed later; chance does that once in 2^steps
};

// One repetition: a whole binary search.
struct Repetition {
    std::vector<TrialSummary> trials; // without invalid ones
    std::optional<Rate> rate;         // the result; missing until there is one
    std::optional<Cap> cap;
    // The highest rate that passed, if the range or the Tester has no higher one. Then `rate` is
    // missing.
    std::optional<Rate> at_least{};
    std::optional<Rate> not_offered{}; // the lowest rate that the Tester could not offer
    // The highest rate that passed, and the lowest that failed for good; missing if there is none.
    // They bound the result of a search that was cut short.
    std::optional<Rate> passed{};
    std::optional<Rate> failed{};
};

// Its rows are the trials of all repetitions.
struct SearchResult : SeriesResult {
    Rate min_rate;
    Rate max_rate;
    std::uint64_t resolution = 1;
    unsigned repeat = 0;
    unsigned confirm = 0; // times that a failed trial is tried again before it counts
    std::optional<Dns64Conditions> dns64; // missing if the server is authoritative

    std::vector<Repetition> repetitions; // the last one may be unfinished

    // Returns whether there is something to tell.
    [[nodiscard]] static bool has_figures() { return true; }

    // Returns the highest rate that passed, a lower bound of the result, if the last search passed
    // all of its range, or all that the Tester can offer.
    [[nodiscard]] std::optional<Rate> at_least() const
    {
        return repetitions.empty() ? std::nullopt : repetitions.back().at_least;
    }

    // Returns the lowest rate that the Tester could not offer, if therefore the last search has no
    // result.
    [[nodiscard]] std::optional<Rate> not_offered() const
    {
        return at_least() ? repetitions.back().not_offered : std::nullopt;
    }

    // Returns the last search if it was cut short after it had bounds for its result; otherwise
    // null.
    [[nodiscard]] const Repetition *cut_short() const
    {
        if (repetitions.empty())
            return nullptr;
        const Repetition &last = repetitions.back();
        return !last.rate && !last.at_least && (last.passed || last.failed) ? &last : nullptr;
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

// Returns how the search met the Tester's limit; empty if it did not, or if neither its trials nor
// a self-test tell the limit. A failure within the self-test's limit is the server's; a failure
// above it may be the Tester's.
[[nodiscard]] std::string tester_limit(const SearchResult &result);

// Returns the words for a server that passed a rate and a Tester that could not offer a higher one.
[[nodiscard]] std::string tester_limit(Rate passed, Rate not_offered);

// Sets the caveats that follow from the searches: the Tester's limit, and how many searches one
// unlucky trial may have capped.
void add_findings(SearchResult &result);

} // namespace dnsgauge
