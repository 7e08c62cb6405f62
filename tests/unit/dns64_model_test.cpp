// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/dns64_model.h"
#include "support/paper_tables.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;

namespace
{

std::vector<RateAtShares> paper_sweep(int number)
{
    const auto tables =
        read_paper_tables(std::string(DNSGAUGE_TEST_DATA) + "/paper_002_tables.tsv");
    const PaperTable &table = tables.at(number);
    std::vector<RateAtShares> points;
    for (std::size_t i = 0; i < table.columns(); i++)
        points.push_back({.cached = number == 7 ? table.value("cached", i) / 100 : 0,
                          .aaaa = number == 6 ? table.value("aaaa", i) / 100 : 0,
                          .rate = table.value("median", i)});
    return points;
}

// Returns the rates of a server that follows formula (6) exactly.
RateAtShares exact(double cached, double aaaa, double tc, double ta, double ts)
{
    return {cached, aaaa, 1 / (tc + (1 - cached) * (ta + (1 - aaaa) * (ta + ts)))};
}

const ModelTime &time_of(const Dns64Model &model, const std::string &name)
{
    const auto found = std::find_if(model.times.begin(), model.times.end(),
                                    [&name](const ModelTime &time) { return time.name == name; });
    REQUIRE(found != model.times.end());
    return *found;
}

void check_open(const Dns64Model &model, const std::string &name, const std::string &why)
{
    INFO(name);
    CHECK_FALSE(time_of(model, name).seconds);
    CHECK_THAT(time_of(model, name).why_not, Contains(why));
}

void check_time(const Dns64Model &model, const std::string &name, double seconds)
{
    INFO(name << " " << time_of(model, name).why_not);
    REQUIRE(time_of(model, name).seconds);
    CHECK(*time_of(model, name).seconds == Approx(seconds));
}

} // namespace

TEST_CASE("paper 002, Table 6: a sweep of the AAAA share tells two sums, not the three times")
{
    const std::vector<RateAtShares> points = paper_sweep(6);
    const Dns64Model model = fit_dns64_model(points);
    // 1 / R = a + b (1 - p4A)
    CHECK(*time_of(model, "TC + TA").seconds == Approx(1.678e-4).epsilon(3e-4));
    CHECK(*time_of(model, "TA + TS").seconds == Approx(1.041e-4).epsilon(5e-4));
    for (const char *name : {"TC", "TA", "TS", "2 TA + TS"})
        check_open(model, name, "not determined");
    CHECK(std::abs(model.worst_residual) <= 0.3);
    CHECK(model.notes.back() == "The model's rates are off by up to 0.3 %.");
    CHECK(model.fitted.at(0) == Approx(3677).margin(0.5));
    CHECK(model.fitted.at(5) == Approx(5959).margin(0.5));
}

TEST_CASE("paper 002, Table 7: a sweep of the cached share tells TC and one sum")
{
    const std::vector<RateAtShares> points = paper_sweep(7);
    const Dns64Model model = fit_dns64_model(points);
    CHECK(*time_of(model, "TC").seconds == Approx(2.99e-5).epsilon(1e-3));
    CHECK(*time_of(model, "2 TA + TS").seconds == Approx(2.433e-4).epsilon(3e-4));
    for (const char *name : {"TA", "TS", "TC + TA", "TA + TS"})
        check_open(model, name, "not determined");
    CHECK(model.worst_residual == Approx(4.40).margin(0.005));
    CHECK(model.fitted.at(4) == Approx(12733).margin(0.5));
}

TEST_CASE("paper 002, Tables 6 and 7 at once: TS comes out negative, and so is no number")
{
    std::vector<RateAtShares> points = paper_sweep(6);
    const std::vector<RateAtShares> cached = paper_sweep(7);
    points.insert(points.end(), cached.begin(), cached.end());
    const Dns64Model model = fit_dns64_model(points);
    check_open(model, "TS", "cannot be told from 0: without that bound the fit gives -3.");
    CHECK(time_of(model, "TC").seconds);
    CHECK(time_of(model, "TA").seconds);
    CHECK(*time_of(model, "TA + TS").seconds == Approx(*time_of(model, "TA").seconds));
    // The two sweeps also disagree on the rest.
    CHECK_THAT(model.notes.at(2), Contains("TS is taken as 0"));
    CHECK_THAT(model.notes.at(3), Contains("off by up to 8.0 %: it does not describe"));
}

TEST_CASE("a grid that follows the formula gives its times back")
{
    std::vector<RateAtShares> points;
    for (const double cached : {0.0, 0.2, 0.4, 0.6, 0.8, 1.0})
        for (const double aaaa : {0.0, 0.5, 1.0})
            points.push_back(exact(cached, aaaa, 3e-5, 1e-4, 2e-5));
    const Dns64Model model = fit_dns64_model(points);
    check_time(model, "TC", 3e-5);
    check_time(model, "TA", 1e-4);
    check_time(model, "TS", 2e-5);
    check_time(model, "TC + 2 TA + TS", 2.5e-4);
    CHECK(std::abs(model.worst_residual) < 1e-6);
    CHECK(*time_of(model, "TC").margin < 1e-12);
}

TEST_CASE("a time that the scatter of the points hides is no number")
{
    std::vector<RateAtShares> points;
    double scatter = 1.02;
    for (const double cached : {0.0, 0.25, 0.5, 0.75})
        for (const double aaaa : {0.0, 0.5, 1.0}) {
            points.push_back(exact(cached, aaaa, 3e-5, 1e-4, 1e-6));
            points.back().rate *= scatter;
            scatter = 2 - scatter;
        }
    check_open(fit_dns64_model(points), "TS", "cannot be told from 0");
}

TEST_CASE("two points give two sums without a margin")
{
    const std::vector<RateAtShares> points = {exact(0, 0, 3e-5, 1e-4, 2e-5),
                                              exact(1, 0, 3e-5, 1e-4, 2e-5)};
    const Dns64Model model = fit_dns64_model(points);
    check_time(model, "TC", 3e-5);
    check_time(model, "2 TA + TS", 2.2e-4);
    CHECK_FALSE(time_of(model, "TC").margin);
}

TEST_CASE("with TC a fifth of what a miss costs, all cached is twice as fast as 80 %")
{
    // Paper 002 section 7.4's example.
    const RateAtShares all = exact(1, 0, 0.2 * 2.2e-4, 1e-4, 2e-5);
    const RateAtShares most = exact(0.8, 0, 0.2 * 2.2e-4, 1e-4, 2e-5);
    CHECK(all.rate == Approx(2 * most.rate));
    check_time(fit_dns64_model(std::vector<RateAtShares>{all, most}), "TC", 0.2 * 2.2e-4);
}

TEST_CASE("points that tell nothing are refused")
{
    using Points = std::vector<RateAtShares>;
    CHECK_THROWS_AS(fit_dns64_model(Points{}), std::invalid_argument);
    CHECK_THROWS_AS(fit_dns64_model(Points{{0, 0, 100}}), std::invalid_argument);
    CHECK_THROWS_AS(fit_dns64_model(Points{{0, 0, 100}, {1, 0, 0}}), std::invalid_argument);
    CHECK_THROWS_AS(fit_dns64_model(Points{{0, 0, 100}, {20, 0, 100}}), std::invalid_argument);
    // With all names cached AAAA records make no difference.
    CHECK_THROWS_AS(fit_dns64_model(Points{{1, 0, 100}, {1, 1, 100}}), std::invalid_argument);
}
