// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Bounds of the median of differences that come one after another. They may be looked at after each
// difference: the probability that a bound is ever wrong is the one that was asked for.
//
// The bounds go by signs. Let differences lie above the median with a chance of at most 1/2 each,
// whatever came before. If somebody bets on "above" at fair odds, with shares of the stake spread
// evenly over all chances from 1/2 to 1, then the wealth is a martingale at most, and is ever
// 1/error times the stake with the probability `error` at most (Ville 1939; Robbins, Ann. Math.
// Statist. 41, 1970; Howard and Ramdas, Bernoulli 28, 2022, for quantiles). So no distribution is
// assumed, and outliers count like others. The least number of differences for a bound is 7 at an
// error of 5 %.
#pragma once

#include <cstddef>
#include <vector>

namespace dnsgauge
{

class MedianBounds
{
public:
    // `low_error` is the probability that low() is ever above the median, `high_error` that high()
    // is ever below it.
    MedianBounds(double low_error, double high_error);

    // Takes a difference, which may be infinite, but not NaN.
    void add(double difference);

    // Return the bounds of all differences so far; infinite ones if there are too few. More than
    // half of the differences lie on one side of each. So low() is never above high(), not even if
    // the median moves; a bound may be further away than an earlier one.
    [[nodiscard]] double low() const;
    [[nodiscard]] double high() const;
    // Returns the differences in ascending order.
    [[nodiscard]] const std::vector<double> &sorted() const { return sorted_; }

private:
    double low_error_;
    double high_error_;
    std::vector<double> sorted_;
    std::size_t above_ = 1; // differences that must not lie below low()
    std::size_t below_ = 1; // likewise above high()
};

// Returns how many differences bound the median at least, with this error on each side.
[[nodiscard]] std::size_t fewest_differences(double error);

} // namespace dnsgauge
