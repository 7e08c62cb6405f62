// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The search for the highest load factor that a resolver bears, by the rules of paper 004, and the
// forms of its result. The search makes no replays and reads no files.
#pragma once

#include "record/fields.h"
#include "series/replay/replay.h"
#include "system/words.h"

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

// Latency is compared if both replays have this many runs. The bands of two times seven equal runs
// separate by chance at one point in 3,432. A search makes some ten comparisons, each of some six
// independent parts of the curve. So chance separates curves in one search of fifty.
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
    std::uint32_t most = 0;               // the highest load factor to try
    std::vector<std::uint32_t> factors{}; // that were tried, in their order; the first is 1
    std::vector<ReplayResult> replays{};  // of these factors; the last one may be cut short
    std::optional<std::uint32_t> borne{}; // the highest without overload, if one is known
    std::optional<Overload> overload{};   // the lowest with overload, if one was found
    std::optional<Undecided> undecided{}; // the factor that ended the search undecided, if one did
    unsigned runs_most = 0;               // that a load factor may have
    std::vector<std::string> doubts{};    // what else may have decided
    TrialsEnd end = TrialsEnd::complete;
};

struct LoadFactorPlan {
    std::uint32_t most = 0;      // the highest load factor to try; 0 means no search
    double margin_percent = 0.1; // by which unanswered queries may exceed the baseline's
    unsigned runs = 9;           // of each load factor
    unsigned runs_most = 9;      // of a load factor whose runs do not decide; at least `runs`
};

// What the runs of a load factor tell. If both members are missing, the resolver was not
// overloaded.
struct FactorJudgement {
    std::optional<Overload> overload{};
    std::optional<Undecided> undecided{};
};

// Compares the runs with the baseline's, and returns what they tell.
//
// - Unanswered queries. The difference of their mean shares in the later part lies in an interval
//   with a probability of `confidence`. The resolver is overloaded if all of the interval is above
//   the margin, and not overloaded if all of it is within the margin. Otherwise it is undecided. If
//   both replays begin runs of the same number with the same slice, these runs are compared in
//   pairs.
// - Latency. The resolver is overloaded if the fastest run was slower than the baseline's slowest
//   run at three neighbouring points of the curve, all of a millisecond or more. Both replays must
//   have runs_with_bands.
[[nodiscard]] FactorJudgement judge_factor(const ReplayResult &baseline, const ReplayResult &loaded,
                                           std::uint32_t load_factor, double margin_percent,
                                           double confidence = 0.95);

// Returns the confidence that a comparison needs, so that at most one search of twenty makes a
// wrong comparison by chance. Holm's correction (Scandinavian Journal of Statistics 6, 1979) is for
// the load factors that a search can try; `overloads` of these were already found to be overload.
// Bonferroni's correction is for the numbers of runs after which a load factor is judged.
[[nodiscard]] double confidence_of(const LoadFactorPlan &plan, unsigned overloads);

// Returns the replay at a load factor with `runs` runs. Makes the runs that are missing.
using ReplayAt = std::function<ReplayResult(std::uint32_t load_factor, unsigned runs)>;

// Doubles the load factor, from the baseline at 1 on, until the resolver is overloaded or the plan
// ends. Then halves the distance to the highest factor without overload. If the runs of a factor do
// not decide, makes twice as many of the factor and of the baseline, up to the plan's most. Ends at
// a replay that is not complete, and at a factor that stays undecided. Throws what `make` throws.
[[nodiscard]] LoadFactorResult find_load_factor(const LoadFactorPlan &plan, const ReplayAt &make);

void fields(Fields &row, LoadFactorResult &result);
// Returns dnsgauge/load-factor/1. `replays` are the result's replays in JSON.
[[nodiscard]] nlohmann::ordered_json to_json(const LoadFactorResult &result,
                                             const std::vector<nlohmann::ordered_json> &replays);

// Returns one sentence: the highest load factor that the resolver bears, and what shows that it
// bears no more.
[[nodiscard]] std::string verdict_text(const LoadFactorResult &result);

} // namespace dnsgauge
