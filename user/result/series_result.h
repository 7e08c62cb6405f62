// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a series of trials, as far as every kind of series has it: plain values, which all
// rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/trial_log.h"

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
    std::string error; // why no further trial could be made, and so an interruption; empty: nothing

    // Returns whether there is something to tell.
    [[nodiscard]] bool has_figures() const { return !rows.empty(); }
};

} // namespace dnsgauge
