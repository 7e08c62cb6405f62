// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/repeated_trials.h"

#include "system/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

std::uint64_t count(const std::vector<TrialResult> &trials, Verdict verdict)
{
    return static_cast<std::uint64_t>(std::ranges::count(trials, verdict, &TrialResult::verdict));
}

Verdict verdict_on(const RepeatedTrials &repeated)
{
    if (repeated.trials.size() < repeated.repeat || count(repeated.trials, Verdict::invalid) != 0)
        return Verdict::invalid;
    return count(repeated.trials, Verdict::fail) != 0 ? Verdict::fail : Verdict::pass;
}

// Returns "3 of 5 trials pass, 1 fails, 1 is invalid; trial 2: why": the error, or the reason of
// the first trial that makes the verdict.
std::string reason_of(const RepeatedTrials &repeated)
{
    const std::vector<TrialResult> &trials = repeated.trials;
    std::string text;
    const auto add = [&](Verdict verdict, const char *one, const char *many) {
        const std::uint64_t found = count(trials, verdict);
        if (found == 0)
            return;
        if (text.empty())
            text = fmt::format("{} of {} {}", found, counted(repeated.repeat, "trial"),
                               found == 1 ? one : many);
        else
            text += fmt::format(", {} {}", found, found == 1 ? one : many);
    };
    add(Verdict::pass, "passes", "pass");
    add(Verdict::fail, "fails", "fail");
    add(Verdict::invalid, "is invalid", "are invalid");
    if (trials.size() < repeated.repeat)
        text = fmt::format(
            "{} after {} of {}{}{}", repeated.error.empty() ? "interrupted" : "ended by an error",
            trials.size(), counted(repeated.repeat, "trial"), text.empty() ? "" : ": ", text);
    if (!repeated.error.empty())
        return text + fmt::format("; trial {}: {}", trials.size() + 1, repeated.error);
    if (repeated.verdict == Verdict::pass)
        return text;
    const auto first = std::ranges::find(trials, repeated.verdict, &TrialResult::verdict);
    if (first != trials.end())
        text += fmt::format("; trial {}: {}", first - trials.begin() + 1, first->why);
    return text;
}

} // namespace

RepeatedTrials sum_up(RepeatedTrials repeated)
{
    repeated.verdict = verdict_on(repeated);
    repeated.why = reason_of(repeated);
    repeated.caveats = repeated.trials.front().caveats;
    repeated.caveats.doubts.clear();
    for (std::size_t i = 0; i < repeated.trials.size(); i++)
        for (const std::string &doubt : repeated.trials[i].caveats.doubts)
            repeated.caveats.doubts.push_back(fmt::format("trial {}: {}", i + 1, doubt));
    return repeated;
}

std::vector<double> values_of(const SpreadFigure &figure, const std::vector<TrialResult> &trials)
{
    std::vector<double> values;
    for (const TrialResult &trial : trials)
        if (const std::optional<double> value = figure.of(trial);
            value && trial.verdict != Verdict::invalid)
            values.push_back(*value);
    return values;
}

std::uint64_t telling_trials(const std::vector<TrialResult> &trials)
{
    return trials.size() - count(trials, Verdict::invalid);
}

} // namespace dnsgauge
