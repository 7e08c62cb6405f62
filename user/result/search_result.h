// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a search for the highest rate gives: plain values, which reports and statistics may know.
#pragma once

#include "result/certificate_cover.h"
#include "result/selftest_cover.h"
#include "result/trial_result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What a search keeps of each of its trials; the journal has them whole.
struct SearchTrial {
    Rate rate;
    Verdict verdict = Verdict::invalid;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    std::string why;
};

// Behind the failure right above the result so many steps passed, up to the very edge of it, that
// the failed trial may have been unlucky.
struct Cap {
    std::size_t trial = 0;         // which of the repetition's trials failed, from 0
    unsigned passed_behind_it = 0; // steps; so many in a row by chance: once in 2^this
};

// One whole search.
struct Repetition {
    std::vector<SearchTrial> trials; // without those that were invalid
    std::optional<Rate> rate;        // the result, when it has come to one
    std::optional<Cap> cap;
};

enum class SearchEnd {
    complete,
    interrupted,
    invalid_trial, // the Tester was the limit: nothing was learned from it
    below_range,   // the lowest rate failed
    above_range,   // the highest rate passed
};

struct SearchResult {
    std::string server;
    Rate min_rate;
    Rate max_rate;
    std::uint64_t resolution = 1;
    unsigned repeat = 0;
    unsigned confirm = 0; // times a failed trial was tried again before it counted
    double accept_percent = 100;
    std::optional<Dns64Conditions> dns64; // absent: the server is authoritative
    std::vector<std::string> deviations;  // from RFC 8219 section 9; none: compliant
    std::optional<SelftestCover> selftest;
    std::optional<CertificateCover> certificate;

    std::vector<std::string> command;
    std::string journal; // its file

    std::vector<Repetition> repetitions; // the last one may be unfinished
    std::uint64_t trials = 0;            // all of them, invalid ones too
    unsigned resumed = 0;                // times it was interrupted and taken up again
    SearchEnd end = SearchEnd::complete;
    std::optional<SearchTrial> last_trial;      // the one that ended it, where one did
    std::optional<Circumstances> circumstances; // of the last trial

    // The results, in the order in which they were found.
    [[nodiscard]] std::vector<double> rates() const
    {
        std::vector<double> found;
        for (const Repetition &repetition : repetitions)
            if (repetition.rate)
                found.push_back(static_cast<double>(repetition.rate->per_second));
        return found;
    }

    // Was a self-test looked for, and none covers the search?
    [[nodiscard]] bool is_beyond_selftest() const { return selftest && !selftest->covers(); }

    // How many of them one unlucky trial may have capped.
    [[nodiscard]] std::size_t capped() const
    {
        std::size_t count = 0;
        for (const Repetition &repetition : repetitions)
            count += repetition.cap.has_value();
        return count;
    }
};

} // namespace dnsgauge
