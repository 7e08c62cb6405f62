// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the trials of a series, shows how far it is, and fills in what all kinds of results have.
#pragma once

#include "result/labels.h"
#include "result/series_result.h"
#include "series/journalled_trials.h"
#include "series/progress.h"
#include "series/series_request.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <functional>
#include <utility>

namespace dnsgauge
{

// What runs before each trial. Returns false if the user stopped it. May throw SetupError.
using BeforeTrial = std::function<bool(TrialSeries &)>;

// Returns a runner that makes each trial of the request with the rate and the duration of its turn,
// and shows it by `progress`. The runner throws SetupError if a trial uses other modes than the
// request's self-test. With `pauses_first` it also pauses before the first trial. `progress` and
// `stop` must outlive the runner.
[[nodiscard]] TrialRunner shown_trials(
    const SeriesRequest &request, SearchProgress &progress, const std::atomic<bool> &stop,
    BeforeTrial before_trial = [](TrialSeries & /*series*/) { return true; },
    bool pauses_first = false);

// Returns `interrupted` if an invalid trial ended the series and `stop` is set, because the
// interruption made the trial invalid. Otherwise returns `end`.
[[nodiscard]] TrialsEnd end_with(TrialsEnd end, const std::atomic<bool> &stop);

// Removes the invalid trials.
void leave_valid(SeriesResult &result);

// Completes a result by what the request says, and puts the caveats of its trials before the
// result's own. Adds a deviation if invalid trials, which are not among the rows, were made again.
void describe(SeriesResult &result, const SeriesRequest &request, Caveats caveats);

// Returns the first line of the journal: the Tester's set-up as it is now, and every option on
// which results depend. Throws SetupError if there is no such interface, or if it is down.
template <class Request>
[[nodiscard]] nlohmann::ordered_json journal_header(const Request &request)
{
    Request values = request;
    return journal_header(request, Request::kind, options_of(values));
}

// Makes the trials that the journal lacks, until `stop` is set, and shows how far the series is.
// Throws SetupError.
template <class Request>
[[nodiscard]] auto make_series(const Request &request, Journal &journal,
                               const std::atomic<bool> &stop)
{
    Caveats caveats = caveats_of(request);
    SearchProgress progress(request.trial.duration, trial_time(request), caveats_text(caveats),
                            words_of(request));
    auto result = run_series(request, journal, shown_trials(request, progress, stop));
    result.end = end_with(result.end, stop);
    describe(result, request, std::move(caveats));
    return result;
}

} // namespace dnsgauge
