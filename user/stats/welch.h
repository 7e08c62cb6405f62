// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The difference of two means whose samples may scatter differently: Welch, Biometrika 34 (1947).
#pragma once

#include <optional>
#include <span>

namespace dnsgauge
{

struct DifferenceInterval {
    double low = 0;
    double high = 0;
};

// Returns the interval that holds the mean of `b` less the mean of `a` in `confidence` of cases,
// both ends being as rarely wrong; nothing where a sample has fewer than two values. The interval
// has no width where neither sample scatters.
[[nodiscard]] std::optional<DifferenceInterval>
welch_interval(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

} // namespace dnsgauge
