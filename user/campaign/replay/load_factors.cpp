// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "replay/load_factors.h"

#include "stats/welch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace dnsgauge
{

namespace
{

// Returns the shares of the later part's queries that were not answered, in percent, of each run.
std::vector<double> unanswered_percent(const ReplayResult &replay)
{
    std::vector<double> shares;
    for (const ReplayRun &run : replay.runs)
        shares.push_back(100 - share_of(100, run.later.answered, run.later.sent));
    return shares;
}

double mean_of(const std::vector<double> &values)
{
    const double sum = std::accumulate(values.begin(), values.end(), 0.0);
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// The bands of fewer runs separate by chance: of three and three equal ones at one point in twenty.
bool has_bands(const ReplayResult &replay)
{
    return replay.runs.size() >= runs_with_bands;
}

// Returns the first of three neighbouring points at which the curves separate, the loaded one
// above; nothing where there are none. Below a millisecond a machine's noise separates curves.
std::optional<std::size_t> separation(const ReplayBands &baseline, const ReplayBands &loaded)
{
    constexpr double noise = 1e6; // nanoseconds
    constexpr std::size_t in_turn = 3;
    const std::size_t points = std::min(baseline.curve.size(), loaded.curve.size());
    std::size_t apart = 0;
    for (std::size_t at = 0; at < points; at++) {
        const Band &above = loaded.curve[at].rtt;
        apart = above.min >= noise && above.min > baseline.curve[at].rtt.max ? apart + 1 : 0;
        if (apart == in_turn)
            return at + 1 - in_turn;
    }
    return std::nullopt;
}

// Returns the next load factor to try; nothing when all is known.
std::optional<std::uint32_t> next_factor(const LoadFactorPlan &plan, const LoadFactorResult &known)
{
    if (known.factors.empty())
        return 1;
    const std::uint32_t low = *known.borne;
    if (!known.overload)
        return low < plan.most ? std::optional(low > plan.most / 2 ? plan.most : 2 * low)
                               : std::nullopt;
    const std::uint32_t high = known.overload->load_factor;
    return high - low > 1 ? std::optional(low + (high - low) / 2) : std::nullopt;
}

} // namespace

std::optional<Overload> overload_of(const ReplayResult &baseline, const ReplayResult &loaded,
                                    std::uint32_t load_factor, double margin_percent)
{
    const std::vector<double> before = unanswered_percent(baseline);
    const std::vector<double> now = unanswered_percent(loaded);
    const std::optional<DifferenceInterval> more = welch_interval(before, now);
    if (more && more->low > margin_percent)
        return Overload{load_factor, OverloadSign::unanswered,
                        fmt::format("{:.3f} % of the queries are not answered, at load factor 1 "
                                    "{:.3f} %: {:.3f} to {:.3f} % more (95 %), and {:g} % are "
                                    "allowed",
                                    mean_of(now), mean_of(before), more->low, more->high,
                                    margin_percent)};
    if (!has_bands(baseline) || !has_bands(loaded))
        return std::nullopt;
    const std::optional<std::size_t> at = separation(baseline.bands, loaded.bands);
    if (!at)
        return std::nullopt;
    const CurveBand &point = loaded.bands.curve[*at];
    constexpr double millisecond = 1e6;
    return Overload{load_factor, OverloadSign::latency,
                    fmt::format("the latency curves separate: the slowest {:.3g} % take at least "
                                "{:.3f} ms in every run, at load factor 1 at most {:.3f} ms in any",
                                100 * point.share, point.rtt.min / millisecond,
                                baseline.bands.curve[*at].rtt.max / millisecond)};
}

std::optional<Undecided> undecided_of(const ReplayResult &baseline, const ReplayResult &loaded,
                                      std::uint32_t load_factor, double margin_percent)
{
    const std::optional<DifferenceInterval> more =
        welch_interval(unanswered_percent(baseline), unanswered_percent(loaded));
    if (!more)
        return Undecided{load_factor, "a single run does not tell how much runs scatter"};
    if (more->high <= margin_percent || more->low > margin_percent)
        return std::nullopt;
    return Undecided{load_factor, fmt::format("{:.3f} to {:.3f} % more of the queries are not "
                                              "answered than at load factor 1 (95 %), and {:g} % "
                                              "are allowed",
                                              more->low, more->high, margin_percent)};
}

LoadFactorResult find_load_factor(const LoadFactorPlan &plan, const ReplayAt &make)
{
    LoadFactorResult result{.margin_percent = plan.margin_percent, .most = plan.most};
    while (const std::optional<std::uint32_t> factor = next_factor(plan, result)) {
        result.factors.push_back(*factor);
        result.replays.push_back(make(*factor));
        const ReplayResult &made = result.replays.back();
        result.end = made.end;
        if (made.end != TrialsEnd::complete)
            return result;
        std::optional<Overload> overload =
            overload_of(result.replays.front(), made, *factor, plan.margin_percent);
        // The baseline is what others are held against, however much it scatters.
        if (overload)
            result.overload = std::move(overload);
        else if (*factor > 1 && (result.undecided = undecided_of(result.replays.front(), made,
                                                                 *factor, plan.margin_percent)))
            return result;
        else
            result.borne = factor;
    }
    return result;
}

} // namespace dnsgauge
