// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/rtt_tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace dnsgauge
{

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
