// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/wake_times.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace dnsgauge;

namespace
{

struct Sleeper {
    std::uint64_t wakes_ns = wakes_never;
    [[nodiscard]] static bool wakes_for_answer() { return true; }
};

} // namespace

TEST_CASE("connections are woken in the order of their latest times")
{
    constexpr std::uint64_t ms = 1'000'000;
    EventLoop loop;
    std::vector<Sleeper *> woken;
    std::uint64_t last_ns = 0;
    WakeTimes<Sleeper> *all = nullptr;
    WakeTimes<Sleeper> times(loop, [&] {
        last_ns = ktime_ns();
        while (Sleeper *const sleeper = all->take(last_ns))
            woken.push_back(sleeper);
        if (woken.size() == 2)
            loop.stop();
    });
    all = &times;
    if (GENERATE(false, true))
        times.be_exact();
    Sleeper first, second, unset;
    const std::uint64_t now = ktime_ns();
    times.set(first, now + 20 * ms);
    times.set(unset, now + ms);
    times.set(unset, wakes_never);
    times.set(second, now + ms);
    times.set(second, now + 40 * ms);
    loop.run();
    CHECK(woken == std::vector<Sleeper *>{&first, &second});
    CHECK(last_ns >= now + 40 * ms);
    CHECK(first.wakes_ns == wakes_never);
}
