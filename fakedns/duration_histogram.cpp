// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/duration_histogram.h"

#include <numeric>

namespace dnsgauge
{

std::uint64_t DurationHistogram::of_first(std::uint32_t buckets) const
{
    return std::accumulate(count_.begin(), count_.begin() + buckets, std::uint64_t{0});
}

std::uint64_t DurationHistogram::below(std::uint64_t ns) const
{
    return of_first(log_histogram_bucket(ns));
}

std::uint64_t DurationHistogram::count() const
{
    return of_first(LOG_HISTOGRAM_BUCKETS);
}

} // namespace dnsgauge
