// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/selftest_rule.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace std::chrono_literals;

TEST_CASE("for r the Tester must do 2 r (1 + delta), rounded up")
{
    const SelftestRule rule;
    CHECK(rule.delta() == 0.1);
    // Paper 002 section 6.13: 1 Mqps asks for 2.2 Mqps; paper 000: 220 %.
    CHECK(rule.rate_for(Rate{1'000'000}) == Rate{2'200'000});
    CHECK(rule.rate_for(Rate{10}) == Rate{22});
    CHECK(rule.rate_for(Rate{1}) == Rate{3});
    CHECK(rule.rate_for(Rate{3}) == Rate{7});
    CHECK(rule.rate_for(Rate{5}) == Rate{11});
    // In 64 bits this would wrap.
    CHECK(rule.rate_for(Rate{10'000'000'000}) == Rate{22'000'000'000});
    CHECK(SelftestRule(10).rate_for(Rate{10'000'000'000'000}) == Rate{220'000'000'000'000});
}

TEST_CASE("delta is taken to six decimals")
{
    CHECK(SelftestRule(0.25).rate_for(Rate{1000}) == Rate{2500});
    CHECK(SelftestRule(0.123456).rate_for(Rate{1'000'000}) == Rate{2'246'912});
    CHECK(SelftestRule(0.1 + 0.2).delta() == 0.3);
}

TEST_CASE("it is never less than what RFC 8219 prints, 2 (r + delta)")
{
    const double delta = GENERATE(0.1, 0.5, 1.0);
    const SelftestRule rule(delta);
    CHECK(rule.printed_rate_for(Rate{1000}) == Approx(2000 + 2 * delta));
    for (std::uint64_t r = 1; r < 2000; r++) {
        CAPTURE(r);
        const Rate rate = rule.rate_for(Rate{r});
        REQUIRE(static_cast<double>(rate.per_second) >= rule.printed_rate_for(Rate{r}) - 1e-9);
        REQUIRE(static_cast<double>(rate.per_second) >=
                2.0 * static_cast<double>(r) * (1 + delta) - 1e-6);
        REQUIRE(static_cast<double>(rate.per_second) <
                2.0 * static_cast<double>(r) * (1 + delta) + 1);
        REQUIRE(rule.rate_for(Rate{r + 1}) > rate);
    }
}

TEST_CASE("FakeDNS has a quarter of the timeout")
{
    CHECK(SelftestRule::timeout_for(1s) == 250ms);
    CHECK(SelftestRule::timeout_for(250ms) == 62500us);
}
