// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/load_factors.h"

#include "stats/welch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace dnsgauge
{

namespace
{

// Returns the unanswered queries in the later part of each run, for the first `most` runs. Leaves
// out runs that sent no query in that part.
std::vector<CountedShare> unanswered_of(const ReplayResult &replay, std::size_t most)
{
    std::vector<CountedShare> shares;
    for (std::size_t run = 0; run < std::min(most, replay.rows.size()); run++)
        if (const LaterPart &later = replay.rows[run].later; later.sent != 0)
            shares.push_back({.count = later.sent - later.answered, .all = later.sent});
    return shares;
}

// Returns the mean of the runs' shares, in percent.
double mean_percent(const std::vector<CountedShare> &runs)
{
    double sum = 0;
    for (const CountedShare &run : runs)
        sum += share_of(100, run.count, run.all);
    return runs.empty() ? 0 : sum / static_cast<double>(runs.size());
}

// Bands of fewer runs separate by chance. With three runs of each they do so at one point in
// twenty.
bool has_bands(const ReplayResult &replay)
{
    return replay.rows.size() >= runs_with_bands;
}

// Returns the first of three neighbouring points at which the loaded curve lies above the
// baseline's; nothing if there are none. Points below a millisecond do not count, because a
// machine's noise separates curves there.
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

// Returns how many load factors besides the baseline the search tries at most.
unsigned comparisons_most(std::uint32_t most)
{
    unsigned doubled = 0;
    unsigned worst = 1;
    for (std::uint32_t low = 1; low < most;) {
        const std::uint32_t high = low > most / 2 ? most : 2 * low;
        doubled++;
        worst = std::max(worst, doubled + static_cast<unsigned>(std::bit_width(high - low - 1)));
        low = high;
    }
    return worst;
}

// Returns the number of runs for the next look at a load factor; nothing if it has as many as it
// may have.
std::optional<unsigned> next_runs(const LoadFactorPlan &plan, unsigned runs)
{
    return runs < plan.runs_most ? std::optional(std::min(2 * runs, plan.runs_most)) : std::nullopt;
}

unsigned looks_most(const LoadFactorPlan &plan)
{
    unsigned looks = 1;
    for (std::optional<unsigned> runs = plan.runs; (runs = next_runs(plan, *runs));)
        looks++;
    return looks;
}

std::optional<Overload> latency_overload(const ReplayResult &baseline, const ReplayResult &loaded,
                                         std::uint32_t load_factor)
{
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

// Makes the replays of a search, and keeps the last replay of each load factor.
class Search
{
public:
    Search(const LoadFactorPlan &plan, const ReplayAt &make) : plan_(plan), make_(make)
    {
        found_.margin_percent = plan.margin_percent;
        found_.most = plan.most;
        found_.runs_most = plan.runs_most;
    }

    LoadFactorResult run()
    {
        while (const std::optional<std::uint32_t> factor = next_factor(plan_, found_))
            if (!try_factor(*factor))
                break;
        note_slices();
        return std::move(found_);
    }

private:
    // Returns whether the search goes on.
    bool try_factor(std::uint32_t factor)
    {
        found_.factors.push_back(factor);
        found_.replays.emplace_back();
        const std::size_t at = found_.factors.size() - 1;
        std::optional<Undecided> undecided;
        for (std::optional<unsigned> runs = plan_.runs; runs; runs = next_runs(plan_, *runs)) {
            if (!play(at, *runs))
                return false;
            // The baseline is not judged: the other load factors are compared with it.
            if (at == 0) {
                found_.borne = factor;
                return true;
            }
            if (found_.replays.front().rows.size() < *runs && !play(0, *runs))
                return false;
            FactorJudgement judged =
                judge_factor(found_.replays.front(), found_.replays[at], factor,
                             plan_.margin_percent, confidence_of(plan_, overloads_));
            undecided = std::move(judged.undecided);
            if (judged.overload) {
                overloads_++;
                found_.overload = std::move(judged.overload);
                return true;
            }
            if (!undecided) {
                found_.borne = factor;
                return true;
            }
        }
        found_.undecided = std::move(undecided);
        return false;
    }

    // Returns whether the replay is complete.
    bool play(std::size_t at, unsigned runs)
    {
        ReplayResult made = make_(found_.factors[at], runs);
        found_.end = made.end;
        found_.replays[at] = std::move(made);
        return found_.end == TrialsEnd::complete;
    }

    // Adds a doubt if the baseline, whose runs play one slice each, did not play all slices.
    void note_slices()
    {
        const ReplayResult &baseline = found_.replays.front();
        if (baseline.rows.size() < baseline.slices)
            found_.doubts.push_back(fmt::format(
                "the runs at load factor 1 play {} of the {} slices of the captures, and the runs "
                "at other load factors play others as well: {} runs play the same at each",
                baseline.rows.size(), baseline.slices, baseline.slices));
    }

    const LoadFactorPlan &plan_;
    const ReplayAt &make_;
    LoadFactorResult found_;
    unsigned overloads_ = 0; // load factors that were found to be too much
};

std::string factor_text(const LoadFactorResult &result)
{
    if (!result.borne)
        return "no load factor was tried to the end";
    const std::string latency =
        has_bands(result.replays.front())
            ? ""
            : fmt::format("; latency was not compared: that takes {} runs", runs_with_bands);
    const std::string open = result.end == TrialsEnd::complete ? "" : ", so far";
    if (result.undecided)
        return fmt::format(
            "highest load factor without overload: at least {}{}; the runs cannot "
            "tell at {}: {}: {}{}",
            *result.borne,
            result.overload ? fmt::format(", less than {}", result.overload->load_factor) : "",
            result.undecided->load_factor, result.undecided->why,
            result.runs_most == 1 ? "give --before-trial, which more than one run needs"
                                  : "allow more of them with --runs-most, and go on with --resume",
            latency);
    if (!result.overload)
        return fmt::format("highest load factor without overload{}: {} or more{}", open,
                           *result.borne, latency);
    return fmt::format("highest load factor without overload{}: {}; overloaded at {} by {}: {}{}",
                       open, *result.borne, result.overload->load_factor,
                       overload_signs.text_of(result.overload->sign), result.overload->why,
                       latency);
}

} // namespace

double confidence_of(const LoadFactorPlan &plan, unsigned overloads)
{
    constexpr double wrong_most = 0.05;
    const unsigned comparisons = comparisons_most(plan.most);
    const unsigned open = comparisons - std::min(overloads, comparisons - 1);
    return 1 - wrong_most / looks_most(plan) / open;
}

FactorJudgement judge_factor(const ReplayResult &baseline, const ReplayResult &loaded,
                             std::uint32_t load_factor, double margin_percent, double confidence)
{
    const std::size_t runs = std::min(baseline.rows.size(), loaded.rows.size());
    const std::vector<CountedShare> before = unanswered_of(baseline, runs);
    const std::vector<CountedShare> now = unanswered_of(loaded, runs);
    // Then runs of the same number begin with the same slice of the captures.
    const bool is_paired =
        baseline.slices != 0 && baseline.slices == loaded.slices && before.size() == now.size();
    const std::optional<DifferenceInterval> more = share_difference(
        before, now, confidence, is_paired ? Samples::paired : Samples::independent);
    FactorJudgement judged;
    if (more && 100 * more->low > margin_percent) {
        judged.overload = {
            load_factor, OverloadSign::unanswered,
            fmt::format(
                "{:.3f} % of the queries are not answered, at load factor 1 {:.3f} %: {:.3f} to "
                "{:.3f} % more (95 % over all comparisons), and {:g} % are allowed",
                mean_percent(now), mean_percent(before), 100 * more->low, 100 * more->high,
                margin_percent)};
        return judged;
    }
    judged.overload = latency_overload(baseline, loaded, load_factor);
    if (judged.overload)
        return judged;
    if (!more)
        judged.undecided = {load_factor, "a single run does not tell how much runs scatter"};
    else if (100 * more->high > margin_percent)
        judged.undecided = {load_factor,
                            fmt::format("{:.3f} to {:.3f} % more of the queries are not answered "
                                        "than at load factor 1 (95 % over all comparisons, {} "
                                        "runs), and {:g} % are allowed",
                                        100 * more->low, 100 * more->high, runs, margin_percent)};
    return judged;
}

LoadFactorResult find_load_factor(const LoadFactorPlan &plan, const ReplayAt &make)
{
    return Search(plan, make).run();
}

static void fields(Fields &row, Overload &overload)
{
    row("load_factor", overload.load_factor, "the load factor");
    row.word("sign", overload.sign, overload_signs,
             "unanswered: more queries than the margin allows were not answered, at all of the "
             "interval that holds 95 % over all comparisons of the search; latency: the latency "
             "curves separate, of 7 runs or more");
    row("why", overload.why, "the figures behind it");
}

static void fields(Fields &row, Undecided &undecided)
{
    row("load_factor", undecided.load_factor, "the load factor");
    row("why", undecided.why, "the figures behind it");
}

void fields(Fields &row, LoadFactorResult &result)
{
    row.form("load-factor",
             "The highest load factor that a resolver bears: replays at ever higher ones, against "
             "the one at 1. dnsgauge replay --find-load-factor writes it.");
    row.made("caveat", std::string(for_comparison_alone),
             "what the figures are good for: only comparison");
    row("margin_percent", result.margin_percent,
        "percent of the queries by which those not answered may exceed the baseline's",
        {.most = 100});
    row("most", result.most, "the highest load factor that was to be tried", newer);
    row("runs_most", result.runs_most,
        "the runs that a load factor could have; more than runs_wanted of the first replay were "
        "made where fewer did not tell",
        newer);
    row("load_factor", result.borne,
        "the highest load factor at which the resolver was not overloaded; where overload is "
        "null, a lower bound; null: none is known",
        {.least = 1});
    row.object("overload", result.overload,
               "the lowest load factor at which the resolver was overloaded; null: none was found");
    row.object("undecided", result.undecided,
               "the load factor that ended the search, as its runs scatter too much to tell "
               "whether the resolver was overloaded; null: there was none",
               newer);
    row("doubts", result.doubts, "what may have had a part in the load factor", newer);
    row.word("end", result.end, trials_ends, "how the search ended, as in a replay", newer);
    row("factors", result.factors, "the load factors that were tried, in their order");
    row.apart("replays", nlohmann::ordered_json::array(),
              {{"type", "array"}, {"items", reference("series.schema.json")}},
              "the replays at these load factors; one that had no run is left out");
}

nlohmann::ordered_json to_json(const LoadFactorResult &result,
                               const std::vector<nlohmann::ordered_json> &replays)
{
    nlohmann::ordered_json json = written(result);
    json["replays"] = replays;
    return json;
}

std::string verdict_text(const LoadFactorResult &result)
{
    std::string text = factor_text(result);
    for (const std::string &doubt : result.doubts)
        text += "; doubt: " + doubt;
    return text;
}

} // namespace dnsgauge
