// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The search for the highest load factor that a resolver bears, by the rules of paper 004, and the
// forms of its result. It makes no replays and reads no files.
#pragma once

#include "series/replay/replay.h"
#include "userland/words.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What shows that a resolver is overloaded, against the baseline.
enum class OverloadSign {
    unanswered, // more queries than the margin allows are not answered, beyond chance
    latency,    // the latency curves separate: the bands of the runs do not overlap
};

inline constexpr auto overload_signs = words<OverloadSign>(
    {{OverloadSign::unanswered, "unanswered"}, {OverloadSign::latency, "latency"}});

// The runs that a replay must have for its latency to be compared: the bands of two times seven
// equal runs separate at one point in 3,432, so that in a search of some ten comparisons, of some
// six parts of the curve each, chance does so in one of fifty.
inline constexpr std::size_t runs_with_bands = 7;

struct Overload {
    std::uint32_t load_factor = 0;
    OverloadSign sign = OverloadSign::unanswered;
    std::string why;
};

// A load factor whose runs scatter too much to tell whether the resolver was overloaded.
struct Undecided {
    std::uint32_t load_factor = 0;
    std::string why;
};

struct LoadFactorResult {
    double margin_percent = 0;
    std::uint32_t most = 0;               // the highest load factor that may be tried
    std::vector<std::uint32_t> factors{}; // that were tried, in their order; the first is 1
    std::vector<ReplayResult> replays{};  // of these factors; the last one may be cut short
    std::optional<std::uint32_t> borne{}; // the highest without overload; absent: none is known
    std::optional<Overload> overload{};   // the lowest with it; absent: none was found
    std::optional<Undecided> undecided{}; // where the runs could not tell, which ended the search
    unsigned runs_most = 0;               // that a load factor may have
    std::vector<std::string> doubts{};    // what may have had a part in the load factor
    TrialsEnd end = TrialsEnd::complete;
};

struct LoadFactorPlan {
    std::uint32_t most = 0;      // the highest load factor to try; 0: nobody asked for a search
    double margin_percent = 0.1; // that unanswered queries may exceed the baseline's by
    unsigned runs = 9;           // of each load factor
    unsigned runs_most = 9;      // of a load factor whose runs do not tell; at least `runs`
};

// What the runs of a load factor tell: nothing of both says that the resolver was not overloaded.
struct FactorJudgement {
    std::optional<Overload> overload{};
    std::optional<Undecided> undecided{};
};

// Returns what the runs tell, against the baseline's. Unanswered queries: their mean share in the
// later part exceeds the baseline's by more than the margin at all of the interval that holds the
// difference in `confidence` of cases; by no more, where all of the interval is within the margin.
// Runs of one number are compared with each other where both replays begin them with the same
// slice. Latency: at three neighbouring points of the curve, all from a millisecond on, the fastest
// run was slower than the baseline's slowest one; both have runs_with_bands or more.
[[nodiscard]] FactorJudgement judge_factor(const ReplayResult &baseline, const ReplayResult &loaded,
                                           std::uint32_t load_factor, double margin_percent,
                                           double confidence = 0.95);

// Returns the confidence of a comparison with which chance makes one of all the plan's comparisons
// wrong in one search of twenty at most: Holm's correction (Scandinavian Journal of Statistics 6,
// 1979) over the load factors that a search can come to, of which `overloads` were found to be too
// much, and Bonferroni's over the numbers of runs at which each is looked at.
[[nodiscard]] double confidence_of(const LoadFactorPlan &plan, unsigned overloads);

// Makes the replay at a load factor, or more of its runs, until it has `runs`.
using ReplayAt = std::function<ReplayResult(std::uint32_t load_factor, unsigned runs)>;

// Doubles the load factor, from the baseline at 1 on, until the resolver is overloaded or the plan
// ends; then halves the distance to the highest factor without overload. Where the runs of a factor
// do not tell, it has the factor and the baseline make twice as many, up to the plan's most. A
// replay that is not complete ends the search, and so does one whose runs do not tell in the end.
// Throws what `make` throws.
[[nodiscard]] LoadFactorResult find_load_factor(const LoadFactorPlan &plan, const ReplayAt &make);

// Returns the object that schemas/load-factor.schema.json describes. `replays` are the results'
// replays in JSON.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadFactorResult &result,
                                             const std::vector<nlohmann::ordered_json> &replays);

// Returns one sentence: the highest load factor that the resolver bears, and what shows that it
// bears no more.
[[nodiscard]] std::string verdict_text(const LoadFactorResult &result);

} // namespace dnsgauge
