// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Simulated trials at many rates, with stops of many lengths: which servers fail.
#include "support/simulated_trial.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdint>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;

TEST_CASE("a server that loses nothing of what is sent in time never fails")
{
    const std::uint64_t rate = GENERATE(1'000U, 10'000U, 25'000U, 100'000U, 500'000U, 1'000'000U);
    const double spare = GENERATE(1.05, 4.);
    const Nanoseconds length = GENERATE(0ms, 1ms, 3ms, 10ms, 20ms, 43ms, 60ms);
    const bool is_probed = GENERATE(false, true);
    const Nanoseconds duration = rate < 100'000 ? 2s : 300ms;
    INFO(rate << " queries/s, " << spare << ", " << length.count() << ", " << is_probed);
    const Simulated trial = simulate({.rate = Rate{rate},
                                      .duration = duration,
                                      .served = spare * static_cast<double>(rate),
                                      .tester_stops = stops_of(length, 120ms, duration),
                                      .hiccups = 250,
                                      .is_probed = is_probed});
    INFO(trial.why);
    CHECK(trial.verdict != Verdict::fail);
    CHECK((trial.queries.lost == 0) == (trial.verdict == Verdict::pass));
}

TEST_CASE("a server that loses 0.5 % of the queries fails, however often the Tester stands still")
{
    const std::uint64_t rate = GENERATE(10'000U, 100'000U, 500'000U);
    const Nanoseconds length = GENERATE(0ms, 1ms, 3ms, 10ms, 20ms, 43ms, 60ms);
    const unsigned hiccups = GENERATE(0U, 250U);
    const Nanoseconds duration = rate < 100'000 ? 2s : 300ms;
    INFO(rate << " queries/s, " << length.count() << ", " << hiccups);
    const Simulated trial = simulate({.rate = Rate{rate},
                                      .duration = duration,
                                      .served = 2 * static_cast<double>(rate),
                                      .loss = 0.005,
                                      .tester_stops = stops_of(length, 120ms, duration),
                                      .hiccups = hiccups});
    INFO(trial.why);
    CHECK(trial.verdict == Verdict::fail);
}

TEST_CASE("an overloaded server fails, however often the Tester stands still")
{
    const std::uint64_t rate = GENERATE(10'000U, 100'000U, 500'000U);
    const Nanoseconds length = GENERATE(0ms, 3ms, 43ms);
    const Nanoseconds duration = rate < 100'000 ? 2s : 500ms;
    const Simulated trial = simulate({.rate = Rate{rate},
                                      .duration = duration,
                                      .served = 0.95 * static_cast<double>(rate),
                                      .tester_stops = stops_of(length, 100ms, duration),
                                      .hiccups = 250});
    INFO(rate << " queries/s, " << length.count() << ": " << trial.why);
    CHECK(trial.verdict == Verdict::fail);
}
