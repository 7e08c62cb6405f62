// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The difference of the shares that two samples of runs have, where each run counts some of many:
// Welch, Biometrika 34 (1947), with the scatter that counts have at least.
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
// of cases, both ends being as rarely wrong; nothing where a sample has fewer than two runs. Runs
// may scatter as they like. They scatter no less than independent events do: where all runs have
// the same count, the interval has the width that chance alone makes. The share from which chance
// follows is the larger one of the sample's own and of both together, each by Jeffreys' prior, so
// that counts of zero have a width, too.
[[nodiscard]] std::optional<DifferenceInterval>
share_difference(std::span<const CountedShare> a, std::span<const CountedShare> b,
                 double confidence, Samples samples = Samples::independent);

} // namespace dnsgauge
