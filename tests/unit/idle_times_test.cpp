// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/idle_times.h"

#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <map>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("idle times are read from the text that they are written as")
{
    for (const char *text : {"0", "10", "0.25", "12345.678", "0=40,10=35,30=25", "0.5=1,2=99"})
        CHECK(to_string(parse_idle_times(text)) == text);
    CHECK(parse_idle_times("2.5").of(7) == 2500ms);
    CHECK(to_string(parse_idle_times("10=100")) == "10");
}

TEST_CASE("every hundred clients have exact shares of the times")
{
    const IdleTimes times = parse_idle_times("0=40,10=35,30=25");
    for (std::uint32_t begin = 0; begin < 1000; begin += 100) {
        std::map<Nanoseconds, int> clients;
        for (std::uint32_t client = begin; client < begin + 100; client++)
            clients[times.of(client)]++;
        CHECK(clients == std::map<Nanoseconds, int>{{0s, 40}, {10s, 35}, {30s, 25}});
    }
}

TEST_CASE("what are no idle times is refused with the form that they have")
{
    for (const char *text : {"0=40", "0=40,10=61", "0=40,10=0,20=60", "0=40,10", "0=101", "=100",
                             "0=1,1=1,2=1,3=1,4=1,5=1,6=1,7=1,8=1,9=1,10=1,11=1,12=1,13=1,14=1,15="
                             "1,16=84"})
        CHECK_THROWS_AS(parse_idle_times(text), SetupError);
    CHECK_THROWS_WITH(parse_idle_times("0=40,10=61"), Contains("write 10, in seconds, or 0=40"));
    for (const char *text : {"", "x", "-1", "86401", "nan"})
        CHECK_THROWS_WITH(parse_idle_times(text), Contains("must be seconds, 0 to 86400"));
}
