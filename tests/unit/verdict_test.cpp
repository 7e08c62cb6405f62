// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/verdict.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

// A trial in which nothing went wrong.
TrialResult good_trial()
{
    TrialResult result;
    result.rate = Rate{10'000};
    result.duration = 10s;
    result.queries.sent = 100'000;
    result.queries.valid = 100'000;
    result.sending.duration = 10s;
    result.sending.achieved_rate = 10'000;
    return result;
}

void lose(TrialResult &result, std::uint64_t queries)
{
    result.queries.valid -= queries;
    result.queries.lost += queries;
}

Verdict judged(TrialResult &result, const TrialEnd &end = {})
{
    judge_trial(result, Tolerances{}, end);
    return result.verdict;
}

} // namespace

TEST_CASE("all answered is a pass, one lost is a fail that says so")
{
    TrialResult result = good_trial();
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
    CHECK_THAT(result.why, Contains("1 of 100000") && Contains("1 lost"));
}

TEST_CASE("less than all can be accepted, to the query")
{
    TrialResult result = good_trial();
    result.accept_percent = 99.99;
    lose(result, 10);
    CHECK(judged(result) == Verdict::pass);
    lose(result, 1);
    CHECK(judged(result) == Verdict::fail);
}

TEST_CASE("what the Tester did wrong makes a trial invalid, whatever the server did")
{
    TrialResult result = good_trial();
    if (GENERATE(false, true))
        lose(result, 5);
    TrialEnd end;
    bool is_limit = true;
    SECTION("interrupted")
    {
        is_limit = false;
        end.interrupted = true;
        // Then these say nothing.
        result.sending.lateness_max = 50'000'001;
    }
    SECTION("the link failed")
    {
        is_limit = false;
        end.link_failed = true;
    }
    SECTION("the next hop has another address")
    {
        is_limit = false;
        end.next_hop_moved = true;
    }
    SECTION("a sender ran on other CPUs than it was to")
    {
        is_limit = false;
        end.not_pinned_to = 0;
    }
    SECTION("the per-query file lacks records")
    {
        is_limit = false;
        end.not_logged = 1;
    }
    SECTION("the per-query file could not be written")
    {
        is_limit = false;
        end.log_failed = true;
    }
    SECTION("queries were not sent")
    {
        result.own_losses.unsent = 1;
    }
    SECTION("AF_XDP refused queries")
    {
        result.own_losses.invalid_descriptors = 1;
    }
    SECTION("a slot was used again early")
    {
        result.own_losses.recycled_early = 1;
    }
    SECTION("the interface dropped queries")
    {
        lose(result, 1);
        result.own_losses.interface_sending = 1;
    }
    SECTION("sending took too long")
    {
        result.sending.duration = 10s + 1001us;
    }
    SECTION("a query was too late")
    {
        result.sending.lateness_max = 50'000'001;
    }
    SECTION("the driver kept a query for too long")
    {
        result.sending.driver_lag = 50'000'001;
    }
    SECTION("the counts do not add up")
    {
        is_limit = false;
        result.queries.valid++;
    }
    CHECK(judged(result, end) == Verdict::invalid);
    CHECK_FALSE(result.why.empty());
    CHECK(result.tester_was_limit == is_limit);
}

TEST_CASE("what is within the tolerances changes nothing")
{
    TrialResult result = good_trial();
    result.sending.duration = 10s + 1ms;
    result.sending.lateness_max = 50'000'000;
    result.sending.driver_lag = 50'000'000;
    CHECK(judged(result) == Verdict::pass);
    // A long trial may be later at its end: 1.00001 of its duration.
    result.duration = 200s;
    result.sending.duration = 200s + 2ms;
    CHECK(judged(result) == Verdict::pass);
    result.sending.duration = 200s + 2001us;
    CHECK(judged(result) == Verdict::invalid);
}

TEST_CASE("what our own side dropped was no query where all were answered")
{
    TrialResult result = good_trial();
    result.own_losses.interface_sending = 3;
    CHECK(judged(result) == Verdict::pass);
}

TEST_CASE("replies that our own side dropped excuse the server, but do not spoil a pass")
{
    TrialResult result = good_trial();
    result.own_losses.interface_receiving = 3;
    CHECK(judged(result) == Verdict::pass);
    lose(result, 3);
    CHECK(judged(result) == Verdict::invalid);
    CHECK_THAT(result.why, Contains("dropped 3 received packets"));
    CHECK(result.tester_was_limit);
}
