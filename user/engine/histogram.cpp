// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/histogram.h"

#include <algorithm>
#include <functional>
#include <numeric>

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

} // namespace dnsgauge
