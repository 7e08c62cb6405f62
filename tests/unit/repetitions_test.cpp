// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/repetitions.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

using namespace dnsgauge;

namespace
{

using Server = std::function<bool(const SearchTurn &)>;

TrialSummary trial(const SearchTurn &turn, bool passed)
{
    TrialSummary made;
    made.rate = turn.rate;
    made.verdict = passed ? Verdict::pass : Verdict::fail;
    made.sent = 1'000;
    made.valid = passed ? 1'000 : 999;
    return made;
}

Repetitions run(const SearchPlan &plan, const Server &passes)
{
    Repetitions repetitions(plan);
    while (const auto turn = repetitions.next())
        repetitions.feed(trial(*turn, passes(*turn)));
    return repetitions;
}

SearchPlan plan_of(unsigned repeat, unsigned confirm = 0)
{
    return {{Rate{1}, Rate{4'097}, 1}, repeat, confirm};
}

} // namespace

TEST_CASE(
    "the search is repeated as often as asked, and only the first tries the range's upper end")
{
    const Repetitions done =
        run(plan_of(5), [](const SearchTurn &turn) { return turn.rate <= Rate{1'234}; });
    REQUIRE(done.all().size() == 5);
    CHECK(done.state() == Bisection::State::found);
    for (const Repetition &repetition : done.all()) {
        CHECK(repetition.rate == Rate{1'234});
        CHECK(repetition.trials.size() == (&repetition == &done.all().front() ? 13 : 12));
        CHECK_FALSE(repetition.cap);
    }
    CHECK(done.trials_left() == 0);
}

TEST_CASE("the first trial is at the lower end of a range only if that is near the upper end")
{
    CHECK(Repetitions(plan_of(1)).next()->rate == Rate{4'097});
    CHECK(Repetitions({{Rate{64}, Rate{4'097}, 1}, 1, 0}).next()->rate == Rate{64});
    CHECK(Repetitions({{Rate{1}, Rate{8}, 1}, 1, 0}).next()->rate == Rate{1});
}

TEST_CASE("a far lower end that fails is found out, too")
{
    const Repetitions done = run(plan_of(1), [](const SearchTurn & /*any*/) { return false; });
    CHECK(done.state() == Bisection::State::below_range);
}

TEST_CASE("turns count repetitions and their trials from 1, and an invalid trial is no turn")
{
    Repetitions repetitions(plan_of(2));
    unsigned made = 0;
    while (const auto turn = repetitions.next()) {
        TrialSummary bad = trial(*turn, true);
        bad.verdict = Verdict::invalid;
        const std::uint64_t left = repetitions.trials_left();
        repetitions.feed(bad);
        const auto again = repetitions.next();
        REQUIRE(again);
        CHECK(again->rate == turn->rate);
        CHECK(again->trial == turn->trial);
        CHECK(again->repetition == turn->repetition);
        CHECK(repetitions.trials_left() == left);
        CHECK(turn->repetition == (made < 13 ? 1 : 2));
        CHECK(turn->trial == made % 13 + 1);
        repetitions.feed(trial(*turn, turn->rate <= Rate{77}));
        made++;
    }
    CHECK(made == 25);
}

TEST_CASE("one unlucky early trial caps a search, which is marked with it")
{
    const Repetitions done = run(plan_of(3), [](const SearchTurn &turn) {
        const bool unlucky = turn.repetition == 2 && turn.trial == 1;
        return turn.rate <= Rate{3'000} && !unlucky;
    });
    CHECK(done.all()[0].rate == Rate{3'000});
    CHECK_FALSE(done.all()[0].cap);
    CHECK(done.all()[1].rate == Rate{2'048});
    REQUIRE(done.all()[1].cap);
    CHECK(done.all()[1].cap->trial == 0);
    CHECK(done.all()[1].cap->passed_behind_it == 11);
    CHECK_FALSE(done.all()[2].cap);
}

TEST_CASE("five passes behind a failure are no mark, six are")
{
    // 2049 passes; then trials fail, up to the one after which all pass.
    const unsigned passes = GENERATE(5U, 6U);
    const Repetitions done = run(plan_of(2), [passes](const SearchTurn &turn) {
        if (turn.repetition == 1)
            return turn.rate <= Rate{100};
        return turn.trial > 12 - passes;
    });
    CHECK(done.all()[1].trials.size() == 12);
    CHECK(done.all()[1].cap.has_value() == (passes == 6));
    if (passes == 6)
        CHECK(done.all()[1].cap->trial == 5);
}

TEST_CASE("with confirmations the unlucky trial is tried again, and no longer caps")
{
    const auto server = [](const SearchTurn &turn) {
        return turn.rate <= Rate{3'000} && (turn.repetition != 2 || turn.trial != 1);
    };
    const Repetitions done = run(plan_of(2, 1), server);
    CHECK(done.all()[1].rate == Rate{3'000});
    CHECK_FALSE(done.all()[1].cap);
    CHECK(done.all()[1].trials.size() > 13);
}

TEST_CASE("a cap that was confirmed names the trial that decided it")
{
    const Repetitions done = run(plan_of(2, 1), [](const SearchTurn &turn) {
        return turn.rate <= Rate{3'000} && (turn.repetition != 2 || turn.trial > 2);
    });
    CHECK(done.all()[1].rate == Rate{2'048});
    REQUIRE(done.all()[1].cap);
    CHECK(done.all()[1].cap->trial == 1);
}

TEST_CASE("a server that is gone, or a range that is wrong, ends it all")
{
    const Repetitions gone = run(plan_of(3), [](const SearchTurn &turn) {
        return turn.repetition == 1 && turn.rate <= Rate{9};
    });
    CHECK(gone.state() == Bisection::State::below_range);
    CHECK(gone.all().size() == 2);
    CHECK_FALSE(gone.all()[1].rate);
    const Repetitions idle = run(plan_of(3), [](const SearchTurn &) { return true; });
    CHECK(idle.state() == Bisection::State::above_range);
    CHECK(idle.all()[0].trials.size() == 1);
}

TEST_CASE("there are never more trials than planned for")
{
    const SearchPlan plan = plan_of(4, 2);
    std::uint64_t made = 0;
    const Repetitions done = run(plan, [&made](const SearchTurn &turn) {
        made++;
        return turn.rate < Rate{2} && turn.trial % 3 == 0;
    });
    CHECK(done.state() == Bisection::State::found);
    CHECK(made <= Repetitions::most_trials(plan));
}

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
        const Repetitions done = run(plan, [&](const SearchTurn &turn) {
            if (turn.repetition != repetition)
                limit = server.limit * (1 + server.drift * shift(random));
            repetition = turn.repetition;
            trials++;
            const auto rate = static_cast<double>(turn.rate.per_second);
            const double passes = server.knee > 0
                                      ? 1 / (1 + std::exp((rate - limit) / (server.knee * limit)))
                                      : (rate <= limit ? 1.0 : 0.0);
            return share(random) >= server.stall && share(random) < passes;
        });
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

TEST_CASE("searches that begin near the first one's result end where the others do")
{
    SearchPlan plan = plan_of(3);
    plan.near_percent = 10;
    // The limit leaves the part where the second search begins, downwards, and then upwards.
    const std::vector<std::uint64_t> limits = {1'000, 300, 4'000};
    const Repetitions done = run(plan, [&](const SearchTurn &turn) {
        return turn.rate.per_second <= limits.at(turn.repetition - 1);
    });
    REQUIRE(done.all().size() == 3);
    for (std::size_t i = 0; i < limits.size(); i++)
        CHECK(done.all()[i].rate == Rate{limits[i]});
    CHECK(done.all()[1].trials.front().rate == Rate{900});
    CHECK(done.all()[2].trials[1].rate == Rate{1'100});
    const Repetitions same =
        run(plan, [](const SearchTurn &turn) { return turn.rate <= Rate{1'000}; });
    CHECK(same.all()[1].trials.size() == 9);
    CHECK(same.all()[2].rate == Rate{1'000});
}

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
            // Of 400 independent pairs the correlation is within 0.25 of zero but once in a
            // million.
            CHECK(std::abs(found.correlation) < 0.25);
        }
    }
}
