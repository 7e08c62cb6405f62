// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/bisection.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns how often a gap must be halved until it is no wider than the resolution. Each time the
// wider half is left.
unsigned halvings(std::uint64_t gap, std::uint64_t resolution)
{
    unsigned count = 0;
    for (; gap > resolution; gap -= gap / 2)
        count++;
    return count;
}

} // namespace

Bisection::Bisection(const SearchRange &range, unsigned confirm, Ends ends,
                     std::optional<Guess> guess)
    : range_(range), confirm_(confirm), ends_(ends), guess_(guess), low_(range.min.per_second),
      high_(range.max.per_second)
{
}

Bisection::Ends Bisection::first_ends(const SearchRange &range)
{
    if (range.min == range.max)
        return Ends::last;
    const bool is_far = range.min.per_second < range.max.per_second / 100;
    return is_far ? Ends::highest_first : Ends::first;
}

Rate Bisection::next() const
{
    const bool narrow = high_ - low_ <= range_.resolution;
    if (!low_passed_ && low_ == range_.min.per_second && (ends_ == Ends::first || narrow))
        return range_.min;
    if (!high_is_known() && high_ == range_.max.per_second && (ends_ != Ends::last || narrow))
        return range_.max;
    // An end of the guess is tried only while it lies inside the open part. Otherwise its verdict
    // is known.
    if (guess_)
        for (const Rate end : {guess_->low, guess_->high})
            if (low_ < end.per_second && end.per_second < high_)
                return end;
    return Rate{low_ + (high_ - low_) / 2};
}

void Bisection::feed(bool passed)
{
    if (!passed && failures_ < confirm_) {
        failures_++;
        return;
    }
    failures_ = 0;
    decide(passed);
}

void Bisection::decide(bool passed)
{
    const Rate tried = next();
    if (passed) {
        passed_since_failure_++;
        low_ = tried.per_second;
        low_passed_ = true;
        if (tried == range_.max)
            state_ = State::above_range;
    } else {
        passed_since_failure_ = 0;
        high_ = tried.per_second;
        failed_ = tried;
        if (tried == range_.min)
            state_ = State::below_range;
    }
    conclude();
}

void Bisection::conclude()
{
    if (state_ == State::open && low_passed_ && high_is_known() &&
        high_ - low_ <= range_.resolution)
        state_ = failed_ == Rate{high_} ? State::found : State::not_offered;
}

void Bisection::feed_not_offered()
{
    not_offered_ = next();
    high_ = not_offered_->per_second;
    failures_ = 0;
    conclude();
}

void Bisection::raise(Rate max)
{
    range_.max = max;
    high_ = max.per_second;
    state_ = State::open;
}

unsigned Bisection::trials_left() const
{
    if (state_ != State::open)
        return 0;
    const unsigned ends = (ends_ == Ends::first && !low_passed_ ? 1U : 0U) +
                          (ends_ != Ends::last && !high_is_known() ? 1U : 0U);
    if (guess_ && low_ < guess_->low.per_second && guess_->high.per_second < high_)
        return 2 + halvings(guess_->high.per_second - guess_->low.per_second, range_.resolution);
    return std::max(1U, ends + halvings(high_ - low_, range_.resolution));
}

std::uint64_t Bisection::most_trials(const SearchRange &range, unsigned confirm)
{
    const std::uint64_t steps =
        2 + halvings(range.max.per_second - range.min.per_second, range.resolution);
    return steps * (1 + std::uint64_t{confirm});
}

} // namespace dnsgauge
