// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/progress.h"

#include "record/json.h"
#include "system/counted.h"
#include "system/standard_output.h"
#include "text/figure_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace dnsgauge
{

namespace
{

constexpr Nanoseconds short_trial = std::chrono::seconds(10); // shows tenths of a second

} // namespace

std::string verdict_text(const TrialResult &trial)
{
    const std::string verdict = to_string(trial.verdict);
    return trial.verdict == Verdict::pass ? verdict : verdict + ": " + trial.why;
}

void say_notes(const std::vector<std::string> &notes)
{
    for (const std::string &note : notes)
        say("dnsgauge: note: {}\n", note);
}

SearchProgress::SearchProgress(Nanoseconds duration, Nanoseconds trial_guess, std::string label,
                               ProgressWords words, Nanoseconds beyond)
    : duration_(duration), live_(isatty(STDERR_FILENO) != 0), trial_guess_(trial_guess),
      label_(std::move(label)), beyond_(beyond), words_(words)
{
}

// Returns which trial this is, and its rate or its window.
std::string SearchProgress::turn_text() const
{
    const SearchTurn &turn = place_.turn;
    const std::string load = turn.pace ? fmt::format("window of {}", turn.pace->window)
                                       : fmt::format("{} queries/s", turn.rate.per_second);
    return fmt::format("{} {} of {}, {} {}: {}", words_.series, turn.repetition, words_.repeat,
                       words_.trial, turn.trial, load);
}

std::string SearchProgress::time_left() const
{
    const Nanoseconds each = made_ == 0 ? trial_guess_ : spent_ / made_;
    const auto trials = static_cast<double>(place_.left.count);
    // If durations differ, the mean time of the trials so far does not hold for the trials to come.
    // So the guess adds up their durations, and for each the usual time beside its duration.
    const double left =
        place_.left.time ? seconds(*place_.left.time) + seconds(trial_guess_ - duration_) * trials
                         : seconds(each) * trials;
    if (beyond_ == Nanoseconds{})
        return waiting_text(left);
    return fmt::format("{}, of all {}", waiting_text(left), waiting_text(left + seconds(beyond_)));
}

void SearchProgress::trial_begins(const SearchPlace &place)
{
    place_ = place;
    begin_ = Clock::now();
}

// Called when the first trial runs: until then an error may show that there is nothing to tell.
void SearchProgress::tell_plan()
{
    if (std::exchange(is_told_, true))
        return;
    if (place_.left.is_guess)
        say("dnsgauge: {} to make or more: what trials find decides how many follow{}{}\n",
            counted(place_.left.count, "trial"), label_.empty() ? "" : "; ", label_);
    else
        say("dnsgauge: {} to make, about {}{}{}\n", counted(place_.left.count, "trial"),
            time_left(), label_.empty() ? "" : "; ", label_);
}

void SearchProgress::trial_runs(const TrialProgress &progress)
{
    tell_plan();
    if (!live_)
        return;
    const Nanoseconds duration = place_.turn.duration.value_or(duration_);
    const std::uint64_t settled = progress.valid + progress.wrong;
    write_line_over(fmt::format(
        "{}, {:.{}f} s of {:g} s   valid {}   wrong {}   open or lost {}   {} {} left ",
        turn_text(), progress.elapsed_s, duration < short_trial ? 1 : 0, seconds(duration),
        progress.valid, progress.wrong, progress.sent > settled ? progress.sent - settled : 0,
        place_.left.is_guess ? "perhaps" : "about", time_left()));
}

void SearchProgress::trial_ends(const std::optional<TrialResult> &result)
{
    if (live_)
        write_line_over("");
    if (!result)
        return;
    tell_plan();
    spent_ += Clock::now() - begin_;
    made_++;
    say("{}: {}\n", turn_text(), words_.outcome(*result));
}

} // namespace dnsgauge
