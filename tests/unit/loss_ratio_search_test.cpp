// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Searches of simulated servers: against MLRsearch 1.2.1 (data/mlrsearch.py), and against the
// truth.
#include "mlr/loss_ratio_search.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>
#include <string>

using namespace dnsgauge;

namespace
{

using Random = std::mt19937_64;

// Returns the share of queries that a simulated server loses of a trial, before chance has its say.
using Losses = std::function<double(double load, double time, Random &random)>;

struct Found {
    std::vector<GoalResult> results;
    unsigned trials = 0;
    double time = 0; // seconds of trials
};

std::vector<LossGoal> goals(double width)
{
    std::vector<LossGoal> goals;
    for (const double ratio : {0.0, 0.0001, 0.001, 0.01})
        goals.push_back({.loss_ratio = ratio,
                         .exceed_ratio = 0.5,
                         .width = width,
                         .initial_duration = std::chrono::seconds(1),
                         .final_duration = std::chrono::seconds(60),
                         .duration_sum = std::chrono::seconds(120)});
    return goals;
}

// Returns how many queries are lost if each is lost with this probability, or just the mean.
double draw(double mean, Random *random)
{
    if (random == nullptr || mean <= 0)
        return std::round(std::max(mean, 0.0));
    if (mean < 1e5)
        return static_cast<double>(std::poisson_distribution<std::int64_t>(mean)(*random));
    return std::round(std::normal_distribution<>(mean, std::sqrt(mean))(*random));
}

Found search(const Losses &losses, std::vector<LossGoal> goals, Random *random)
{
    Random none;
    LossRatioSearch search(Rate{1000}, Rate{3'000'000}, std::move(goals));
    Found found;
    while (const std::optional<LossTurn> turn = search.next()) {
        REQUIRE(found.trials < 1000);
        const auto load = static_cast<double>(turn->load.per_second);
        const auto sent = static_cast<double>(queries_in(turn->load, turn->duration));
        const double share = losses(load, found.time, random != nullptr ? *random : none);
        const double lost = std::min(sent, draw(share * sent, random));
        search.feed({turn->load, turn->duration, lost / sent});
        found.trials++;
        found.time += seconds(turn->duration);
    }
    for (std::size_t i = 0; i < search.goals().size(); i++)
        found.results.push_back(search.result(i));
    return found;
}

double hard_limit(double load, double capacity)
{
    return load <= capacity ? 0 : 1 - capacity / load;
}

double soft_knee(double load, double capacity)
{
    return load <= capacity ? 0 : std::min(0.9, 0.05 * std::pow((load / capacity - 1) / 0.2, 2));
}

// The load at which a trial of a minute keeps the goal as often as not.
double truth(const std::function<double(double)> &losses, double loss_ratio)
{
    double low = 1000;
    double high = 3'000'000;
    for (int i = 0; i < 60; i++) {
        const double load = (low + high) / 2;
        const bool is_kept =
            loss_ratio == 0 ? losses(load) * load * 60 < std::log(2) : losses(load) <= loss_ratio;
        (is_kept ? low : high) = load;
    }
    return low;
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
    const nlohmann::json data = nlohmann::json::parse(file);
    double time = 0;
    double oracle_time = 0;
    for (const nlohmann::json &oracle : data.at("searches")) {
        const auto kind = oracle.at("server").get<std::string>();
        const auto capacity = oracle.at("capacity").get<double>();
        const auto losses = kind == "limit" ? hard_limit : soft_knee;
        const Found found = search([&](double load, double /*time*/,
                                       Random & /*random*/) { return losses(load, capacity); },
                                   goals(data.at("width")), nullptr);
        for (std::size_t i = 0; i < found.results.size(); i++) {
            INFO(kind << ' ' << capacity << ", goal " << i);
            const LoadBounds &ours = found.results[i].bounds;
            const nlohmann::json &theirs = oracle.at("bounds").at(i);
            REQUIRE(ours.lower);
            // Both intervals hold the same truth.
            CHECK(ours.upper.has_value() == !theirs.at(1).is_null());
            if (ours.upper)
                CHECK(holds(ours, theirs.at(0).get<double>(), theirs.at(1).get<double>()));
            CHECK(found.results[i].conditional_throughput ==
                  Approx(oracle.at("conditional_throughputs").at(i).get<double>()).epsilon(0.005));
        }
        time += found.time;
        oracle_time += oracle.at("seconds").get<double>();
    }
    CHECK(time <= 1.5 * oracle_time);
}

TEST_CASE("of 100 searches 95 find the truth, whatever the server")
{
    constexpr double capacity = 312'345;
    constexpr double drift = 0.002;
    struct Server {
        std::string name;
        Losses losses;
        std::function<double(double)> steady; // losses without drift and stalls
        double drift = 0;                     // share by which the truth moves
        std::size_t first_goal = 0;
    };
    const auto limited = [](double load) { return hard_limit(load, capacity); };
    const auto knee = [](double load) { return soft_knee(load, capacity); };
    const auto unlucky = [](double load) { return std::max(1e-6, hard_limit(load, capacity)); };
    const std::vector<Server> servers = {
        {"a hard limit", [&](double load, double, Random &) { return limited(load); }, limited},
        {"a soft knee", [&](double load, double, Random &) { return knee(load); }, knee},
        // No load keeps the first goal: each loses a query in a million.
        {"random loss", [&](double load, double, Random &) { return unlucky(load); }, unlucky, 0,
         1},
        {"drift",
         [](double load, double time, Random &) {
             return hard_limit(load, capacity * (1 + drift * std::sin(time / 600)));
         },
         limited, drift},
        {"a stall in 2 of 100 trials",
         [&](double load, double, Random &random) {
             return std::max(limited(load), std::bernoulli_distribution(0.02)(random) ? 0.05 : 0);
         },
         limited},
    };
    for (const Server &server : servers) {
        std::vector<unsigned> hits(4);
        for (unsigned seed = 0; seed < 100; seed++) {
            Random random(seed);
            const Found found = search(server.losses, goals(0.01), &random);
            for (std::size_t i = 0; i < hits.size(); i++) {
                const double its = truth(server.steady, goals(0.01)[i].loss_ratio);
                hits[i] += holds(found.results[i].bounds, its * (1 - server.drift),
                                 its * (1 + server.drift));
            }
        }
        for (std::size_t i = server.first_goal; i < hits.size(); i++) {
            INFO(server.name << ", goal " << i);
            CHECK(hits[i] >= 95);
        }
    }
}

TEST_CASE("four goals take less than an eighth of the time of four classic searches of twenty")
{
    const Found found =
        search([](double load, double, Random &) { return soft_knee(load, 312'345); }, goals(0.005),
               nullptr);
    // Each classic search halves the range until the interval is as narrow as ours.
    const double steps = std::ceil(std::log2((3'000'000 - 1000) / (312'345 * 0.005)));
    CHECK(found.time <= 4 * 20 * steps * 60 / 8);
}

TEST_CASE("a range that holds no bound ends at its end")
{
    const Found none = search([](double, double, Random &) { return 0.5; }, goals(0.01), nullptr);
    const Found all = search([](double, double, Random &) { return 0.0; }, goals(0.01), nullptr);
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
