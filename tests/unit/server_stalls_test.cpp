// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/attribution.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr Nanoseconds start = 1000s;

absence from_start(Nanoseconds begin, Nanoseconds end, Nanoseconds away)
{
    absence one{};
    one.begin_ns = static_cast<__u64>((start + begin).count());
    one.end_ns = static_cast<__u64>((start + end).count());
    one.away_ns = static_cast<__u64>(away.count());
    return one;
}

CpuUse use_of(unsigned cpu, Nanoseconds server_ran)
{
    CpuUse use;
    use.cpu = cpu;
    use.server_ran = server_ran;
    return use;
}

} // namespace

TEST_CASE("absences are stalls of the server, by the trial's schedule")
{
    const std::vector<Stall> stalls = server_stalls(
        {from_start(2s, 2s + 31ms, 30ms), from_start(-9ms, 5ms, 14ms), from_start(-9ms, -1ms, 8ms)},
        start);
    REQUIRE(stalls.size() == 2);
    CHECK(stalls[0].since == -9ms);
    CHECK(stalls[0].until == 5ms);
    CHECK(stalls[1].who == Stalled::server);
    CHECK(stalls[1].since == 2s);
    CHECK(stalls[1].until == 2s + 31ms);
    CHECK(stalls[1].longest == 30ms);
    CHECK(stalls[1].burst == 0);
    CHECK(stalls[1].stalls == 1);
}

TEST_CASE("absences that overlap are one stall")
{
    const std::vector<Stall> stalls =
        unite_overlapping(server_stalls({from_start(8ms, 14ms, 6ms), from_start(1ms, 10ms, 9ms),
                                         from_start(20ms, 22ms, 2ms), from_start(2ms, 3ms, 1ms)},
                                        start));
    REQUIRE(stalls.size() == 2);
    CHECK(stalls[0].since == 1ms);
    CHECK(stalls[0].until == 14ms);
    CHECK(stalls[0].longest == 9ms);
    CHECK(stalls[0].stalls == 1);
    CHECK(stalls[1].since == 20ms);
    CHECK(unite_overlapping({}).empty());
}

TEST_CASE("a CPU that ran the server tells its longest absence")
{
    absence one = from_start(0s, 4ms, 3ms);
    one.process = 17;
    std::string("make\x1b").copy(one.name, sizeof one.name);
    std::vector<CpuUse> cpus{use_of(0, 0s), use_of(1, 1s), use_of(2, 1s), use_of(3, 1s)};
    take_longest(cpus, {{0, one}, {1, one}, {2, absence{}}});
    CHECK_FALSE(cpus[0].absence); // it only sends
    REQUIRE(cpus[1].absence);
    CHECK(cpus[1].absence->longest == 3ms);
    CHECK(cpus[1].absence->process == 17);
    CHECK(cpus[1].absence->name == "make?");
    REQUIRE(cpus[2].absence);
    CHECK(cpus[2].absence->longest == 0s);
    CHECK(cpus[2].absence->name.empty());
    CHECK_FALSE(cpus[3].absence); // nobody watched it
}
