// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the trials of a series, says how far the series is, and says what all kinds of series tell.
#pragma once

#include "result/labels.h"
#include "result/series_result.h"
#include "series/journalled_trials.h"
#include "series/progress.h"
#include "series/series_request.h"

#include <atomic>
#include <functional>
#include <utility>

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

// Makes the series from where the journal ends, until the strategy ends or something ends it.
// Records each trial in the journal before the next one begins, and makes no recorded trial again.
// The result has all trials, invalid ones included, and lacks what the request says. Throws
// SetupError if a record of the journal does not belong to this series, and what `run` or the
// journal throw, unless the strategy survives that.
[[nodiscard]] SeriesResult run_series(Strategy &strategy, Journal &journal, const TrialRunner &run,
                                      const std::string &name, unsigned invalid_retries);

// Returns what the journal tells of the series, without a trial.
[[nodiscard]] SeriesResult recall_series(Strategy &strategy, Journal &journal,
                                         const std::string &name, unsigned invalid_retries);

// Leaves the trials that are not invalid.
void leave_valid(SeriesResult &result);

// Puts what the request says, and the caveats of its trials, into a result.
void describe(SeriesResult &result, const SeriesRequest &request, Caveats caveats);

// Shows the trials that `run` makes by a runner while they run, until `stop` is set. `repeat` and
// `words`: as SearchProgress has them. Returns what `run` returns, with what the request says.
template <class Run>
[[nodiscard]] auto show_series(const SeriesRequest &request, unsigned repeat, Caveats caveats,
                               const ProgressWords &words, const std::atomic<bool> &stop, Run run)
{
    SearchProgress progress(repeat, request.trial.duration, trial_time(request),
                            caveats_text(caveats), {}, words);
    auto result = run(shown_trials(request, progress, stop));
    result.end = end_with(result.end, stop);
    describe(result, request, std::move(caveats));
    return result;
}

} // namespace dnsgauge
