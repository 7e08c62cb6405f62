// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The trials of a search or a sweep, shown while they run.
#pragma once

#include "search/journalled_trials.h"
#include "search/search_progress.h"
#include "search/series_request.h"

#include <atomic>
#include <functional>

namespace dnsgauge
{

// What runs before each trial. Returns false if the user stopped it. May throw SetupError.
using BeforeTrial = std::function<bool(TrialSeries &)>;

// Returns the runner of the request's trials, which gives each the rate and the duration of its
// turn, and tells `progress` of it. The runner throws SetupError for a trial whose modes are not
// those of the request's self-test. `pauses_first`: other trials came before. `progress` and `stop`
// must outlive the runner.
[[nodiscard]] TrialRunner shown_trials(
    const SeriesRequest &request, SearchProgress &progress, const std::atomic<bool> &stop,
    BeforeTrial before_trial = [](TrialSeries & /*series*/) { return true; },
    bool pauses_first = false);

// Returns that trials were interrupted, where one was invalid and `stop` is set: the interruption
// made that trial invalid. Returns any other `end` as it is.
[[nodiscard]] TrialsEnd end_with(TrialsEnd end, const std::atomic<bool> &stop);

} // namespace dnsgauge
