// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A thread of its own prepares a change, and the server's thread takes it over.
#include "server/reload.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

using namespace dnsgauge;

TEST_CASE("what was prepared elsewhere is taken over here, the last one last")
{
    const std::thread::id here = std::this_thread::get_id();
    EventLoop loop;
    std::atomic<int> prepared{0};
    std::atomic<bool> is_elsewhere{true};
    int taken = 0;
    Reload reload(
        loop,
        [&]() -> Reload::Result {
            is_elsewhere = is_elsewhere && std::this_thread::get_id() != here;
            const int number = ++prepared;
            return [&, number] {
                CHECK(std::this_thread::get_id() == here);
                taken = number;
                if (number == 2)
                    loop.stop();
            };
        },
        [](const char *why) { FAIL(why); });
    reload.begin();
    reload.begin();
    reload.begin();
    loop.run();
    CHECK(prepared == 2);
    CHECK(taken == 2);
    CHECK(is_elsewhere);
}

TEST_CASE("what is refused is told here")
{
    EventLoop loop;
    std::string said;
    Reload reload(
        loop, []() -> Reload::Result { throw SetupError("no such zone"); },
        [&](const char *why) {
            said = why;
            loop.stop();
        });
    reload.begin();
    loop.run();
    CHECK(said == "no such zone");
}

TEST_CASE("and so is whatever else goes wrong, before or while it is taken over")
{
    EventLoop loop;
    std::string said;
    const auto refused = [&](const char *why) {
        said = why;
        loop.stop();
    };
    Reload before(
        loop, []() -> Reload::Result { throw std::runtime_error("no memory"); }, refused);
    before.begin();
    loop.run();
    CHECK(said == "no memory");
    Reload after(
        loop, []() -> Reload::Result { return [] { throw std::runtime_error("no interface"); }; },
        refused);
    after.begin();
    loop.run();
    CHECK(said == "no interface");
}
