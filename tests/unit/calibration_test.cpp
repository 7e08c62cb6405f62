// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/calibration.h"
#include "calibrate/checks.h"
#include "calibrate/judgement.h"
#include "record/certificate.h"
#include "result/labels.h"
#include "support/scratch_directory.h"
#include "trial/verdict.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace
{

const CalibrationLimits limits;

// Queries that arrive on time, from any moment on.
std::vector<std::uint64_t> punctual(Rate rate, std::uint64_t queries)
{
    std::vector<std::uint64_t> times;
    for (std::uint64_t i = 0; i < queries; i++)
        times.push_back(5'000'000'000 + static_cast<std::uint64_t>(due_at(rate, i).count()));
    return times;
}

PacingCheck pacing(const std::vector<std::uint64_t> &arrivals, Rate rate)
{
    PacingCheck check;
    check.rate = rate;
    check.planned = check.sent = arrivals.size();
    check.seen = pacing_of(arrivals, rate);
    return check;
}

DelayCheck held(Nanoseconds delay)
{
    DelayCheck check;
    check.rate = Rate{1000};
    check.delay = delay;
    check.sent = check.valid = 1000;
    check.rtt.min = static_cast<std::uint64_t>(delay.count()) + 20'000;
    return check;
}

DelayCheck at_once(Rate rate, std::uint64_t least)
{
    DelayCheck check;
    check.rate = rate;
    check.is_held = false;
    check.sent = check.valid = 1000;
    check.rtt.min = least;
    return check;
}

CalibrationResult trusted()
{
    CalibrationResult result;
    result.finished = "2026-11-21T15:00:00Z";
    result.setup.interface = "eth1";
    result.setup.version = "0.1.0";
    result.setup.options = {{"busy_poll", false}};
    result.allowed = Rate{1000};
    result.kept = Rate{2200};
    result.counting.push_back({.rate = Rate{10}, .classes = {{"sent", 10, 10}, {"lost", 1, 1}}});
    result.at_once = {at_once(Rate{1000}, 9'400), at_once(Rate{50'000}, 2'400)};
    result.delays = {held(0ns), held(1ms)};
    result.pacing.push_back(pacing(punctual(Rate{1000}, 100), Rate{1000}));
    return result;
}

std::string write(const ScratchDirectory &scratch, const CalibrationResult &result)
{
    const std::string path = scratch.file("record");
    write_file(path, to_json(result).dump(2) + "\n");
    return path;
}

} // namespace

TEST_CASE("a punctual Tester has no lateness, no bursts and no error of rate")
{
    const Rate rate = GENERATE(Rate{1}, Rate{3}, Rate{1000}, Rate{333'333});
    const PacingFigures figures = pacing_of(punctual(rate, 1000), rate);
    CHECK(figures.arrived == 1000);
    CHECK(figures.disordered == 0);
    CHECK(figures.lateness.max == 0);
    CHECK(figures.burst_share == 0);
    CHECK(figures.span_error == 0);
    CHECK(figures.rate_error == 0);
    CHECK(figures.gap_max - figures.gap_min <= 1);
    CHECK_FALSE(judge(pacing(punctual(rate, 1000), rate), limits));
}

TEST_CASE("a stall is lateness, and what follows it a burst")
{
    const Rate rate{1000};
    auto arrivals = punctual(rate, 1000);
    // Queries 500 to 509 leave when 509 is due.
    for (std::size_t i = 500; i < 509; i++)
        arrivals[i] = arrivals[509] - (509 - i) * 100;
    const PacingFigures figures = pacing_of(arrivals, rate);
    CHECK(figures.lateness.p50 == 0);
    CHECK(figures.lateness.p99 == 0);
    CHECK(figures.lateness.max == 9'000'000 - 900);
    CHECK(figures.gap_min == 100);
    CHECK(figures.gap_max == 10'000'000 - 900);
    CHECK(figures.burst_share == Approx(9.0 / 999));
    CHECK(figures.span_error == 0);

    CalibrationLimits strict = limits;
    CHECK_FALSE(judge(pacing(arrivals, rate), strict));
    strict.lateness = 5ms;
    const auto doubt = judge(pacing(arrivals, rate), strict);
    REQUIRE(doubt);
    CHECK(doubt->figure == "lateness_ns");
    CHECK_THAT(doubt->why, Contains("at 1000 queries/s one query arrived 8999.1 us behind"));
}

TEST_CASE("a Tester that is always late is found by one query in a hundred")
{
    auto arrivals = punctual(Rate{1000}, 1000);
    for (std::size_t i = 0; i < 500; i++)
        arrivals[i * 2] += 1'500'000;
    const PacingFigures figures = pacing_of(arrivals, Rate{1000});
    CHECK(figures.lateness.p99 == 1'500'000);
    CHECK(figures.disordered == 500);
    const auto doubt = judge(pacing(arrivals, Rate{1000}), limits);
    REQUIRE(doubt);
}

TEST_CASE("another rate than asked for is an error of the whole trial")
{
    const auto doubt = judge(pacing(punctual(Rate{990}, 1000), Rate{1000}), limits);
    REQUIRE(doubt);
    CHECK(doubt->figure == "achieved_rate");
    CHECK_THAT(doubt->why, Contains("us longer than the rate asks"));
    CHECK_THAT(judge(pacing(punctual(Rate{1010}, 1000), Rate{1000}), limits).value().why,
               Contains("is 9891.1 us shorter than the rate asks"));
    const PacingFigures figures = pacing_of(punctual(Rate{990}, 1000), Rate{1000});
    CHECK(figures.rate_error == Approx(-0.01));
}

TEST_CASE("what did not arrive was not sent")
{
    auto arrivals = punctual(Rate{1000}, 1000);
    arrivals[7] = 0;
    CHECK(pacing_of(arrivals, Rate{1000}).arrived == 999);
    const auto doubt = judge(pacing(arrivals, Rate{1000}), limits);
    REQUIRE(doubt);
    CHECK(doubt->figure == "sent");
    CHECK_THAT(doubt->why, Contains("it sent 1000 of 1000 queries: 999 of them arrived"));

    PacingCheck twice = pacing(punctual(Rate{1000}, 10), Rate{1000});
    twice.repeated = 1;
    CHECK(judge(twice, limits));
    PacingCheck few = pacing(punctual(Rate{1000}, 10), Rate{1000});
    few.planned = 11;
    CHECK(judge(few, limits));
    CHECK(pacing_of(std::vector<std::uint64_t>(5), Rate{1}).arrived == 0);
    CHECK(pacing_of(std::vector<std::uint64_t>{7}, Rate{1}).arrived == 1);
}

TEST_CASE("every class is to be as predicted, to the query")
{
    CountingCheck check{.rate = Rate{5000},
                        .classes = {{"sent", 100, 100}, {"late", 3, 3}, {"lost", 2, 2}}};
    CHECK_FALSE(judge(check));
    check.classes[1].counted = 2;
    check.classes[2].counted = 3;
    const auto doubt = judge(check);
    REQUIRE(doubt);
    CHECK(doubt->figure == "counts");
    CHECK(doubt->why ==
          "at 5000 queries/s the Tester counted late 2 instead of 3, lost 3 instead of 2");
}

TEST_CASE("an RTT is neither shorter than the delay nor much longer")
{
    DelayCheck check = held(10ms);
    CHECK_FALSE(judge_delay(check, limits));
    SECTION("shorter")
    {
        check.rtt.min = 9'999'999;
        check.bias = -20'001;
        CHECK_THAT(judge_delay(check, limits).value().why,
                   Contains("the shortest RTT is 10000.0 us"));
    }
    SECTION("longer")
    {
        check.bias = 500'001;
        CHECK_THAT(judge_delay(check, limits).value().why, Contains("differs by 500.0 us"));
        check.bias = 500'000;
        CHECK_FALSE(judge_delay(check, limits));
    }
    SECTION("not valid")
    {
        check.valid = 999;
        CHECK_THAT(judge_delay(check, limits).value().why, Contains("999 of 1000 are valid"));
    }
    SECTION("nothing was sent")
    {
        check.sent = check.valid = 0;
        CHECK(judge_delay(check, limits));
    }
}

TEST_CASE("the edge of the timeout")
{
    DelayCheck check = held(245ms);
    CHECK_FALSE(judge_before_edge(check));
    CHECK(judge_behind_edge(check));
    // FakeDNS itself may be late.
    check.valid = 900;
    check.late = 100;
    CHECK_FALSE(judge_before_edge(check));
    check.valid = 899;
    CHECK(judge_before_edge(check));
    check.late = 101;
    CHECK(judge_before_edge(check));
    // FakeDNS is never early.
    check.valid = 0;
    check.late = 900;
    CHECK_FALSE(judge_behind_edge(check));
    check.valid = 1;
    CHECK(judge_behind_edge(check));
    check.valid = 0;
    check.late = 899;
    CHECK(judge_behind_edge(check));
    CHECK(judge_before_edge(DelayCheck{}));
    CHECK(judge_behind_edge(DelayCheck{}));
}

namespace
{

// A check by two Testers, each of which found the same.
template <class Check>
Check by_two(Check check)
{
    check.testers = {{0, "alpha", check}, {1, "beta", check}};
    return check;
}

std::optional<Doubt> judge_counting(const CountingCheck &check)
{
    return judge(check);
}

} // namespace

TEST_CASE("a doubt names the Testers, of several, that leave it")
{
    CountingCheck counting =
        by_two(CountingCheck{.rate = Rate{500}, .classes = {{"late", 3, 3}, {"lost", 2, 2}}});
    const auto judged = [&counting] { return judge_testers(counting, judge_counting); };
    CHECK_FALSE(judged());
    SECTION("one")
    {
        counting.testers[1].found.classes[0].counted = 4;
        // What another one lacks hides it from the sum.
        CHECK_FALSE(judge(counting));
        const auto doubt = judged();
        REQUIRE(doubt);
        CHECK(doubt->figure == "counts");
        CHECK(doubt->why ==
              "Tester 1 (beta): at 500 queries/s the Tester counted late 4 instead of 3");
        CHECK(doubt->testers == std::vector{1U});
    }
    SECTION("two")
    {
        counting.testers[0].found.classes[1].counted = 1;
        counting.testers[1].found.classes[1].counted = 3;
        CHECK_THAT(judged().value().why, Catch::StartsWith("Tester 0 (alpha): at 500 ") &&
                                             Contains("lost 1 instead of 2; Tester 1 (beta): at"));
        CHECK(judged()->testers == std::vector{0U, 1U});
    }
    SECTION("none alone")
    {
        counting.classes[0].counted = 4;
        CHECK_THAT(judged().value().why, Catch::StartsWith("at 500 queries/s the Tester counted"));
        CHECK(judged()->testers.empty());
    }
}

TEST_CASE("the bias is the worst Tester's")
{
    const DelayCheck not_held = by_two(held(0ns));
    DelayCheck check = by_two(held(1ms));
    check.testers[1].found.rtt.min -= 15'000;
    set_bias(check, not_held);
    CHECK(check.testers[0].found.bias == 0);
    CHECK(check.testers[1].found.bias == -15'000);
    CHECK(check.bias == -15'000);
    check.testers[0].found.rtt.min += 700'000;
    set_bias(check, not_held);
    CHECK(check.bias == 700'000);
    const auto doubt =
        judge_testers(check, [](const DelayCheck &one) { return judge_delay(one, limits); });
    REQUIRE(doubt);
    CHECK_THAT(doubt->why, Catch::StartsWith("Tester 0 (alpha): when FakeDNS holds replies for "
                                             "1000.0 us, the shortest RTT differs by 700.0 us"));
    CHECK(doubt->testers == std::vector{0U});
    // One alone.
    DelayCheck alone = held(1ms);
    alone.rtt.min += 300;
    set_bias(alone, held(0ns));
    CHECK(alone.bias == 300);
    CHECK_FALSE(alone.error);
}

TEST_CASE("bias and error count from what the first check's RTTs have beyond its delay")
{
    CalibrationResult result = trusted();
    result.delays = {held(100us), held(1ms)};
    DelayCheck &first = result.delays.front();
    DelayCheck &check = result.delays.back();
    first.excess = RttExcess{.p50 = 25'000, .p99 = 40'000};
    check.excess = RttExcess{.p50 = 28'000, .p99 = 41'000};
    check.rtt.min += 2'000;
    set_bias(first, first);
    set_bias(check, first);
    CHECK(first.bias == 0);
    CHECK(check.bias == 2'000);
    CHECK(first.error.value().p50 == 0);
    CHECK(check.error.value().p50 == 3'000);
    CHECK(check.error.value().p99 == 16'000);
    CHECK(result.rtt_added() == 25'000);
    const Json rtt = to_json(result)["rtt"];
    CHECK(rtt["added_ns"] == 25'000);
    CHECK(rtt["tls_added_ns"].is_null());
    CHECK(rtt["delays"][1]["error_ns"] == Json{{"p50", 3'000}, {"p99", 16'000}});
    CHECK(rtt["at_once"][0]["error_ns"].is_null());
    CHECK_THAT(to_text(result), Contains("The baseline is 20.0 us: ") &&
                                    Contains("sending add 25.0 us to each RTT"));
    result.tcp_adds = 21'000;
    CHECK(to_json(result)["rtt"]["tls_added_ns"] == 4'000);
    CHECK(to_json(result)["rtt"]["http_added_ns"].is_null());
    CHECK_THAT(to_text(result), Contains("TLS adds 4.0 us of these"));
    result.tls_adds = 22'500;
    CHECK(to_json(result)["rtt"]["tls_added_ns"] == 1'500);
    CHECK(to_json(result)["rtt"]["http_added_ns"] == 2'500);
    CHECK_THAT(to_text(result), Contains("TLS adds 1.5 us and HTTP 2.5 us of these"));
    CHECK(to_json(result)["rtt"]["quic_added_ns"].is_null());
    result.tcp_adds_instead = 20'000;
    CHECK(to_json(result)["rtt"]["quic_added_ns"] == 5'000);
    CHECK_THAT(to_text(result), Contains("QUIC adds 5.0 us more than TCP."));
}

TEST_CASE("a calibration of several Testers has a row of each")
{
    CalibrationResult result = trusted();
    CHECK_THAT(to_text(result), !Contains("By Tester"));
    CHECK_THAT(to_json(result).dump(), !Contains("\"rank\""));
    result.counting[0] = by_two(result.counting[0]);
    for (DelayCheck *check :
         {&result.at_once[0], &result.at_once[1], &result.delays[0], &result.delays[1]})
        *check = by_two(*check);
    for (DelayCheck *check : {&result.delays[0], &result.delays[1]})
        set_bias(*check, result.delays[0]);
    result.delays[1].testers[1].found.bias = -4200;
    result.counting[0].testers[1].found.classes[1].counted = 2;
    result.doubts = {judge_testers(result.counting[0], judge_counting).value()};
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("By Tester") &&
                         Catch::Matches("[^]*\n0 \\(alpha\\) +10 +0 +2.4 us +0 ns .* nothing\n"
                                        "1 \\(beta\\) +10 +1 +2.4 us +-4.2 us .* counts\n[^]*"));
    const Json json = to_json(result);
    CHECK(json["doubts"][0]["testers"] == Json{1});
    CHECK(json["counting"][0]["testers"][1]["host"] == "beta");
    CHECK(json["counting"][0]["testers"][1]["counted"]["lost"] == 2);
    CHECK(json["counting"][0]["testers"][1]["predicted"]["lost"] == 1);
    const Json &one = json["rtt"]["delays"][1]["testers"][1];
    CHECK(one["rank"] == 1);
    CHECK(one["rtt_min_ns"] == 1'020'000);
    CHECK(one["bias_ns"] == -4200);
}

TEST_CASE("where no reply was valid the text has no RTT")
{
    CalibrationResult result;
    result.delays = {DelayCheck{}};
    result.at_once = {at_once(Rate{1000}, 0)};
    result.at_once[0].valid = 0;
    result.delays[0].delay = result.before_edge.delay = result.behind_edge.delay = 1ms;
    CHECK_THAT(to_text(result), Contains("at once") && !Contains("0 ns") &&
                                    !Contains("The floor") && !Contains("The baseline"));
    CHECK(to_json(result)["rtt"]["floor_ns"].is_null());
    CHECK_THAT(judge_at_once(result.at_once[0]).value().why,
               Contains("at 1000 queries/s none of 1000 replies"));
    CHECK_FALSE(judge_at_once(at_once(Rate{1000}, 2'400)));
}

TEST_CASE("a certificate without doubts covers its set-up up to its rate")
{
    const ScratchDirectory scratch;
    const CalibrationResult result = trusted();
    const std::string path = write(scratch, result);
    const CertificateCover cover = look_up_certificate(path, result.setup, Rate{1000});
    CHECK(cover.covers());
    CHECK(certificate_text(cover) == "certificate of 2026-11-21T15:00:00Z (" + path + ")");
    CHECK_THAT(look_up_certificate(path, result.setup, Rate{1001}).why_not,
               Contains("up to 1000 queries/s, not 1001"));
    TesterSetup other = result.setup;
    other.options = {{"busy_poll", true}};
    CHECK_THAT(look_up_certificate(path, other, Rate{1}).why_not,
               Contains("another set-up: busy_poll was false"));
    CHECK_THAT(look_up_certificate(scratch.file("none"), result.setup, Rate{1}).why_not,
               Contains("there was no calibration on this set-up"));
    CHECK(certificate_path(result.setup) != certificate_path(other));
    CHECK_THAT(certificate_path(result.setup), Contains("/calibration-eth1-"));
}

TEST_CASE("the floor is the smallest RTT of replies sent at once, at any rate, and held ones have "
          "no part")
{
    const ScratchDirectory scratch;
    CalibrationResult result = trusted();
    result.delays[0].rtt.min = 700; // nonsense, that nobody must take for the floor
    CHECK(result.rtt_floor() == RttFloor{2'400});
    CHECK(result.rtt_floor()->bound() == 1'200);
    const std::string path = write(scratch, result);
    const CertificateCover cover = look_up_certificate(path, result.setup, Rate{1000});
    REQUIRE(cover.rtt_floor == RttFloor{2'400});
    const Json said = written(cover);
    CHECK(said["rtt_floor_ns"] == 2'400);
    CHECK(said["rtt_bound_ns"] == 1'200);
    CHECK_THAT(
        to_text(result),
        Contains("The floor, which is the smallest RTT of replies sent at once, is 2.4 us. No "
                 "trial on this set-up sees an RTT below 1.2 us.") &&
            Contains(
                "The baseline is 700 ns: the smallest RTT of replies held for 0 ns is longer than "
                "that time by this."));
    SECTION("a check without a valid reply has no RTT")
    {
        result.at_once.push_back(at_once(Rate{1'000'000}, 0));
        result.at_once.back().valid = 0;
        CHECK(result.rtt_floor() == RttFloor{2'400});
    }
    SECTION("what covers nothing has no floor")
    {
        CHECK_FALSE(look_up_certificate(path, result.setup, Rate{1001}).rtt_floor);
        CHECK(
            written(look_up_certificate(path, result.setup, Rate{1001}))["rtt_floor_ns"].is_null());
    }
    SECTION("a certificate of an earlier version covers as before, and its floor was another one")
    {
        Json old = to_json(result);
        Json &rtt = old["rtt"];
        rtt["floor"] = rtt["at_once"][0];
        for (const char *member : {"floor_ns", "bound_ns", "at_once"})
            rtt.erase(member);
        write_file(path, old.dump());
        const CertificateCover covers = look_up_certificate(path, result.setup, Rate{1000});
        CHECK(covers.covers());
        CHECK_FALSE(covers.rtt_floor);
    }
    SECTION("a floor that is no number makes the certificate none")
    {
        Json changed = to_json(result);
        changed["rtt"]["floor_ns"] = "2300";
        write_file(path, changed.dump());
        CHECK_FALSE(look_up_certificate(path, result.setup, Rate{1000}).covers());
    }
}

TEST_CASE("one that was easier to get than by default is named as such")
{
    const ScratchDirectory scratch;
    CalibrationResult result = trusted();
    std::string said;
    SECTION("RTTs may be wrong")
    {
        result.terms.limits.bias = 60s;
        said = "--max-bias of 60 s, not at most 0.0005 s";
    }
    SECTION("a query may be late")
    {
        result.terms.limits.lateness = 51ms;
        said = "--max-lateness of 0.051 s, not at most 0.05 s";
    }
    SECTION("many may be")
    {
        result.terms.limits.lateness_p99 = 60s;
        said = "--max-lateness-p99 of 60 s, not at most 0.001 s";
    }
    SECTION("sending may take long")
    {
        result.terms.limits.overrun = 2ms;
        said = "--max-overrun of 0.002 s, not at most 0.001 s";
    }
    SECTION("delays are short")
    {
        result.terms.timeout = 50ms;
        said = "--timeout of 0.05 s, not at least 0.25 s";
    }
    SECTION("trials are")
    {
        result.terms.duration = 100ms;
        said = "--duration of 0.1 s, not at least 1 s";
    }
    SECTION("many attempts")
    {
        result.terms.attempts = 4;
        said = "--attempts of 4, not at most 3";
    }
    const std::string path = write(scratch, result);
    const CertificateCover cover = look_up_certificate(path, result.setup, Rate{1000});
    CHECK(cover.covers());
    CHECK(cover.lax == std::vector{said});
    CHECK(certificate_text(cover) ==
          "certificate of 2026-11-21T15:00:00Z (" + path + "); laxer than by default: " + said);
    CHECK(written(cover)["lax"] == Json{said});
    CHECK(to_json(result)["lax"] == Json{said});
    CHECK_THAT(to_text(result),
               Contains("No doubt: ") && Contains("; laxer than by default: " + said + ".\n"));
}

TEST_CASE("the usual limits are trials' limits, and a limit that is kept is not named")
{
    CHECK(CalibrationLimits{}.lateness == Tolerances{}.lateness);
    CHECK(CalibrationLimits{}.overrun == Tolerances{}.overrun_least);
    const ScratchDirectory scratch;
    CalibrationResult result = trusted();
    // Stricter limits are not lax, nor are longer trials.
    result.terms = {.timeout = 1s, .duration = 60s, .attempts = 1, .limits = {.bias = 1us}};
    const CertificateCover cover =
        look_up_certificate(write(scratch, result), result.setup, Rate{1});
    CHECK(cover.covers());
    CHECK(cover.lax.empty());
    CHECK(written(cover)["lax"] == Json::array());
    CHECK_THAT(to_text(result), !Contains("laxer"));
    CHECK(
        written(look_up_certificate(scratch.file("none"), result.setup, Rate{1}))["lax"].is_null());
}

TEST_CASE("where no reply is valid there is no RTT")
{
    CalibrationResult result = trusted();
    result.before_edge = held(245ms);
    result.behind_edge.delay = 252ms;
    result.behind_edge.late = 1000;
    CHECK_THAT(to_text(result), Contains(" 1000          -"));
    result.behind_edge.valid = 1;
    CHECK_THAT(to_text(result), !Contains(" 1000          -"));
}

TEST_CASE("one with doubts names the first of them")
{
    const ScratchDirectory scratch;
    CalibrationResult result = trusted();
    result.doubts = {{"counts", "at 10 queries/s: lost 2 instead of 1"}};
    const CertificateCover cover =
        look_up_certificate(write(scratch, result), result.setup, Rate{1});
    CHECK_FALSE(cover.covers());
    CHECK_THAT(certificate_text(cover),
               Contains("no certificate: ") && Contains("counts is not to be trusted: at 10 q"));
    CHECK_THAT(to_text(result),
               Contains("Not to be trusted: counts, at 10 queries/s: lost 2 instead of 1\n"));
    CHECK(to_json(result)["trusted"] == false);
    CHECK(written(cover)["covers"] == false);
    CHECK(written(std::optional<CertificateCover>()).is_null());
}

TEST_CASE("what is no whole certificate covers nothing")
{
    const ScratchDirectory scratch;
    const CalibrationResult result = trusted();
    const std::string content = read_file(write(scratch, result));
    const std::string path = scratch.file("torn");
    for (std::size_t size = 0; size + 1 < content.size(); size += 7) {
        write_file(path, content.substr(0, size));
        CAPTURE(size);
        REQUIRE_FALSE(look_up_certificate(path, result.setup, Rate{1}).covers());
    }
    for (const char *member : {"schema", "setup", "doubts", "allowed_rate", "finished", "limits_s",
                               "timeout_s", "attempts"}) {
        for (const Json &value : {Json(nullptr), Json(Json::object()), Json(false)}) {
            CAPTURE(member, value);
            Json changed = to_json(result);
            changed[member] = value;
            write_file(path, changed.dump());
            CHECK_FALSE(look_up_certificate(path, result.setup, Rate{1}).covers());
        }
    }
    Json changed = to_json(result);
    changed["finished"] = "2026\x1b[2J\n";
    write_file(path, changed.dump());
    const CertificateCover cover = look_up_certificate(path, result.setup, Rate{1});
    CHECK_FALSE(cover.covers());
    CHECK(cover.why_not == path + " is not a certificate, or not a whole one");
}

TEST_CASE("the certificate's text and JSON have all that was checked")
{
    const CalibrationResult result = trusted();
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("nothing lost at 2200 queries/s, which allows 1000") &&
                         Contains("No doubt: ") && Contains("at once, 50000 queries/s") &&
                         Contains("held for 1.00 ms") && Contains("100 of 100"));
    const Json json = to_json(result);
    CHECK(json["schema"] == calibration_schema);
    CHECK(json["trusted"] == true);
    CHECK(json["counting"][0]["predicted"]["lost"] == 1);
    CHECK(json["rtt"]["delays"][1]["delay_s"] == 0.001);
    CHECK(json["pacing"][0]["arrived"] == 100);

    CalibrationResult partial = trusted();
    partial.delays.clear();
    partial.counting.clear();
    CHECK(to_json(partial)["rtt"].is_null());
    CHECK_THAT(to_text(partial), !Contains("at once") && !Contains("Counted"));
}
