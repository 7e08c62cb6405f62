// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/series_run.h"

#include "system/listed.h"
#include "system/standard_output.h"
#include "trial/testers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>

namespace dnsgauge
{

namespace
{

// Other Testers may resume a journal, by links and addresses of their own. An address does not tell
// which server has it.
void say_other_servers(std::vector<std::string> asked, std::vector<std::string> now)
{
    std::ranges::sort(asked);
    std::ranges::sort(now);
    if (asked.empty() || asked == now)
        return;
    say("dnsgauge: note: the journal's last trial asked {}, and these Testers ask {}: the result "
        "is of one server only if that server has all of these addresses\n",
        join(asked, ", "), join(now, ", "));
}

bool is_invalid(const TrialSummary &row)
{
    return row.verdict == Verdict::invalid;
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
        std::optional<TrialResult> trial = series->run(
            place.turn.rate, place.begun, place.turn.duration, place.retries, place.turn.pace);
        progress.trial_ends(trial);
        return trial;
    };
}

TrialsEnd end_with(TrialsEnd end, const std::atomic<bool> &stop)
{
    return stop && end == TrialsEnd::invalid_trial ? TrialsEnd::interrupted : end;
}

void leave_valid(SeriesResult &result)
{
    std::erase_if(result.rows, is_invalid);
}

void describe(SeriesResult &result, const SeriesRequest &request, Caveats caveats)
{
    result.server = servers_text(result, request.trial);
    result.duration = request.trial.duration;
    result.timeout = request.trial.timeout;
    result.accept_percent = request.trial.accept_percent;
    std::ranges::move(result.caveats.doubts, std::back_inserter(caveats.doubts));
    result.caveats = std::move(caveats);
    const std::uint64_t again = result.made_again(result.end == TrialsEnd::invalid_trial);
    if (again != 0 && std::ranges::none_of(result.rows, is_invalid))
        result.caveats.deviations.push_back(
            fmt::format("invalid trials were made again ({})", again));
}

} // namespace dnsgauge
