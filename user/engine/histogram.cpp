// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/histogram.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace dnsgauge
{

void Histogram::add(std::span<const __u64> counts, std::uint64_t max)
{
    std::transform(counts_.begin(), counts_.end(), counts.begin(), counts_.begin(), std::plus<>());
    max_ = std::max(max_, max);
}

std::uint64_t Histogram::count() const
{
    return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t Histogram::percentile(std::uint64_t per_mille) const
{
    const std::uint64_t total = count();
    if (total == 0)
        return 0;
    const std::uint64_t rank = (total * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++) {
        seen += counts_[bucket];
        if (seen >= rank)
            return std::min<std::uint64_t>(log_histogram_floor(bucket + 1) - 1, max_);
    }
    return max_;
}

std::vector<CountedRange> Histogram::filled() const
{
    std::vector<CountedRange> ranges;
    for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++)
        if (counts_[bucket] != 0)
            ranges.push_back({.from = log_histogram_floor(bucket),
                              .to = log_histogram_floor(bucket + 1) - 1,
                              .count = counts_[bucket]});
    return ranges;
}

RttTally::RttTally(Numbers numbers)
    : histogram_(std::move(numbers.histogram)), count_(numbers.count), min_(numbers.min),
      sum_((static_cast<wide>(numbers.sum_high) << 64U) | numbers.sum_low),
      squares_((static_cast<wide>(numbers.squares_high) << 64U) | numbers.squares_low)
{
}

RttTally::Numbers RttTally::numbers() const
{
    return {.histogram = histogram_,
            .count = count_,
            .min = min_,
            .sum_high = static_cast<std::uint64_t>(sum_ >> 64U),
            .sum_low = static_cast<std::uint64_t>(sum_),
            .squares_high = static_cast<std::uint64_t>(squares_ >> 64U),
            .squares_low = static_cast<std::uint64_t>(squares_)};
}

void RttTally::add(std::uint64_t rtt)
{
    histogram_.add(rtt);
    count_++;
    min_ = std::min(min_, rtt);
    sum_ += rtt;
    squares_ += static_cast<wide>(rtt) * rtt;
}

void RttTally::add(const RttTally &other)
{
    histogram_.add(other.histogram_);
    count_ += other.count_;
    min_ = std::min(min_, other.min_);
    sum_ += other.sum_;
    squares_ += other.squares_;
}

RttSummary RttTally::summary() const
{
    RttSummary rtt;
    if (count_ == 0)
        return rtt;
    rtt.count = count_;
    rtt.min = min_;
    const auto n = static_cast<long double>(count_);
    const long double mean = static_cast<long double>(sum_) / n;
    rtt.mean = static_cast<double>(mean);
    rtt.stddev = static_cast<double>(
        std::sqrt(std::max(0.0L, static_cast<long double>(squares_) / n - mean * mean)));
    histogram_.summarise(rtt);
    return rtt;
}

} // namespace dnsgauge
