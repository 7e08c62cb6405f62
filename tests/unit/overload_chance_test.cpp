// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hundreds of searches for the load factor of simulated resolvers: how often chance is called
// overload, and overload chance.
#include "series/replay/load_factors.h"
#include "series/replay/replay.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace dnsgauge;

namespace
{

// A resolver that more load does not trouble: each run loses `percent` of its queries on average
// and has an RTT of its own, and so have parts of its latency curve. Where `scatters`, runs differ
// by more than their counts make them.
class Untroubled
{
public:
    Untroubled(std::uint64_t seed, double percent, std::uint64_t queries, bool scatters)
        : random_(seed), percent_(percent), queries_(queries), scatters_(scatters)
    {
    }

    // The runs that were made stay.
    ReplayResult operator()(std::uint32_t factor, unsigned runs)
    {
        ReplayResult &result = made_[factor];
        while (result.rows.size() < runs)
            result.rows.push_back(run(queries_ * factor));
        result.bands = bands_of(result.rows);
        return result;
    }

private:
    TrialSummary run(std::uint64_t sent)
    {
        std::gamma_distribution<double> rates(4, percent_ / 4);
        const double percent = scatters_ ? rates(random_) : percent_;
        std::binomial_distribution<std::uint64_t> lost(sent, std::min(percent / 100, 1.0));
        std::lognormal_distribution<double> scale(0, 0.1);
        TrialSummary run;
        run.later = {.sent = sent, .answered = sent - lost(random_)};
        // Five points that are near each other differ together.
        const double of_all = scale(random_);
        double of_part = 1;
        for (std::size_t at = 0; at < 30; at++) {
            of_part = at % 5 == 0 ? scale(random_) : of_part;
            run.later.curve.points.push_back(
                {.share = std::pow(10, -0.1 * static_cast<double>(at)),
                 .rtt = static_cast<std::uint64_t>(5e6 * of_all * of_part) + at * 1'000'000});
        }
        return run;
    }

    std::mt19937_64 random_;
    double percent_;
    std::uint64_t queries_;
    bool scatters_;
    std::map<std::uint32_t, ReplayResult> made_;
};

} // namespace

TEST_CASE("chance is called overload in one search of twenty at most")
{
    constexpr std::uint64_t searches = 300;
    struct Kind {
        double percent;
        std::uint64_t queries;
        unsigned runs;
        double margin;
        bool scatters;
    };
    const Kind kind = GENERATE(Kind{0.1, 386, 2, 0, false}, Kind{0.1, 386, 9, 0, false},
                               Kind{0.02, 23'000, 9, 0, false}, Kind{0.3, 23'000, 9, 0.1, true},
                               Kind{0.3, 23'000, 3, 0.1, true}, Kind{5, 2'000, 7, 0, true});
    std::uint64_t by_counts = 0;
    std::uint64_t by_latency = 0;
    for (std::uint64_t seed = 0; seed < searches; seed++) {
        const LoadFactorPlan wanted{.most = 20,
                                    .margin_percent = kind.margin,
                                    .runs = kind.runs,
                                    .runs_most = 4 * kind.runs};
        const LoadFactorResult found =
            find_load_factor(wanted, Untroubled(seed, kind.percent, kind.queries, kind.scatters));
        if (found.overload)
            (found.overload->sign == OverloadSign::latency ? by_latency : by_counts)++;
    }
    CAPTURE(kind.percent, kind.queries, kind.runs, by_counts, by_latency);
    CHECK(by_counts + by_latency <= searches / 20);
}

TEST_CASE("overload is not called chance, and no resolver that loses more is said to bear it")
{
    std::mt19937_64 random(1);
    std::uint64_t told = 0;
    std::uint64_t missed = 0;
    constexpr std::uint64_t searches = 300;
    for (std::uint64_t seed = 0; seed < searches; seed++) {
        Untroubled below(seed, 0.3, 23'000, true);
        Untroubled above(seed + searches, 2, 23'000, true);
        const LoadFactorResult found = find_load_factor(
            {.most = 4, .runs = 9, .runs_most = 36}, [&](std::uint32_t factor, unsigned runs) {
                return factor < 3 ? below(factor, runs) : above(factor, runs);
            });
        missed += found.borne >= 3U ? 1 : 0;
        told += found.overload && found.overload->load_factor >= 3 ? 1 : 0;
    }
    CAPTURE(told, missed);
    CHECK(missed <= 8);
    CHECK(told > searches / 10);
}
