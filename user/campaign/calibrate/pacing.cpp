// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/checks.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t burst_part = 10;

std::uint64_t percentile(const std::vector<std::uint64_t> &sorted, std::uint64_t percent)
{
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

void set_lateness(PacingFigures &figures, std::vector<std::int64_t> offsets)
{
    const std::int64_t punctual = std::ranges::min(offsets);
    std::vector<std::uint64_t> lateness;
    for (const std::int64_t offset : offsets)
        lateness.push_back(static_cast<std::uint64_t>(offset - punctual));
    std::ranges::sort(lateness);
    figures.lateness = {
        .p50 = percentile(lateness, 50), .p99 = percentile(lateness, 99), .max = lateness.back()};
}

void set_gaps(PacingFigures &figures, std::vector<std::uint64_t> times, Rate rate)
{
    std::ranges::sort(times);
    std::vector<std::uint64_t> gaps;
    for (std::size_t i = 1; i < times.size(); i++)
        gaps.push_back(times[i] - times[i - 1]);
    std::ranges::sort(gaps);
    figures.gap_min = gaps.front();
    figures.gap_p1 = percentile(gaps, 1);
    figures.gap_p50 = percentile(gaps, 50);
    figures.gap_p99 = percentile(gaps, 99);
    figures.gap_max = gaps.back();
    const std::uint64_t limit = nanoseconds_per_second / burst_part;
    const auto bursts = std::ranges::count_if(
        gaps, [&](std::uint64_t gap) { return gap * rate.per_second < limit; });
    figures.burst_share = static_cast<double>(bursts) / static_cast<double>(gaps.size());
}

} // namespace

PacingFigures pacing_of(std::span<const std::uint64_t> arrivals, Rate rate)
{
    PacingFigures figures;
    std::vector<std::uint64_t> times;
    std::vector<std::int64_t> offsets; // of arrivals from a schedule that begins at 0
    for (std::size_t i = 0; i < arrivals.size(); i++) {
        if (arrivals[i] == 0)
            continue;
        if (!times.empty() && arrivals[i] < times.back())
            figures.disordered++;
        times.push_back(arrivals[i]);
        offsets.push_back(static_cast<std::int64_t>(arrivals[i]) - due_at(rate, i).count());
    }
    figures.arrived = times.size();
    if (times.size() < 2)
        return figures;
    figures.span_error = offsets.back() - offsets.front();
    const auto span = static_cast<double>(times.back()) - static_cast<double>(times.front());
    figures.rate_error = span > 0 ? -static_cast<double>(figures.span_error) / span : std::nan("");
    set_lateness(figures, std::move(offsets));
    set_gaps(figures, std::move(times), rate);
    return figures;
}

} // namespace dnsgauge
