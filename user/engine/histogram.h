// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Durations as counts that add up: a histogram, in the buckets of wire/log_histogram.h, and RTTs.
#pragma once

#include "result/trial_result.h"

#include "wire/log_histogram.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dnsgauge
{

class Histogram
{
public:
    Histogram() : counts_(LOG_HISTOGRAM_BUCKETS) {}

    void add(std::uint64_t value)
    {
        counts_[log_histogram_bucket(value)]++;
        if (value > max_)
            max_ = value;
    }
    // Adds LOG_HISTOGRAM_BUCKETS counts of another histogram, whose largest duration is `max`.
    void add(std::span<const __u64> counts, std::uint64_t max);
    void add(const Histogram &other) { add(other.counts_, other.max_); }

    // Returns LOG_HISTOGRAM_BUCKETS counts.
    [[nodiscard]] std::span<const __u64> counts() const { return counts_; }
    [[nodiscard]] std::uint64_t count() const;
    [[nodiscard]] std::uint64_t max() const { return max_; }
    // Returns the smallest value x with F(x) >= p (RFC 2330 section 11.3: no interpolation), where
    // p is in thousandths, 1..1000. The result is the upper end of x's bucket: at most 0.8 % too
    // much, never too little. Returns zero if nothing was counted.
    [[nodiscard]] std::uint64_t percentile(std::uint64_t per_mille) const;
    // Returns the buckets that are not empty.
    [[nodiscard]] std::vector<CountedRange> filled() const;
    // Sets the percentiles, the longest duration and the histogram of a summary.
    template <class Summary>
    void summarise(Summary &summary) const
    {
        summary.p50 = percentile(500);
        summary.p90 = percentile(900);
        summary.p99 = percentile(990);
        summary.p99_9 = percentile(999);
        summary.max = max_;
        summary.histogram = filled();
    }

private:
    std::vector<__u64> counts_;
    std::uint64_t max_ = 0;
};

class RttTally
{
public:
    // The tally as numbers, for another process. Sums of 128 bits have two halves.
    struct Numbers {
        Histogram histogram;
        std::uint64_t count = 0;
        std::uint64_t min = 0;
        std::uint64_t sum_high = 0;
        std::uint64_t sum_low = 0;
        std::uint64_t squares_high = 0;
        std::uint64_t squares_low = 0;
    };

    RttTally() = default;
    explicit RttTally(Numbers numbers);

    void add(std::uint64_t rtt);
    void add(const RttTally &other);
    [[nodiscard]] Numbers numbers() const;
    // Returns the summary: mean and standard deviation are exact, percentiles are right to within a
    // bucket of the histogram.
    [[nodiscard]] RttSummary summary() const;

private:
    __extension__ using wide = unsigned __int128;

    Histogram histogram_;
    std::uint64_t count_ = 0;
    std::uint64_t min_ = ~std::uint64_t{0};
    wide sum_ = 0;
    wide squares_ = 0;
};

} // namespace dnsgauge
