// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_progress.h"

#include "common/counted.h"
#include "common/standard_output.h"
#include "record/json.h"
#include "text/duration_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr Nanoseconds short_trial = std::chrono::seconds(10); // shows tenths of a second

} // namespace

void say_notes(const std::vector<std::string> &notes)
{
    for (const std::string &note : notes)
        say("dnsgauge: note: {}\n", note);
}

SearchProgress::SearchProgress(unsigned repeat, Nanoseconds duration, Nanoseconds trial_guess,
                               std::string label, Nanoseconds beyond)
    : repeat_(repeat), duration_(duration), live_(isatty(STDERR_FILENO) != 0),
      trial_guess_(trial_guess), label_(std::move(label)), beyond_(beyond)
{
}

std::string SearchProgress::time_left(std::uint64_t trials) const
{
    const Nanoseconds each = made_ == 0 ? trial_guess_ : spent_ / made_;
    const double left = seconds(each) * static_cast<double>(trials);
    if (beyond_ == Nanoseconds{})
        return waiting_text(left);
    return fmt::format("{}, of all {}", waiting_text(left), waiting_text(left + seconds(beyond_)));
}

void SearchProgress::trial_begins(const SearchPlace &place)
{
    place_ = place;
    begin_ = Clock::now();
}

// Called when the first trial runs, because whatever can be wrong has been found out by then.
void SearchProgress::tell_plan()
{
    if (std::exchange(is_told_, true))
        return;
    say("dnsgauge: {} to make, about {}{}{}\n", counted(place_.left, "trial"),
        time_left(place_.left), label_.empty() ? "" : "; ", label_);
}

void SearchProgress::trial_runs(const TrialProgress &progress)
{
    tell_plan();
    if (!live_)
        return;
    const std::uint64_t settled = progress.valid + progress.wrong;
    say("\rsearch {} of {}, trial {}: {} queries/s, {:.{}f} s of {:g} s   valid {}   wrong {}   "
        "open or lost {}   about {} left \033[K",
        place_.turn.repetition, repeat_, place_.turn.trial, place_.turn.rate.per_second,
        progress.elapsed_s, duration_ < short_trial ? 1 : 0, seconds(duration_), progress.valid,
        progress.wrong, progress.sent > settled ? progress.sent - settled : 0,
        time_left(place_.left));
}

void SearchProgress::trial_ends(const std::optional<TrialResult> &result)
{
    if (live_)
        say("\r\033[K");
    if (!result)
        return;
    tell_plan();
    spent_ += Clock::now() - begin_;
    made_++;
    say("search {} of {}, trial {}: {} queries/s: {}{}\n", place_.turn.repetition, repeat_,
        place_.turn.trial, place_.turn.rate.per_second, to_string(result->verdict),
        result->verdict == Verdict::pass ? "" : ": " + result->why);
}

} // namespace dnsgauge
