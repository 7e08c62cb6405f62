// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/run_progress.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

TEST_CASE("the last second is one second, however late the looks come")
{
    const double late = GENERATE(-0.03, 0.0, 0.03);
    LastSecond last_second;
    for (int i = 1; i <= 30; i++) {
        const double elapsed = 0.2 * i + (i % 2 == 0 ? late : 0);
        const auto answered = static_cast<std::uint64_t>(1000 * elapsed);
        const RunProgress found = last_second.look(
            {.elapsed_s = elapsed, .sent = answered, .valid = answered, .wrong = 0});
        if (i > 5) {
            CHECK(found.elapsed_s == Approx(1).margin(0.1));
            CHECK(found.valid == Approx(1000).margin(100));
        }
    }
}

TEST_CASE("before a second has passed, the last second is all since the beginning")
{
    LastSecond last_second;
    CHECK(last_second.look({.elapsed_s = 0.2, .sent = 20, .valid = 15, .wrong = 1}).sent == 20);
    const RunProgress found =
        last_second.look({.elapsed_s = 0.4, .sent = 40, .valid = 30, .wrong = 2});
    CHECK(found.sent == 40);
    CHECK(found.valid == 30);
    CHECK(found.wrong == 2);
}
