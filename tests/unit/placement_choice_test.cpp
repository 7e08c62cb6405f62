// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

constexpr std::uint64_t resolution = 10;

// Returns the stage of a sender on CPUs 0, 1 and so on, whose searches found these rates.
PlacementStage chosen(const std::vector<std::vector<std::uint64_t>> &rates)
{
    PlacementStage stage{.part = "sender"};
    for (unsigned cpu = 0; cpu < rates.size(); cpu++)
        stage.walked.push_back({.sender_cpu = cpu, .rates = rates[cpu]});
    choose_best(stage, resolution);
    return stage;
}

// Returns the places of a machine with two sockets, each of two cores with two threads.
std::vector<CpuPlace> two_sockets()
{
    std::vector<CpuPlace> places;
    for (unsigned cpu = 0; cpu < 8; cpu++)
        places.push_back({.cpu = cpu,
                          .socket = cpu / 4,
                          .core = cpu / 2,
                          .l2 = cpu / 2,
                          .l3 = cpu / 4,
                          .node = cpu / 4});
    return places;
}

} // namespace

TEST_CASE("a placement is best if all its searches found more than all of the usual one's")
{
    const PlacementStage stage = chosen({{100, 90, 95}, {110, 130, 120}});
    CHECK(stage.best == 1);
    CHECK(stage.chosen().sender_cpu == 1);
    REQUIRE(stage.gain_percent);
    CHECK(*stage.gain_percent == Approx(100.0 * 25 / 95));
    CHECK_THAT(stage.found,
               Contains("found CPU 1 best: 26.3 % above CPU 0 (medians of 3 searches)"));
}

TEST_CASE("a difference within the spread is no difference")
{
    CHECK(chosen({{100, 90, 95}, {109, 200, 200}}).best == 0); // less than the resolution above 100
    CHECK(chosen({{100, 90, 211}, {120, 200, 210}}).best == 0);
    CHECK(chosen({{100, 100}, {100, 100}}).best == 0);
    CHECK(chosen({{100, 100}, {50, 60}}).best == 0);
    const PlacementStage stage = chosen({{100, 90, 95}, {99, 200, 200}});
    CHECK_FALSE(stage.gain_percent);
    CHECK_THAT(stage.found, Contains("found none better than CPU 0: its searches found 90 to 100"));
}

TEST_CASE("the best of several better placements has the highest median")
{
    CHECK(chosen({{100, 100, 100}, {110, 140, 150}, {120, 130, 160}}).best == 1);
    // One that is higher, but not beyond doubt, does not count.
    CHECK(chosen({{100, 100, 100}, {110, 140, 150}, {100, 200, 200}}).best == 1);
}

TEST_CASE("a usual placement that kept nothing is beaten by no percentage")
{
    const PlacementStage stage = chosen({{0, 0}, {100, 110}});
    CHECK(stage.best == 1);
    CHECK_FALSE(stage.gain_percent);
    CHECK_THAT(stage.found, Contains("found CPU 1 best: CPU 0 kept no rate"));
    CHECK_THAT(chosen({{7, 8}}).found, Contains("had no choice but CPU 0"));
}

TEST_CASE("interrupts try one CPU of each nearness to the sender's")
{
    const std::vector<CpuPlace> places = two_sockets();
    CHECK(one_of_each_nearness(0, places) == std::vector<unsigned>{0, 1, 2, 4});
    CHECK(one_of_each_nearness(5, places) == std::vector<unsigned>{5, 4, 6, 0});
    CHECK(one_of_each_nearness(0, {{.cpu = 0}}) == std::vector<unsigned>{0});
}

TEST_CASE("the sender tries a queue of each nearness that its own queue has not")
{
    const auto queues = [](unsigned cpu, unsigned usual, const std::map<unsigned, unsigned> &cpus) {
        return one_queue_of_each_nearness(cpu, usual, cpus, two_sockets());
    };
    const std::map<unsigned, unsigned> spread = {{0, 0}, {1, 2}, {2, 4}, {3, 6}};
    CHECK(queues(0, 0, spread) == std::vector<unsigned>{1, 2});
    CHECK(queues(5, 0, spread) == std::vector<unsigned>{2, 3});
    CHECK(queues(5, 3, spread) == std::vector<unsigned>{2, 0});
    CHECK(queues(0, 0, {{0, 7}, {1, 7}, {2, 7}}).empty());
    CHECK(queues(0, 0, {{1, 0}}) == std::vector<unsigned>{1}); // queue 0 has no interrupt
    CHECK(queues(0, 0, {{0, 0}, {1, 9}}).empty());             // the place of CPU 9 is unknown
}

TEST_CASE("a placement is named by whatever is not usual")
{
    CHECK(placement_name({.sender_cpu = 2}) == "CPU 2");
    CHECK(placement_name({.sender_cpu = 2, .sender_queue = 0}) == "CPU 2 with transmit queue 0");
    CHECK(placement_name({.sender_cpu = 2, .settings = {{"irq-cpus", "4"}}}) ==
          "CPU 2 with --irq-cpus 4");
    CHECK(placement_name({.sender_cpu = 2, .sender_queue = 3, .settings = {{"irq-cpus", "4"}}}) ==
          "CPU 2 with transmit queue 3 and --irq-cpus 4");
}

TEST_CASE("what a placement found best names the transmit queue")
{
    PlacementStage stage{.part = transmit_part,
                         .walked = {{.sender_cpu = 2, .rates = {100, 100}},
                                    {.sender_cpu = 2, .sender_queue = 3, .rates = {150, 150}}}};
    choose_best(stage, resolution);
    CHECK(stage.found ==
          "found CPU 2 with transmit queue 3 best: 50.0 % above CPU 2 (medians of 2 searches)");
}
