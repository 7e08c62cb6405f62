// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One binary search for the highest rate that passes (RFC 8219 section 9.2, RFC 2544 section 26.1).
// The class makes no trials: it names the next rate, and its caller feeds it the verdict.
//
// Two trials of this very search bound the result: the rate found passed, and a rate at most
// `resolution` above it failed. So the search also tries an end of the range before it is the
// result.
//
// A search may begin with a guess, a part of the range in which the result probably is. It then
// tries both ends of this part first, and goes on where these two trials say that the result is. So
// its own trials bound its result, even if the guess is wrong.
#pragma once

#include "units/rate.h"

#include <cstdint>
#include <optional>

namespace dnsgauge
{

struct SearchRange {
    Rate min;
    Rate max; // min or above; if it is min, there is one rate to try
    std::uint64_t resolution = 1;
};

// A part of a range, in which a search begins.
struct Guess {
    Rate low;
    Rate high; // above low
};

class Bisection
{
public:
    enum class State {
        open, // next() is to be tried
        found,
        below_range, // min failed
        above_range, // max passed, even if max is min
        not_offered, // the highest rates that could be offered passed
    };
    // When the search tries the ends of the range: both at first, so that a wrong range costs two
    // trials; only the highest rate at first; or each only when nothing else is left.
    enum class Ends { first, highest_first, last };

    // Returns the ends for the first search of a range:
    //
    // - `last` for a range of a single rate;
    // - `highest_first` if the lowest rate is less than a hundredth of the highest, because a trial
    //   at such a rate, by default 1 query/s, tells nothing;
    // - `first` otherwise.
    [[nodiscard]] static Ends first_ends(const SearchRange &range);

    // A rate fails when 1 + `confirm` trials in a row fail. A guess needs Ends::last.
    Bisection(const SearchRange &range, unsigned confirm, Ends ends,
              std::optional<Guess> guess = {});

    [[nodiscard]] State state() const { return state_; }
    // Returns the rate to try. Callable only while open.
    [[nodiscard]] Rate next() const;
    // Takes the verdict of a trial at next().
    void feed(bool passed);
    // Takes note that the Tester cannot offer the rate next(). The rate then bounds the search, and
    // says nothing about the server. Callable only above the range's lowest rate.
    void feed_not_offered();
    // Raises the upper end of a range that passed to `max`, and goes on.
    void raise(Rate max);
    // Returns the highest rate that passed. Callable only when found.
    [[nodiscard]] Rate found() const { return Rate{low_}; }

    // Return the highest rate that passed and the lowest that failed; nothing if none did.
    [[nodiscard]] std::optional<Rate> passed() const
    {
        return low_passed_ ? std::optional(Rate{low_}) : std::nullopt;
    }
    [[nodiscard]] std::optional<Rate> failed() const { return failed_; }
    // Returns the lowest rate that could not be offered; nothing if there was none.
    [[nodiscard]] std::optional<Rate> not_offered() const { return not_offered_; }

    // Returns how many trials are to come, at least one while open. Failed trials that are tried
    // again, and a result at an end of the range, may change the number.
    [[nodiscard]] unsigned trials_left() const;
    // Returns the most trials that one search without a guess can take. Each end of a guess may
    // take one more.
    [[nodiscard]] static std::uint64_t most_trials(const SearchRange &range, unsigned confirm);

    // Returns the number of steps that passed since the last one that failed.
    [[nodiscard]] unsigned passed_since_failure() const { return passed_since_failure_; }

private:
    void decide(bool passed);
    void conclude();
    // Returns whether a trial has shown that the result is below high_.
    [[nodiscard]] bool high_is_known() const { return failed_ || not_offered_; }

    SearchRange range_;
    unsigned confirm_;
    Ends ends_;
    std::optional<Guess> guess_;
    State state_ = State::open;
    std::uint64_t low_;  // passed, or min
    std::uint64_t high_; // failed, not offered, or max
    bool low_passed_ = false;
    std::optional<Rate> failed_;      // the lowest
    std::optional<Rate> not_offered_; // the lowest
    unsigned failures_ = 0;           // of trials at next(), so far
    unsigned passed_since_failure_ = 0;
};

} // namespace dnsgauge
