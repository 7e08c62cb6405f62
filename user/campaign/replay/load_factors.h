// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The search for the highest load factor that a resolver bears, by the rules of paper 004. It makes
// no replays and reads no files.
#pragma once

#include "result/load_factor_result.h"

#include <cstdint>
#include <functional>
#include <optional>

namespace dnsgauge
{

struct LoadFactorPlan {
    std::uint32_t most = 0;      // the highest load factor to try; 0: nobody asked for a search
    double margin_percent = 0.1; // that unanswered queries may exceed the baseline's by
};

// Returns what shows that the resolver was overloaded, against the baseline; nothing if it was not.
// Unanswered queries: the mean of their share in the later part exceeds the baseline's by more than
// the margin at all of the difference's 95 % interval, which follows from how the runs scatter.
// Latency: at three neighbouring points of the curve, all from a millisecond on, the fastest run
// was slower than the baseline's slowest one; both have runs_with_bands or more.
[[nodiscard]] std::optional<Overload> overload_of(const ReplayResult &baseline,
                                                  const ReplayResult &loaded,
                                                  std::uint32_t load_factor, double margin_percent);

// Returns why the runs do not tell whether more queries than the margin allows stay unanswered;
// nothing where they tell.
[[nodiscard]] std::optional<Undecided> undecided_of(const ReplayResult &baseline,
                                                    const ReplayResult &loaded,
                                                    std::uint32_t load_factor,
                                                    double margin_percent);

// Makes the replay at a load factor.
using ReplayAt = std::function<ReplayResult(std::uint32_t load_factor)>;

// Doubles the load factor, from the baseline at 1 on, until the resolver is overloaded or the plan
// ends; then halves the distance to the highest factor without overload. A replay that is not
// complete ends the search, and so does one whose runs do not tell. Throws what `make` throws.
[[nodiscard]] LoadFactorResult find_load_factor(const LoadFactorPlan &plan, const ReplayAt &make);

} // namespace dnsgauge
