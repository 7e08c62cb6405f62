// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "replay/replay_run.h"

#include "result/labels.h"
#include "search/shown_trials.h"
#include "text/duration_text.h"
#include "text/replay_text.h"
#include "text/sweep_text.h"
#include "workload/captured_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

namespace
{

std::string label_of(const Caveats &caveats)
{
    const std::string text = caveats_text(caveats);
    return text.empty() ? for_comparison_alone : fmt::format("{}; {}", for_comparison_alone, text);
}

// Adds what the Tester's machine did to the figures.
void add_lateness(Caveats &caveats, const ReplayResult &result)
{
    constexpr std::uint64_t share_most = 1'000'000; // nanoseconds, of a hundredth of the queries
    const auto most = static_cast<std::uint64_t>(Tolerances{}.lateness.count());
    std::uint64_t latest = 0;
    std::uint64_t later = 0;
    for (const ReplayRun &run : result.runs) {
        latest = std::max(latest, run.lateness_max);
        later = std::max(later, run.lateness_p99);
    }
    if (latest <= most && later <= share_most)
        return;
    caveats.doubts.push_back(fmt::format(
        "the Tester sent queries up to {} late, and one in a hundred of some run {} or more: they "
        "left in bursts that are not in the captures, and RTTs may be longer than the resolver's",
        duration_text(static_cast<double>(latest)), duration_text(static_cast<double>(later))));
}

// Puts what is known before the runs into a result.
void describe_captures(ReplayResult &result, const ReplayRequest &request)
{
    const TrialPlan &plan = *request.loaded;
    const CapturedQueries &captured = *plan.captured;
    result.files = plan.replay.files;
    result.capture_server = plan.replay.server ? to_string(*plan.replay.server) : "";
    result.played = captured.played();
    result.slices = plan.replay.slices;
    result.speed = plan.replay.speed;
    result.clients = captured.clients();
    result.queries = captured.size();
    result.packets = captured.counts().packets;
    result.left_out = captured.left_out();
    result.doubled = captured.doubled();
}

void describe(ReplayResult &result, const ReplayRequest &request)
{
    const TrialPlan &plan = *request.loaded;
    result.server = servers_text(result, plan);
    describe_captures(result, request);
    result.duration = duration_of(request);
    result.timeout = plan.timeout;
    result.interval = *plan.interval;
    result.since = plan.since;
    result.before_trial = request.between.command.value_or("");
    result.caveats = caveats_of(request);
    add_lateness(result.caveats, result);
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
    unsigned run = 0; // that is made next
    // A command has a resolver that does not answer found out; without one this does.
    const auto before_run = [&](TrialSeries &series) {
        if (plays_others(request))
            series.play_from(first_slice(run, request.trial.replay.slices), request.trial.duration);
        return request.between.command || series.wait_until_ready("the replay's beginning");
    };
    const TrialRunner make = shown_trials(playing, progress, stop, before_run);
    ReplayResult result = run_replay(request.runs, journal, [&](const SearchPlace &place) {
        run = place.turn.repetition;
        return make(place);
    });
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

} // namespace dnsgauge
