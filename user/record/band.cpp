// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/band.h"

#include "stats/summary.h"

namespace dnsgauge
{

std::optional<Band> band_of(std::span<const double> values)
{
    const std::optional<Spread> spread = spread_of(values);
    if (!spread)
        return std::nullopt;
    return Band{.min = spread->min,
                .median = spread->median,
                .mean = summarize(values).mean,
                .max = spread->max};
}

} // namespace dnsgauge
