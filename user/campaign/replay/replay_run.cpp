// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "replay/replay_run.h"

#include "result/labels.h"
#include "search/shown_trials.h"
#include "text/replay_text.h"
#include "text/sweep_text.h"
#include "workload/captured_queries.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

std::string label_of(const Caveats &caveats)
{
    const std::string text = caveats_text(caveats);
    return text.empty() ? for_comparison_alone : fmt::format("{}; {}", for_comparison_alone, text);
}

void describe(ReplayResult &result, const ReplayRequest &request)
{
    const TrialPlan &plan = *request.loaded;
    result.server = servers_text(result, plan);
    result.files = plan.replay.files;
    result.capture_server = plan.replay.server ? to_string(*plan.replay.server) : "";
    result.played = plan.captured->played();
    result.speed = plan.replay.speed;
    result.clients = plan.captured->clients();
    result.queries = plan.captured->size();
    result.duration = plan.duration;
    result.timeout = plan.timeout;
    result.interval = *plan.interval;
    result.since = plan.since;
    result.before_trial = request.between.command.value_or("");
    result.caveats = caveats_of(request);
    add_made_again(result.caveats, result, result.end == TrialsEnd::invalid_trial);
}

} // namespace

ReplayResult make_replay(const ReplayRequest &request, Journal &journal,
                         const std::atomic<bool> &stop)
{
    SeriesRequest playing = request;
    playing.trial = *request.loaded;
    SearchProgress progress(request.runs.runs, playing.trial.duration, trial_time(playing),
                            label_of(caveats_of(request)), {},
                            {.series = "run", .trial = "trial", .outcome = answered_text});
    // A command has a resolver that does not answer found out; without one this does.
    const auto answers = [&request](TrialSeries &series) {
        return request.between.command || series.wait_until_ready("the replay's beginning");
    };
    ReplayResult result =
        run_replay(request.runs, journal, shown_trials(playing, progress, stop, answers));
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

} // namespace dnsgauge
