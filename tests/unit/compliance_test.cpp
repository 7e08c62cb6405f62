// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/search/search.h"
#include "trial/compliance.h"

#include <catch2/catch.hpp>

#include <chrono>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

using Said = std::vector<std::string>;

TrialPlan compliant()
{
    TrialPlan plan;
    plan.server.is_ipv6 = true;
    plan.duration = 60s;
    plan.timeout = 1s;
    return plan;
}

SelftestCover cover(const std::string &why_not)
{
    SelftestCover cover;
    cover.why_not = why_not;
    return cover;
}

} // namespace

TEST_CASE("what RFC 8219 demands, and what is stricter, is no deviation")
{
    TrialPlan plan = compliant();
    CHECK(trial_deviations(plan).empty());
    CHECK(search_deviations({}, plan).empty());
    plan.duration = 600s;
    plan.timeout = 250ms;
    plan.tolerances = {.overrun_least = 1us, .lateness = 1us};
    CHECK(trial_deviations(plan).empty());
    SearchPlan search;
    search.repeat = 50;
    CHECK(search_deviations(search, plan).empty());
}

TEST_CASE("whatever else a trial is asked to be is said, with its value")
{
    TrialPlan plan = compliant();
    Said said;
    SECTION("less than all answered")
    {
        plan.accept_percent = 99.999999;
        said = {"accepts 99.999999 %"};
    }
    SECTION("catching up slowly")
    {
        plan.catch_up = 1.5;
        said = {"up to 1.5 times the rate after a stall, not a constant one"};
    }
    SECTION("on a machine that others use")
    {
        plan.tolerances.shared_machine = true;
        said = {"limits of a machine that others use (--shared-machine)"};
    }
    SECTION("short")
    {
        plan.duration = 59s;
        said = {"trials of 59 s, not 60 s"};
    }
    SECTION("patient")
    {
        plan.timeout = 2s;
        said = {"a timeout of 2 s, not at most 1 s"};
    }
    SECTION("late")
    {
        plan.tolerances.lateness = 100ms;
        said = {"max-lateness of 0.1 s, not at most 0.05 s"};
    }
    SECTION("slow")
    {
        plan.tolerances.overrun_least = 100ms;
        said = {"max-overrun of 0.1 s, not at most 0.001 s"};
    }
    SECTION("slower than a long trial may be anyway")
    {
        plan.duration = 1000s;
        plan.tolerances.overrun_least = 10ms;
        CHECK(trial_deviations(plan).empty());
        plan.tolerances.overrun_least = 11ms;
        said = {"max-overrun of 0.011 s, not at most 0.001 s"};
    }
    SECTION("another transport")
    {
        plan.transport = Transport::tcp;
        said = {"queries over TCP, not UDP"};
    }
    SECTION("TLS")
    {
        plan.transport = Transport::dot;
        said = {"queries over TLS, not UDP"};
    }
    SECTION("TLS whose secrets are written")
    {
        plan.transport = Transport::dot;
        plan.key_log = "keys";
        said = {"queries over TLS, not UDP",
                "the secrets of TLS written during the trial (--key-log)"};
    }
    SECTION("QUIC")
    {
        plan.transport = Transport::doq;
        said = {"queries over QUIC, not UDP"};
    }
    SECTION("asking twice")
    {
        give_part<ZoneNames>(plan.workload).allow_repeats = true;
        said = {"names may repeat within a trial"};
    }
    SECTION("the wrong way to a DNS64 server")
    {
        plan.server.is_ipv6 = false;
        CHECK(trial_deviations(plan).empty());
        plan.dut = Dut::dns64;
        said = {"IPv4 to the DNS64 server"};
    }
    CHECK(trial_deviations(plan) == said);
    CHECK(search_deviations({}, plan) == said);
}

TEST_CASE("RFC 8219 demands a self-test for a DNS64 server alone")
{
    TrialPlan plan = compliant();
    plan.selftest = cover("there was none");
    CHECK(trial_deviations(plan).empty());
    plan.dut = Dut::dns64;
    CHECK(trial_deviations(plan) == Said{"no self-test of the Tester covers it"});
    plan.selftest = cover("");
    CHECK(trial_deviations(plan).empty());
    plan.selftest->deviations = {"a failed trial was tried again, up to 5 times"};
    CHECK(trial_deviations(plan) == Said{"the Tester's self-test is not compliant itself"});
    // Nobody has looked for a self-test yet.
    plan.selftest.reset();
    CHECK(trial_deviations(plan).empty());
}

TEST_CASE("a search says what its trials are not, and then what it is not")
{
    TrialPlan plan = compliant();
    plan.accept_percent = 99.9;
    SearchPlan search;
    search.repeat = 4;
    search.confirm = 1;
    search.invalid_retries = 30;
    search.near_percent = 5;
    CHECK(search_deviations(search, plan) ==
          Said{"accepts 99.9 %", "4 searches, not 20",
               "a failed trial was tried again, up to 1 time",
               "searches began within 5 % of the first one's result",
               "an invalid trial was made again, up to 30 times"});
}

TEST_CASE("a self-test on a shared machine is on record with the limits that it bore")
{
    TrialPlan plan = compliant();
    CHECK(limits_of(plan).lateness == 50ms);
    CHECK(limits_of(plan).overrun_least == 1ms);
    plan.tolerances.shared_machine = true;
    plan.timeout = 2s;
    CHECK(limits_of(plan).lateness == 100ms);
    CHECK(limits_of(plan).overrun_least == 60ms);
    CHECK(limits_of(plan).others_percent == 25);
}
