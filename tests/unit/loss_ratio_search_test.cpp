// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Searches of simulated servers without chance, against MLRsearch 1.2.1 (data/mlrsearch.py).
// simulated_searches_test.cpp has searches with chance.
#include "series/mlr/loss_ratio_search.h"
#include "series/mlr/loss_search.h"
#include "support/scratch_directory.h"
#include "support/simulated_servers.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace dnsgauge;
using testing::goals;
using testing::hard_limit;
using testing::soft_knee;

namespace
{

struct Found {
    std::vector<GoalResult> results;
    unsigned trials = 0;
    double time = 0; // seconds of trials
};

// Searches a server that loses this share of its queries at a load.
Found search(const std::function<double(double load)> &losses, std::vector<LossGoal> goals)
{
    LossRatioSearch search(Rate{1000}, Rate{3'000'000}, std::move(goals));
    Found found;
    while (const std::optional<LossTurn> turn = search.next()) {
        REQUIRE(found.trials < 1000);
        const auto sent = static_cast<double>(queries_in(turn->load, turn->duration));
        const double lost = std::round(losses(static_cast<double>(turn->load.per_second)) * sent);
        search.feed({turn->load, turn->duration, lost / sent});
        found.trials++;
        found.time += seconds(turn->duration);
    }
    for (std::size_t i = 0; i < search.goals().size(); i++)
        found.results.push_back(search.result(i));
    return found;
}

bool holds(const LoadBounds &bounds, double least, double most)
{
    return bounds.lower && bounds.upper && static_cast<double>(bounds.lower->per_second) <= most &&
           least <= static_cast<double>(bounds.upper->per_second);
}

} // namespace

TEST_CASE("the search agrees with MLRsearch 1.2.1, in less than one and a half times its time")
{
    std::ifstream file(DNSGAUGE_TEST_DATA "/mlrsearch.json");
    const nlohmann::ordered_json data = nlohmann::ordered_json::parse(file);
    double time = 0;
    double oracle_time = 0;
    for (const nlohmann::ordered_json &oracle : data.at("searches")) {
        const auto kind = oracle.at("server").get<std::string>();
        const auto capacity = oracle.at("capacity").get<double>();
        const auto losses = kind == "limit" ? hard_limit : soft_knee;
        const Found found =
            search([&](double load) { return losses(load, capacity); }, goals(data.at("width")));
        for (std::size_t i = 0; i < found.results.size(); i++) {
            INFO(kind << ' ' << capacity << ", goal " << i);
            const LoadBounds &ours = found.results[i].bounds;
            const nlohmann::ordered_json &theirs = oracle.at("bounds").at(i);
            REQUIRE(ours.lower);
            // Both intervals hold the same truth.
            CHECK(ours.upper.has_value() == !theirs.at(1).is_null());
            if (ours.upper)
                CHECK(holds(ours, theirs.at(0).get<double>(), theirs.at(1).get<double>()));
            CHECK(found.results[i].conditional_throughput ==
                  Approx(oracle.at("conditional_throughputs").at(i).get<double>()).epsilon(0.005));
        }
        const auto theirs = oracle.at("seconds").get<double>();
        std::printf("%-6s at %-8.0f %5.0f s, MLRsearch %5.0f s\n", kind.c_str(), capacity,
                    found.time, theirs);
        time += found.time;
        oracle_time += theirs;
    }
    CHECK(time <= 1.5 * oracle_time);
}

TEST_CASE("a range that holds no bound ends at its end")
{
    const Found none = search([](double) { return 0.5; }, goals(0.01));
    const Found all = search([](double) { return 0.0; }, goals(0.01));
    for (std::size_t i = 0; i < 4; i++) {
        CHECK_FALSE(none.results[i].bounds.lower);
        CHECK(none.results[i].bounds.upper == Rate{1000});
        CHECK(none.results[i].conditional_throughput == 0);
        CHECK(all.results[i].bounds.lower == Rate{3'000'000});
        CHECK_FALSE(all.results[i].bounds.upper);
        CHECK(all.results[i].conditional_throughput == 3'000'000);
    }
}

TEST_CASE("a search that is fed the same trials is where it was")
{
    const auto fed = [](unsigned count) {
        LossRatioSearch search(Rate{1000}, Rate{3'000'000}, goals(0.005));
        for (unsigned i = 0; i < count && search.next(); i++) {
            const auto load = static_cast<double>(search.next()->load.per_second);
            search.feed({search.next()->load, search.next()->duration, soft_knee(load, 55'555)});
        }
        return search;
    };
    for (const unsigned count : {1U, 7U, 20U}) {
        const LossRatioSearch first = fed(count);
        const LossRatioSearch second = fed(count);
        REQUIRE(first.next());
        CHECK(first.next()->load == second.next()->load);
        CHECK(first.next()->duration == second.next()->duration);
    }
}

TEST_CASE("narrow loads end at whole rates")
{
    LossRatioSearch search(Rate{1}, Rate{5}, goals(0.005));
    while (search.next())
        search.feed({search.next()->load, search.next()->duration,
                     search.next()->load.per_second <= 3 ? 0.0 : 0.4});
    CHECK(search.result(0).bounds.lower == Rate{3});
    CHECK(search.result(0).bounds.upper == Rate{4});
}

TEST_CASE("a goal that contradicts itself is refused")
{
    LossGoal goal = goals(0.01)[0];
    CHECK_THROWS_AS(LossRatioSearch(Rate{2}, Rate{1}, {goal}), std::invalid_argument);
    CHECK_THROWS_AS(LossRatioSearch(Rate{1}, Rate{2}, {}), std::invalid_argument);
    goal.exceed_ratio = 1;
    CHECK_THROWS_AS(LossRatioSearch(Rate{1}, Rate{2}, {goal}), std::invalid_argument);
    goal = goals(0.01)[0];
    goal.duration_sum = std::chrono::seconds(1);
    CHECK_THROWS_AS(LossRatioSearch(Rate{1}, Rate{2}, {goal}), std::invalid_argument);
}

TEST_CASE("a search for loss ratios tells how its trials deviate, and that its length is a guess")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const Journal::Json header = {{"schema", "dnsgauge/series-journal/1"},
                                  {"kind", "loss-search"},
                                  {"setup", {{"host", "here"}}},
                                  {"options", Journal::Json::object()}};
    LossSearchRequest request;
    request.search.range = {Rate{1000}, Rate{2000}, 1};
    request.trial.tolerances.lateness = std::chrono::minutes(1);
    request.loss.duration_sum = 2 * request.trial.duration;
    bool is_guess = true;
    {
        Journal journal = Journal::create(path, header);
        const LossSearchResult made = run_series(request, journal, [&](const SearchPlace &place) {
            is_guess = is_guess && place.left.is_guess;
            TrialResult trial;
            trial.rate = place.turn.rate;
            trial.duration = place.turn.duration.value();
            trial.verdict = Verdict::pass;
            trial.queries.sent = trial.queries.valid = 1000;
            return std::optional(trial);
        });
        CHECK(made.end == TrialsEnd::complete);
    }
    CHECK(is_guess);
    Journal journal = Journal::resume(path, header);
    const std::atomic<bool> stop = false;
    const LossSearchResult told = make_series(request, journal, stop);
    CHECK(told.caveats.deviations ==
          std::vector<std::string>{"max-lateness of 60 s, not at most 0.05 s",
                                   "a Multiple Loss Ratio Search, not 20 binary searches"});
}

TEST_CASE("loads that cannot be offered bound the search like upper bounds")
{
    // Returns the search of a server with this limit, where only loads up to `offers` can be
    // offered.
    const auto search_up_to = [](double limit, std::uint64_t offers) {
        LossRatioSearch search(Rate{1000}, Rate{3'000'000}, goals(0.005));
        for (unsigned steps = 0; const std::optional<LossTurn> turn = search.next(); steps++) {
            REQUIRE(steps < 200);
            REQUIRE(search.outlook().trials >= 1);
            if (turn->load.per_second > offers)
                search.feed_not_offered();
            else
                search.feed({turn->load, turn->duration,
                             hard_limit(static_cast<double>(turn->load.per_second), limit)});
        }
        return search;
    };
    const LossRatioSearch limited = search_up_to(1e7, 40'000);
    REQUIRE(limited.not_offered());
    CHECK(*limited.not_offered() > Rate{40'000});
    for (std::size_t i = 0; i < limited.goals().size(); i++) {
        const LoadBounds bounds = limited.result(i).bounds;
        REQUIRE(bounds.lower);
        CHECK(*bounds.lower <= Rate{40'000});
        CHECK(static_cast<double>(bounds.lower->per_second) >= 40'000 / 1.006);
        CHECK(bounds.upper == limited.not_offered());
    }
    const LossRatioSearch found = search_up_to(20'000, 40'000);
    for (std::size_t i = 0; i < found.goals().size(); i++) {
        const LoadBounds bounds = found.result(i).bounds;
        CHECK(holds(bounds, 20'000, 20'300));
        CHECK(bounds.upper != found.not_offered());
    }
}
