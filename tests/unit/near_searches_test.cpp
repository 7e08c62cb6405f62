// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// 20 searches of simulated servers, the later ones from near the first one's result, beside 20 that
// each begin anew. Prints the table of user/series/search/README.md.
#include "series/search/repetitions.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using namespace dnsgauge;

namespace
{

// A server whose trial at a rate passes by chance: `knee` is the width of the part, as a share of
// the limit, in which both verdicts come.
struct RandomServer {
    double knee = 0;        // 0: every trial up to the limit passes, none above it
    double drift = 0;       // standard deviation of the limit from search to search, a share of it
    double stall = 0;       // share of the trials that fail at any rate
    double limit = 312'345; // queries per second
};

// What 20 searches of a simulated server show, on average over many seeds.
struct Simulated {
    double trials = 0;
    double median = 0;      // of the results, percent of the limit
    double dispersion = 0;  // percent of the median, from the least to the greatest result
    double correlation = 0; // of the first and the second result, over the seeds
};

double correlation_of(const std::vector<double> &one, const std::vector<double> &other)
{
    const auto mean = [](const std::vector<double> &values) {
        double sum = 0;
        for (const double value : values)
            sum += value;
        return sum / static_cast<double>(values.size());
    };
    const double mean_one = mean(one);
    const double mean_other = mean(other);
    double squares_one = 0;
    double squares_other = 0;
    double products = 0;
    for (std::size_t i = 0; i < one.size(); i++) {
        squares_one += (one[i] - mean_one) * (one[i] - mean_one);
        squares_other += (other[i] - mean_other) * (other[i] - mean_other);
        products += (one[i] - mean_one) * (other[i] - mean_other);
    }
    const double both = std::sqrt(squares_one * squares_other);
    return both > 0 ? products / both : 0;
}

Simulated simulate(const RandomServer &server, double near_percent)
{
    constexpr unsigned seeds = 400;
    SearchPlan plan{{Rate{1'000}, Rate{3'000'000}, 1}, 20};
    plan.near_percent = near_percent;
    Simulated mean;
    std::vector<double> first;
    std::vector<double> second;
    for (unsigned seed = 0; seed < seeds; seed++) {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> share(0, 1);
        std::normal_distribution<double> shift(0, 1);
        double limit = server.limit;
        unsigned repetition = 0;
        unsigned trials = 0;
        const auto passes = [&](const SearchTurn &turn) {
            if (turn.repetition != repetition)
                limit = server.limit * (1 + server.drift * shift(random));
            repetition = turn.repetition;
            trials++;
            const auto rate = static_cast<double>(turn.rate.per_second);
            const double chance = server.knee > 0
                                      ? 1 / (1 + std::exp((rate - limit) / (server.knee * limit)))
                                      : (rate <= limit ? 1.0 : 0.0);
            return share(random) >= server.stall && share(random) < chance;
        };
        Repetitions done(plan);
        while (const auto turn = done.next()) {
            TrialSummary trial;
            trial.rate = turn->rate;
            trial.sent = 1'000;
            const bool passed = passes(*turn);
            trial.verdict = passed ? Verdict::pass : Verdict::fail;
            trial.valid = passed ? 1'000 : 999;
            done.feed(trial);
        }
        std::vector<double> results;
        for (const Repetition &one : done.all())
            results.push_back(one.rate ? static_cast<double>(one.rate->per_second) : 0);
        first.push_back(results.at(0));
        second.push_back(results.at(1));
        std::ranges::sort(results);
        const double median = (results[9] + results[10]) / 2;
        mean.trials += trials;
        mean.median += 100 * median / server.limit;
        mean.dispersion += 100 * (results.back() - results.front()) / median;
    }
    for (double *sum : {&mean.trials, &mean.median, &mean.dispersion})
        *sum /= seeds;
    mean.correlation = correlation_of(first, second);
    return mean;
}

} // namespace

TEST_CASE("what it saves to begin near the first result, and what it changes")
{
    struct Case {
        const char *name;
        RandomServer server;
    };
    const std::vector<Case> cases = {{"hard limit", {}},
                                     {"drift of 0.5 %", {.drift = 0.005}},
                                     {"knee of 0.2 %", {.knee = 0.002}},
                                     {"knee of 1 %", {.knee = 0.01}},
                                     {"knee of 5 %", {.knee = 0.05}},
                                     {"1 of 100 trials stalls", {.stall = 0.01}}};
    std::printf("%-24s %9s %9s %9s %11s %12s\n", "server", "near %", "trials", "median %",
                "dispersion", "correlation");
    for (const Case &one : cases) {
        const Simulated whole = simulate(one.server, 0);
        for (const double near : {0.0, 10.0, 2.0, 0.2}) {
            const Simulated found = near > 0 ? simulate(one.server, near) : whole;
            std::printf("%-24s %9g %9.1f %9.3f %11.3f %12.3f\n", one.name, near, found.trials,
                        found.median, found.dispersion, found.correlation);
            if (near != 10)
                continue;
            CAPTURE(one.name);
            CHECK(found.trials < 0.93 * whole.trials);
            CHECK(std::abs(found.median - whole.median) < 0.6);
            // The correlation of 400 independent pairs is within 0.25 of zero but once in a
            // million.
            CHECK(std::abs(found.correlation) < 0.25);
        }
    }
}
