// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is printed of a set of results, as RFC 8219 and the papers behind it define each figure.
#pragma once

#include <cstdint>
#include <span>

namespace dnsgauge
{

// A figure that `count` values do not define is NaN: every one of none; the standard deviation and
// the margin of error of a single value; the dispersion about a median of zero.
struct Summary {
    std::uint64_t count; // the sample's size, without which none of the others means anything
    double median;
    double p1; // 1st and 99th percentile: below 100 values, the least and the greatest
    double p99;
    double mean;
    double stddev;     // of the sample: n - 1
    double moe_999;    // margin of error of the mean at 99.9 %, by the normal quantile
    double mad;        // 1.4826 times the median distance from the median
    double dispersion; // (p99 - p1) / median, percent
};

// The papers' conventions: median of an even count is the mean of its two central values; margin of
// error and median absolute deviation as in paper 002, Tables 1 to 5, whose figures show that it
// used the normal quantile and not Student's t; dispersion is formula (1) of paper 000.
[[nodiscard]] Summary summarize(std::span<const double> values);

// The smallest of `sorted` (ascending, not empty) at or below which at least this share of them
// lies, in thousandths, 1..1000 (RFC 2330 section 11.3: no interpolation). That section's own
// example calls the 15th percentile of six values minus infinity, against its rule; here the rule
// holds.
[[nodiscard]] double percentile(std::span<const double> sorted, std::uint64_t per_mille);

// (p99 - p1) / median, percent; NaN for a median of zero.
[[nodiscard]] double dispersion(double median, double p1, double p99);

// Half the width of the interval in which the mean lies with 99.9 % confidence; NaN below two
// values.
[[nodiscard]] double margin_of_error_999(double stddev, std::uint64_t count);

} // namespace dnsgauge
