// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/listening.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

// Returns when listening ends in a trial whose last query was sent at 5 s and whose timeout is 250
// ms. Until `decided`, `open` queries are open.
Nanoseconds end_of_listening(std::uint64_t open, Nanoseconds decided, bool wants_copies = true)
{
    const Listening listening(5s, 250ms, wants_copies);
    Nanoseconds now = 5s;
    for (;;) {
        const Nanoseconds rest = listening.rest(now, now < decided ? open : 0);
        if (rest <= 0s)
            return now;
        now += rest;
    }
}

} // namespace

TEST_CASE("nothing open: no longer than the timeout")
{
    CHECK(end_of_listening(0, 0s) == 5s + 250ms + Listening::drain_time);
    CHECK(end_of_listening(3, 5s + 100ms) == 5s + 250ms + Listening::drain_time);
}

TEST_CASE("queries open: until twice the timeout, or until the last one is decided")
{
    CHECK(end_of_listening(3, 1h) == 5s + 500ms + Listening::drain_time);
    const Nanoseconds end = end_of_listening(3, 5s + 400ms);
    CHECK(end >= 5s + 400ms);
    CHECK(end <= 5s + 400ms + Listening::look_interval);
}

TEST_CASE("no copies wanted: until the last query is decided, or until twice the timeout")
{
    const Nanoseconds end = end_of_listening(1, 5s + 3ms, false);
    CHECK(end >= 5s + 3ms);
    CHECK(end <= 5s + 3ms + Listening::look_interval);
    CHECK(end_of_listening(1, 1h, false) == 5s + 500ms + Listening::drain_time);
}

TEST_CASE("a lane that begins to listen when all is over does not wait")
{
    CHECK(Listening(5s, 250ms, true).rest(6s, 9) == 0s);
}
