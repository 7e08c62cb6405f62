// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/open_window.h"

#include "units/pace.h"
#include "workload/query.h"
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <map>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

static_assert(Schedule<OpenWindow>);

// When each query freed its place.
using Frees = std::map<std::uint32_t, std::int64_t>;

std::int64_t freed_at(const Frees &frees, std::uint32_t key)
{
    const auto at = frees.find(key);
    return at == frees.end() ? OpenWindow::never : at->second;
}

void look(OpenWindow &window, const Frees &frees)
{
    window.look([&](std::uint32_t key) { return freed_at(frees, key); });
}

WindowTally tally_of(const OpenWindow &window, std::int64_t now, const Frees &frees = {})
{
    return window.tally(now, [&](std::uint32_t key) { return freed_at(frees, key); });
}

// Opens all queries that are due at `now`, from `key` on. Returns how many there were.
std::uint32_t fill(OpenWindow &window, std::uint32_t key, std::int64_t now)
{
    std::uint32_t opened = 0;
    for (; window.due() <= now; opened++) {
        window.advance();
        window.open(key + opened, now);
    }
    return opened;
}

} // namespace

TEST_CASE("a window has as many open queries as places")
{
    OpenWindow window(3);
    CHECK(window.due() == 0);
    CHECK(fill(window, 0, 10) == 3);
    CHECK(window.due() == OpenWindow::never);
    look(window, {});
    CHECK(window.due() == OpenWindow::never);
}

TEST_CASE("the next query is due when a query freed its place, in any order")
{
    OpenWindow window(3);
    fill(window, 0, 0);
    look(window, {{1, 50}});
    CHECK(window.due() == 50);
    CHECK(fill(window, 3, 60) == 1);
    // A query frees its place once, however often the window looks.
    look(window, {{1, 50}});
    CHECK(window.due() == OpenWindow::never);
    look(window, {{3, 90}, {0, 95}, {2, 99}});
    CHECK(fill(window, 4, 100) == 3);
    CHECK(window.due() == OpenWindow::never);
}

TEST_CASE("a large window sees every query after some looks")
{
    constexpr std::uint32_t places = 1000;
    OpenWindow window(places);
    CHECK(fill(window, 0, 0) == places);
    std::uint32_t refilled = 0;
    for (int looks = 0; refilled < places && looks < 40; looks++) {
        window.look([](std::uint32_t key) { return key < places ? 5 : OpenWindow::never; });
        refilled += fill(window, places + refilled, 5);
    }
    CHECK(refilled == places);
}

TEST_CASE("a look ends as soon as enough places are free")
{
    OpenWindow window(5);
    CHECK(fill(window, 0, 0) == 5);
    int looks = 0;
    const auto freed_at = [&looks](std::uint32_t key) {
        looks++;
        return key == 0 ? OpenWindow::never : 7;
    };
    window.look(freed_at, 2);
    CHECK(looks == 3);
    window.look(freed_at, 2);
    CHECK(looks == 3);
    CHECK(fill(window, 5, 9) == 2);
}

TEST_CASE("a window with a rate has a gap between any two queries")
{
    OpenWindow window(2, 100ns);
    CHECK(fill(window, 0, 0) == 1);
    CHECK(window.due() == 100);
    CHECK(fill(window, 1, 150) == 1);
    look(window, {{0, 160}, {1, 500}});
    CHECK(window.due() == 200);
    CHECK(fill(window, 2, 200) == 1);
    // Time without a free place is no credit.
    CHECK(window.due() == 500);
    CHECK(fill(window, 3, 500) == 1);
    look(window, {{2, 510}});
    CHECK(window.due() == 600);
}

TEST_CASE("senders share the rate of a window")
{
    OpenWindow window = window_of(parse_pace("window=5,rate=1000"), 2);
    window.advance();
    window.open(0, 0);
    CHECK(window.due() == 2'000'001);
    OpenWindow free = window_of(parse_pace("window=5"), 2);
    free.advance();
    free.open(0, 0);
    CHECK(free.due() == 0);
}

TEST_CASE("a window tells for how long its places had no open query")
{
    OpenWindow window(2);
    fill(window, 0, 10); // 10 of each place
    look(window, {{0, 40}});
    fill(window, 2, 45); // 5 of one place
    look(window, {{1, 70}});
    const WindowTally tally = tally_of(window, 100); // 30 of the other one
    CHECK(tally.places == 2);
    CHECK(tally.open == 145ns);
    CHECK(tally.ran == 100ns);
    // Nobody looked since the query 2 freed its place, either.
    CHECK(tally_of(window, 100, {{2, 90}}).open == 135ns);
}
