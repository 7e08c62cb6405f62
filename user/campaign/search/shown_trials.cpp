// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/shown_trials.h"

#include "trial/testers.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

// Other Testers may go on with a journal, by links and addresses of their own. No address tells
// which server has it.
void say_other_servers(std::vector<std::string> asked, std::vector<std::string> now)
{
    std::ranges::sort(asked);
    std::ranges::sort(now);
    if (asked.empty() || asked == now)
        return;
    say("dnsgauge: note: the journal's last trial asked {}, and these Testers ask {}: the result "
        "is of one server only if that server has all of these addresses\n",
        fmt::join(asked, ", "), fmt::join(now, ", "));
}

} // namespace

TrialRunner shown_trials(const SeriesRequest &request, SearchProgress &progress,
                         const std::atomic<bool> &stop, BeforeTrial before_trial, bool pauses_first)
{
    BetweenTrials between = request.between;
    between.pauses_first = pauses_first;
    TrialPlan plan = request.trial;
    plan.same_modes_as = request.selftest;
    auto series = std::make_shared<TrialSeries>(
        std::move(plan), std::move(between), stop,
        [&progress](const TrialProgress &now) { progress.trial_runs(now); });
    return [series = std::move(series), servers = servers_of(request.trial),
            before_trial = std::move(before_trial),
            &progress](const SearchPlace &place) -> std::optional<TrialResult> {
        say_other_servers(place.last_asked, servers);
        if (place.retries != 0)
            say("dnsgauge: note: an invalid trial is made again after {:g} s more\n",
                seconds(retry_pause(place.retries)));
        progress.trial_begins(place);
        if (!before_trial(*series))
            return std::nullopt;
        std::optional<TrialResult> trial =
            series->run(place.turn.rate, place.begun, place.turn.duration, place.retries);
        progress.trial_ends(trial);
        return trial;
    };
}

TrialsEnd end_with(TrialsEnd end, const std::atomic<bool> &stop)
{
    return stop && end == TrialsEnd::invalid_trial ? TrialsEnd::interrupted : end;
}

} // namespace dnsgauge
