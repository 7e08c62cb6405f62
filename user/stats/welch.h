// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The difference of two samples' shares. Each run of a sample counts some of many. By Welch,
// Biometrika 34 (1947), with the least scatter that counts have.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace dnsgauge
{

// A run's count: `count` of `all`, which is not 0.
struct CountedShare {
    std::uint64_t count = 0;
    std::uint64_t all = 0;
};

struct DifferenceInterval {
    double low = 0;
    double high = 0;
};

enum class Samples {
    independent,
    paired, // run by run: `a` and `b` have as many
};

// Returns the interval that holds the mean share of `b` less the mean share of `a` in `confidence`
// of cases; both ends are equally rarely wrong. Returns nothing if a sample has fewer than two
// runs. Runs may scatter as they like, but no less than independent events: if all runs have the
// same count, the interval is as wide as chance alone makes it. Chance follows from the larger of
// two shares, the sample's own and both samples', each by Jeffreys' prior. So counts of zero have a
// width, too.
[[nodiscard]] std::optional<DifferenceInterval>
share_difference(std::span<const CountedShare> a, std::span<const CountedShare> b,
                 double confidence, Samples samples = Samples::independent);

} // namespace dnsgauge
