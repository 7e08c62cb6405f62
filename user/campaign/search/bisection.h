// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One binary search for the highest rate that passes, apart from all trials (RFC 8219 section 9.2,
// RFC 2544 section 26.1).
//
// Both ends of the result are trials of this very search: the rate found passed, and one at most
// `resolution` above it failed. So an end of the range that the search comes down to, or up to, is
// tried as well.
#pragma once

#include "units/rate.h"

#include <cstdint>
#include <optional>

namespace dnsgauge
{

struct SearchRange {
    Rate min;
    Rate max; // min or above; where both are the same there is one rate to try
    std::uint64_t resolution = 1;
};

class Bisection
{
public:
    enum class State {
        open, // next() is to be tried
        found,
        below_range, // min failed
        above_range, // max passed, be it min as well
    };
    // When the ends of the range are tried: at once, so that a wrong range costs two trials, or
    // only if it comes to that.
    enum class Ends { first, last };

    // A rate has failed when it has done so 1 + `confirm` times running.
    Bisection(const SearchRange &range, unsigned confirm, Ends ends);

    [[nodiscard]] State state() const { return state_; }
    // The rate to try; only while open.
    [[nodiscard]] Rate next() const;
    // What came of a trial at next().
    void feed(bool passed);
    // The highest rate that passed; only when found.
    [[nodiscard]] Rate found() const { return Rate{low_}; }

    // How many trials are to come, at least one while open, if no failed rate is tried again and
    // the result is not at an end of the range.
    [[nodiscard]] unsigned trials_left() const;
    // Never more than this in one search.
    [[nodiscard]] static std::uint64_t most_trials(const SearchRange &range, unsigned confirm);

    // Steps that passed since the last one that failed.
    [[nodiscard]] unsigned passed_since_failure() const { return passed_since_failure_; }

private:
    void decide(bool passed);

    SearchRange range_;
    unsigned confirm_;
    Ends ends_;
    State state_ = State::open;
    std::uint64_t low_;  // passed, or min
    std::uint64_t high_; // failed, or max
    bool low_passed_ = false;
    bool high_failed_ = false;
    unsigned failures_ = 0; // of next(), so far
    unsigned passed_since_failure_ = 0;
};

} // namespace dnsgauge
