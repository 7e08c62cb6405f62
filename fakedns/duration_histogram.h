// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How long queries took, in the buckets of wire/log_histogram.h.
#pragma once

#include "wire/log_histogram.h"

#include <array>
#include <cstdint>

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
    [[nodiscard]] std::uint64_t below(std::uint64_t ns) const;
    [[nodiscard]] std::uint64_t count() const;

private:
    [[nodiscard]] std::uint64_t of_first(std::uint32_t buckets) const;

    std::array<std::uint64_t, LOG_HISTOGRAM_BUCKETS> count_{};
    std::uint64_t sum_ns_ = 0;
};

} // namespace dnsgauge
