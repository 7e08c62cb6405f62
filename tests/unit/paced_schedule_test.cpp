// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

SchedulePlan plan_of(const std::string &pace, Rate rate, Nanoseconds duration)
{
    const Pace read = parse_pace(pace);
    if (read.has_rates())
        return SchedulePlan::of_rates(read, duration);
    return {.pace = read, .rate = rate, .duration = duration};
}

std::vector<std::int64_t> times_of(const SchedulePlan &plan, std::uint64_t first = 0,
                                   std::uint64_t stride = 1)
{
    std::vector<std::int64_t> times;
    for (PacedSchedule schedule(plan, first, stride); schedule.due() != never; schedule.advance())
        times.push_back(schedule.due());
    return times;
}

} // namespace

TEST_CASE("a schedule has the plan's queries, in order, within the duration")
{
    const std::string pace =
        GENERATE("poisson", "poisson=99", "steps=1000:9000:1000", "steps=900:300:77", "steps=3:3:1",
                 "ramp=1:90000", "ramp=5000:5001");
    const SchedulePlan plan = plan_of(pace, Rate{20'000}, 1500ms);
    const std::vector<std::int64_t> times = times_of(plan);
    CHECK(times.size() == plan.queries());
    CHECK(std::ranges::is_sorted(times));
    CHECK(times.front() >= 0);
    CHECK(times.back() <= Nanoseconds(1500ms).count());
}

TEST_CASE("senders share one schedule: together they send each query when it is due")
{
    const std::string pace = GENERATE("poisson=5", "steps=1000:5000:1000", "ramp=100:7000");
    const SchedulePlan plan = plan_of(pace, Rate{3001}, 1s);
    const std::vector<std::int64_t> whole = times_of(plan);
    for (std::uint64_t senders = 2; senders <= 5; senders++)
        for (std::uint64_t sender = 0; sender < senders; sender++) {
            const std::vector<std::int64_t> part = times_of(plan, sender, senders);
            REQUIRE(part.size() == (whole.size() - sender + senders - 1) / senders);
            for (std::size_t i = 0; i < part.size(); i++)
                REQUIRE(part[i] == whole[sender + i * senders]);
        }
}

TEST_CASE("steps are constant rates, one after the other, exact to the nanosecond")
{
    const std::vector<std::int64_t> times =
        times_of(plan_of("steps=3:7:4", Rate{}, 2s)); // 3/s for a second, and then 7/s
    REQUIRE(times.size() == 10);
    for (std::size_t i = 0; i < 3; i++)
        CHECK(times[i] == due_at(Rate{3}, i).count());
    for (std::size_t i = 0; i < 7; i++)
        CHECK(times[3 + i] == 1'000'000'000 + due_at(Rate{7}, i).count());
}

TEST_CASE("the times of a Poisson pace follow from the seed")
{
    const auto times = [](const char *pace) { return times_of(plan_of(pace, Rate{1000}, 1s)); };
    CHECK(times("poisson=7") == times("poisson=7"));
    CHECK(times("poisson=7") != times("poisson=8"));
}

// Limits are four standard errors or more from what is expected; the seed is fixed.
TEST_CASE("gaps of a Poisson pace are exponential, and counts in equal times are Poisson's")
{
    constexpr std::uint64_t rate = 200'000;
    const std::vector<std::int64_t> times = times_of(plan_of("poisson=11", Rate{rate}, 1s));
    REQUIRE(times.size() == rate);
    constexpr double mean = 1e9 / static_cast<double>(rate);
    double squares = 0;
    std::size_t above_mean = 0;
    std::size_t above_three = 0;
    for (std::size_t i = 1; i < times.size(); i++) {
        const auto gap = static_cast<double>(times[i] - times[i - 1]);
        squares += gap * gap;
        above_mean += gap > mean ? 1 : 0;
        above_three += gap > 3 * mean ? 1 : 0;
    }
    const auto n = static_cast<double>(times.size());
    CHECK(squares / n / (mean * mean) == Approx(2).epsilon(0.02));
    CHECK(static_cast<double>(above_mean) / n == Approx(std::exp(-1)).epsilon(0.012));
    CHECK(static_cast<double>(above_three) / n == Approx(std::exp(-3)).epsilon(0.04));

    std::vector<double> counts(1000);
    for (const std::int64_t time : times)
        counts.at(static_cast<std::size_t>(std::min<std::int64_t>(time / 1'000'000, 999)))++;
    double variance = 0;
    for (const double count : counts)
        variance += (count - 200) * (count - 200) / 1000;
    CHECK(variance / 200 == Approx(1).epsilon(0.18));
}
