// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How long queries took, in the buckets of wire/log_histogram.h.
#pragma once

#include "wire/log_histogram.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace dnsgauge
{

class DurationHistogram
{
public:
    void add(std::uint64_t ns, std::uint64_t times)
    {
        count_[log_histogram_bucket(ns)] += times;
        sum_ns_ += ns * times;
    }

    // Adds a bucket that the kernel program counted.
    void add_bucket(std::uint32_t bucket, std::uint64_t times) { count_[bucket] += times; }
    void add_sum(std::uint64_t ns) { sum_ns_ += ns; }

    [[nodiscard]] std::uint64_t sum_ns() const { return sum_ns_; }
    // Returns exactly how many durations are below `ns`, a power of two.
    [[nodiscard]] std::uint64_t below(std::uint64_t ns) const
    {
        return of_first(log_histogram_bucket(ns));
    }
    [[nodiscard]] std::uint64_t count() const { return of_first(LOG_HISTOGRAM_BUCKETS); }

private:
    [[nodiscard]] std::uint64_t of_first(std::uint32_t buckets) const
    {
        return std::accumulate(count_.begin(), count_.begin() + buckets, std::uint64_t{0});
    }

    std::array<std::uint64_t, LOG_HISTOGRAM_BUCKETS> count_{};
    std::uint64_t sum_ns_ = 0;
};

} // namespace dnsgauge
