// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The statistics of a set of results, as RFC 8219 and the papers behind it define each figure.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace dnsgauge
{

// A figure that the values do not define is NaN: every figure of an empty set, standard deviation
// and margin of error of a single value, and dispersion where the median is zero.
struct Summary {
    static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

    std::uint64_t count = 0; // the sample's size, without which no other figure means anything
    double median = undefined;
    double p1 = undefined; // 1st and 99th percentile: below 100 values, the least and the greatest
    double p99 = undefined;
    double mean = undefined;
    double stddev = undefined;     // of the sample: n - 1
    double moe_999 = undefined;    // margin of error of the mean at 99.9 %, by the normal quantile
    double mad = undefined;        // 1.4826 times the median distance from the median
    double dispersion = undefined; // (p99 - p1) / median, percent
    double min = undefined;
    double max = undefined;
};

// Returns the statistics by the papers' conventions. The median of an even count is the mean of the
// two central values. Margin of error and median absolute deviation are as in paper 002, Tables 1
// to 5: its figures show that the authors used the normal quantile and not Student's t. Dispersion
// is formula (1) of paper 000.
[[nodiscard]] Summary summarize(std::span<const double> values);

// A figure over the results that have it.
struct Band {
    double min = 0;
    double median = 0; // as Summary's
    double mean = 0;
    double max = 0;
};

// Returns the band of these values; nothing where there are none.
[[nodiscard]] std::optional<Band> band_of(std::span<const double> values);

// Returns the smallest of the `sorted` values (ascending, not empty) at or below which at least
// `per_mille` thousandths (1..1000) of the values lie (RFC 2330 section 11.3: no interpolation).
// The example in that section calls the 15th percentile of six values minus infinity, against the
// section's own rule; this function follows the rule.
[[nodiscard]] double percentile(std::span<const double> sorted, std::uint64_t per_mille);

// Returns (p99 - p1) / median in percent; NaN for a median of zero.
[[nodiscard]] double dispersion(double median, double p1, double p99);

// Returns half the width of the interval in which the mean lies with 99.9 % confidence; NaN for
// fewer than two values.
[[nodiscard]] double margin_of_error_999(double stddev, std::uint64_t count);

} // namespace dnsgauge
