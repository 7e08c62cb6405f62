// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replays to a simulated resolver: that no crash loses or repeats a run, which bands the runs have,
// what is told of the result, and which options contradict each other.
#include "replay/replay.h"

#include "common/setup_error.h"
#include "record/json.h"
#include "record/replay_json.h"
#include "replay/load_factors.h"
#include "replay/replay_bands.h"
#include "replay/replay_request.h"
#include "support/scratch_directory.h"
#include "text/comparison.h"
#include "text/load_factor_text.h"
#include "text/replay_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <sstream>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;
using Seconds = std::chrono::seconds;

namespace
{

const Json header = {{"schema", "dnsgauge/replay-journal/1"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"duration", 2.0}}}};
const RunsPlan plan{.runs = 3, .invalid_retries = 1, .rate = Rate{100}};

RttSummary rtts(std::uint64_t count, std::uint64_t nanoseconds)
{
    return {.count = count,
            .min = nanoseconds,
            .p50 = nanoseconds,
            .p99 = nanoseconds,
            .max = nanoseconds,
            .histogram = {{nanoseconds, nanoseconds, count}}};
}

IntervalSummary interval(Seconds since, std::uint64_t valid, std::uint64_t nanoseconds)
{
    IntervalSummary made;
    made.since = since;
    made.queries.sent = 100;
    made.queries.valid = valid;
    made.queries.lost = 100 - valid;
    made.rcodes[0] = valid - 10;
    made.rcodes[2] = 10;
    made.rtt = rtts(valid, nanoseconds);
    return made;
}

// A resolver whose cache is empty during the first second. Each run answers ten queries more of it,
// and is a millisecond faster, than the run before.
struct Resolver {
    std::vector<SearchPlace> asked{};
    std::vector<Verdict> verdicts{}; // of the first trials

    TrialResult operator()(const SearchPlace &place)
    {
        const std::uint64_t valid = 50 + 10 * place.turn.repetition;
        const std::uint64_t rtt = (5 - place.turn.repetition) * std::uint64_t{1'000'000};
        TrialResult trial;
        trial.rate = place.turn.rate;
        trial.timeout = Seconds(2);
        trial.intervals = {interval(Seconds(0), valid, rtt), interval(Seconds(1), 90, rtt)};
        trial.later_part = trial.intervals.back();
        trial.queries.sent = 200;
        trial.queries.valid = valid + 90;
        trial.queries.lost = 110 - valid;
        trial.rcodes[0] = valid + 70;
        trial.rcodes[2] = 20;
        trial.rtt = rtts(trial.queries.valid, rtt);
        trial.verdict = asked.size() < verdicts.size() ? verdicts[asked.size()] : Verdict::fail;
        asked.push_back(place);
        return trial;
    }
};

ReplayResult replay(Resolver &resolver, const std::string &path, bool is_new = true)
{
    Journal journal = is_new ? Journal::create(path, header) : Journal::resume(path, header);
    return run_replay(plan, journal,
                      [&resolver](const SearchPlace &place) { return resolver(place); });
}

std::size_t lines_with(const std::string &text, const std::string &part)
{
    std::istringstream lines(text);
    std::size_t found = 0;
    for (std::string line; std::getline(lines, line);)
        found += line.find(part) != std::string::npos ? 1 : 0;
    return found;
}

ReplayRequest request_of(std::vector<GivenOption> given)
{
    const std::vector<GivenOption> required = {
        {"interface", "g0"}, {"server", "198.18.0.2"}, {"capture", "a.pcap"}};
    given.insert(given.end(), required.begin(), required.end());
    ReplayRequest request = usual_replay();
    read_options(replay_options(request), given);
    complete(request);
    return request;
}

} // namespace

TEST_CASE("every run is made once, and told by interval and by its later part")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    const ReplayResult result = replay(resolver, scratch.file("journal"));
    CHECK(result.end == TrialsEnd::complete);
    REQUIRE(result.runs.size() == 3);
    CHECK(resolver.asked.front().left == 3);
    CHECK(resolver.asked.back().turn.repetition == 3);
    const ReplayRun &second = result.runs[1];
    CHECK(second.sent == 200);
    CHECK(second.answered == 160);
    CHECK(second.lost == 40);
    CHECK(second.rcodes == RcodeCounts{{"NOERROR", 140}, {"SERVFAIL", 20}});
    REQUIRE(second.intervals.size() == 2);
    CHECK(second.intervals[1].since == Seconds(1));
    CHECK(second.intervals[0].answered == 70);
    CHECK(second.intervals[0].rcodes == RcodeCounts{{"NOERROR", 60}, {"SERVFAIL", 10}});
    // The latency is that of the second interval.
    CHECK(second.later.sent == 100);
    CHECK(second.later.answered == 90);
    CHECK(second.later.rtt_p50 == 3'000'000U);
    CHECK(second.later.curve.slower_than_1ms == 1);
    CHECK(second.later.curve.slower_than_10ms == Approx(0.1));
    REQUIRE(second.later.curve.points.size() == 22);
    CHECK(second.later.curve.points[0].rtt == 3'000'000);
    CHECK(second.later.curve.points[20].rtt == 2'000'000'000);
}

TEST_CASE("bands are those of all runs")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    const ReplayBands bands = replay(resolver, scratch.file("journal")).bands;
    REQUIRE(bands.answered_percent);
    CHECK(bands.answered_percent->min == 75);
    CHECK(bands.answered_percent->median == 80);
    CHECK(bands.answered_percent->mean == 80);
    CHECK(bands.answered_percent->max == 85);
    REQUIRE(bands.intervals.size() == 2);
    CHECK(bands.intervals[0].answered_percent->min == 60);
    CHECK(bands.intervals[0].answered_percent->max == 80);
    CHECK(bands.intervals[1].answered_percent->min == 90);
    CHECK(bands.intervals[0].rcodes.at("NOERROR").min == 50);
    CHECK(bands.intervals[0].rcodes.at("NOERROR").max == 70);
    CHECK(bands.rcode_percent.at("SERVFAIL").max == Approx(100 * 20.0 / 150));
    REQUIRE(bands.curve.size() == 22);
    CHECK(bands.curve[0].share == 1);
    CHECK(bands.curve[0].rtt.min == 2'000'000);
    CHECK(bands.curve[0].rtt.mean == 3'000'000);
    CHECK(bands.curve[0].rtt.max == 4'000'000);
    CHECK(bands.curve[20].rtt.min == 2'000'000'000);
}

TEST_CASE("an interval's bands are those of the runs that sent queries in it")
{
    ReplayRun whole;
    whole.sent = 30;
    whole.intervals = {
        {.since = Seconds(0), .sent = 10, .answered = 10, .rcodes = {{"NOERROR", 10}}},
        {.since = Seconds(1)},
        {.since = Seconds(2), .sent = 20, .answered = 10, .rcodes = {{"REFUSED", 10}}}};
    ReplayRun shorter = whole;
    shorter.intervals.pop_back();
    shorter.intervals.front().answered = 5;
    shorter.intervals.front().rcodes = {{"NXDOMAIN", 5}};
    const ReplayBands bands = bands_of(std::vector<ReplayRun>{shorter, whole});
    REQUIRE(bands.intervals.size() == 3);
    CHECK(bands.intervals[0].answered_percent->min == 50);
    CHECK(bands.intervals[0].rcodes.at("NXDOMAIN").min == 0);
    CHECK(bands.intervals[0].rcodes.at("NXDOMAIN").max == 5);
    CHECK_FALSE(bands.intervals[1].answered_percent);
    CHECK(bands.intervals[2].answered_percent->min == 50);
    CHECK(bands.intervals[2].answered_percent->max == 50);
    CHECK(bands_of({}).intervals.empty());
}

TEST_CASE("a replay that is resumed neither loses nor repeats a run")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    {
        Resolver resolver;
        Journal journal = Journal::create(path, header);
        const ReplayResult part =
            run_replay(plan, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
                return resolver.asked.empty() ? std::optional(resolver(place)) : std::nullopt;
            });
        CHECK(part.end == TrialsEnd::interrupted);
        CHECK(part.runs.size() == 1);
    }
    Resolver rest;
    const ReplayResult whole = replay(rest, path, false);
    CHECK(whole.end == TrialsEnd::complete);
    CHECK(whole.resumed == 1);
    REQUIRE(rest.asked.size() == 2);
    CHECK(rest.asked.front().turn.repetition == 2);
    Resolver all;
    const ReplayResult straight = replay(all, scratch.file("other"));
    CHECK(dnsgauge::to_json(whole, header)["runs"] == dnsgauge::to_json(straight, header)["runs"]);
    CHECK(dnsgauge::to_json(whole, header)["bands"] ==
          dnsgauge::to_json(straight, header)["bands"]);
}

TEST_CASE("an invalid run is no run: it is made again, and then ends the replay")
{
    const ScratchDirectory scratch;
    Resolver once{.verdicts = {Verdict::fail, Verdict::invalid}};
    const ReplayResult again = replay(once, scratch.file("journal"));
    CHECK(again.end == TrialsEnd::complete);
    CHECK(again.runs.size() == 3);
    CHECK(again.trials == 4);
    CHECK(once.asked[1].turn.repetition == once.asked[2].turn.repetition);
    Resolver twice{.verdicts = {Verdict::fail, Verdict::invalid, Verdict::invalid}};
    const ReplayResult ended = replay(twice, scratch.file("other"));
    CHECK(ended.end == TrialsEnd::invalid_trial);
    CHECK(ended.runs.size() == 1);
}

TEST_CASE("every form of the result says what it is good for")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    ReplayResult result = replay(resolver, scratch.file("journal"));
    result.interval = Seconds(1);
    for (const TableForm form : {TableForm::text, TableForm::markdown, TableForm::latex})
        CHECK_THAT(to_text(result, form), Contains("for comparison alone"));
    for (const std::string &csv : {to_text(result, TableForm::csv), replay_intervals_csv(result),
                                   replay_curve_csv(result)}) {
        CAPTURE(csv);
        CHECK(lines_with(csv, "for comparison alone") == lines_with(csv, "") - 1);
    }
    CHECK(dnsgauge::to_json(result, header)["caveat"] == for_comparison_alone);
}

TEST_CASE("tables have a row for each run and for each side of the bands")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    ReplayResult result = replay(resolver, scratch.file("journal"));
    result.interval = Seconds(1);
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("80.0000"));
    CHECK_THAT(text, Contains("RCODEs, percent of the replies"));
    CHECK_THAT(text, Contains("from 0 s on, 70.0000 % (mean; 60.0000 to 80.0000)"));
    const std::string intervals = replay_intervals_csv(result);
    CHECK_THAT(intervals, Contains("run,since_s,sent,answered,answered_percent,rcode_NOERROR,"
                                   "rcode_SERVFAIL,caveat"));
    CHECK_THAT(intervals, Contains("2,0,100,70,70.0000,60,10,"));
    CHECK_THAT(intervals, Contains("max,0,,,80.0000,70,10,"));
    CHECK(lines_with(intervals, "") == 1 + 2 * (3 + 4));
    CHECK_THAT(replay_curve_csv(result), Contains("mean,1,3000000,"));
    CHECK_THAT(to_text(result, TableForm::csv), Contains("3,200,170,85.0000,0,0,30,2000000,"));
}

TEST_CASE("every form of the result says why replies were invalid")
{
    const ScratchDirectory scratch;
    Journal journal = Journal::create(scratch.file("journal"), header);
    Resolver resolver;
    ReplayResult result = run_replay(plan, journal, [&resolver](const SearchPlace &place) {
        TrialResult trial = resolver(place);
        trial.queries.lost -= 8;
        trial.queries.invalid.truncated = 5;
        trial.queries.invalid.malformed = 3;
        trial.rcodes[DNS_RCODE_BADCOOKIE] = 5;
        return trial;
    });
    result.interval = Seconds(1);
    REQUIRE(result.runs.size() == 3);
    CHECK(result.runs[0].invalid == 8);
    CHECK(result.runs[0].reasons.truncated == 5);
    CHECK_THAT(to_text(result),
               Contains("Invalid, of all runs: answered 9 malformed, 15 truncated") ||
                   Contains("Invalid, of all runs: answered 15 truncated, 9 malformed"));
    CHECK_THAT(to_text(result), Contains("BADCOOKIE"));
    const std::string csv = to_text(result, TableForm::csv);
    for (const InvalidClass &each : invalid_classes)
        CHECK_THAT(csv, Contains(std::string(",invalid_") + each.key));
    CHECK_THAT(csv, Contains(",5,") && Contains(",3,"));
    const Json json = dnsgauge::to_json(result, header)["runs"][1];
    CHECK(json["invalid_reasons"]["truncated"] == 5);
    CHECK(json["invalid_reasons"]["malformed"] == 3);
    CHECK(json["invalid_reasons"]["total"] == json["invalid"]);
    CHECK(json["rcodes"]["BADCOOKIE"] == 5);
    Resolver right;
    CHECK_THAT(to_text(replay(right, scratch.file("other"))), !Contains("Invalid, of all runs"));
}

TEST_CASE("replays are compared by what their runs found")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    ReplayResult result = replay(resolver, scratch.file("journal"));
    const Json three = dnsgauge::to_json(result, header);
    result.runs.resize(1);
    result.bands = bands_of(result.runs);
    const Json one = dnsgauge::to_json(result, header);
    REQUIRE(is_comparable(three));
    const std::string table = compare({{"three", &three}, {"one", &one}}, TableForm::csv);
    CHECK_THAT(table, Contains("answered %,80.000 (75.000 to 85.000),75.000"));
    CHECK_THAT(table, Contains("RTT median,3.00 ms (2.00 ms to 4.00 ms),4.00 ms"));
    CHECK_THAT(table, Contains("% unanswered,10.000,10.000"));
    CHECK_THAT(compare({{"three", &three}}, TableForm::text), Contains("for comparison alone"));
}

namespace
{

// A resolver whose unanswered queries and slowest RTTs follow from the load factor.
ReplayResult loaded(std::uint32_t factor, std::uint32_t loses_from, std::uint32_t slow_from)
{
    ReplayResult result;
    for (std::uint64_t number = 0; number < 5; number++) {
        IntervalSummary part = interval(Seconds(0), factor >= loses_from ? 70 : 90,
                                        (factor >= slow_from ? 20 : 10) * 1'000'000 + number);
        ReplayRun run;
        run.later = {.sent = part.queries.sent,
                     .answered = part.queries.valid,
                     .curve = curve_of(part.queries.sent, part.rtt, Seconds(2))};
        result.runs.push_back(run);
    }
    result.bands = bands_of(result.runs);
    return result;
}

LoadFactorResult find(std::uint32_t most, std::uint32_t loses_from, std::uint32_t slow_from)
{
    return find_load_factor({.most = most, .margin_percent = 0.1}, [=](std::uint32_t factor) {
        return loaded(factor, loses_from, slow_from);
    });
}

} // namespace

TEST_CASE("the highest load factor is found, and what shows the overload")
{
    constexpr std::uint32_t never = 1000;
    const LoadFactorResult losing = find(20, 7, never);
    CHECK(losing.borne == 6U);
    REQUIRE(losing.overload);
    CHECK(losing.overload->load_factor == 7);
    CHECK(losing.overload->sign == OverloadSign::unanswered);
    CHECK(losing.factors == std::vector<std::uint32_t>{1, 2, 4, 8, 6, 7});
    CHECK_THAT(verdict_text(losing), Contains("without overload: 6; overloaded at 7 by unanswered: "
                                              "30.000 % of the queries"));

    const LoadFactorResult slow = find(20, never, 11);
    CHECK(slow.borne == 10U);
    REQUIRE(slow.overload);
    CHECK(slow.overload->load_factor == 11);
    CHECK(slow.overload->sign == OverloadSign::latency);
    CHECK_THAT(slow.overload->why, Contains("at least 20.000 ms in every run"));

    const LoadFactorResult strong = find(5, never, never);
    CHECK(strong.borne == 5U);
    CHECK_FALSE(strong.overload);
    CHECK(strong.factors == std::vector<std::uint32_t>{1, 2, 4, 5});
    CHECK_THAT(verdict_text(strong), Contains("5 or more"));
}

TEST_CASE("a resolver within the margin, and curves that touch, show no overload")
{
    const ReplayResult baseline = loaded(1, 100, 100);
    ReplayResult other = baseline;
    other.runs[0].later.answered -= 1; // 11 % in place of 10 %, of one run of five
    // The mean is 0.2 % higher, which one run of five does not show.
    CHECK_FALSE(overload_of(baseline, other, 2, 0.1));
    CHECK(undecided_of(baseline, other, 2, 0.1));
    CHECK_FALSE(undecided_of(baseline, other, 2, 1));
    ReplayResult slow = loaded(2, 100, 2);
    slow.bands.curve.resize(2); // a curve is apart at three points or more
    CHECK_FALSE(overload_of(baseline, slow, 2, 0.1));
    slow = loaded(2, 100, 2);
    for (CurveBand &point : slow.bands.curve)
        point.rtt.min = 10'000'004; // as slow as the baseline's slowest run
    CHECK_FALSE(overload_of(baseline, slow, 2, 0.1));
    slow = loaded(2, 100, 2);
    CHECK(overload_of(baseline, slow, 2, 0.1));
    slow.runs.pop_back(); // the bands of fewer runs separate by chance
    CHECK_FALSE(overload_of(baseline, slow, 2, 0.1));
    // More load may fill the cache sooner: faster is no overload.
    CHECK_FALSE(overload_of(loaded(2, 100, 2), baseline, 2, 0.1));
}

TEST_CASE("chance is not called overload, nor overload chance")
{
    // Runs scatter more than their counts make them: each has a rate of its own.
    std::mt19937_64 random(1);
    const auto replay_of = [&](double percent, std::size_t runs) {
        std::gamma_distribution<double> rates(2, percent / 2);
        ReplayResult result;
        for (std::size_t number = 0; number < runs; number++) {
            std::poisson_distribution<std::uint64_t> lost(1e5 * rates(random) / 100);
            ReplayRun run;
            run.later = {.sent = 100'000, .answered = 100'000 - std::min(lost(random), 100'000UL)};
            result.runs.push_back(run);
        }
        return result;
    };
    constexpr int searches = 400;
    for (const std::size_t runs : {2UL, 5UL, 9UL}) {
        int alarms = 0, missed = 0, told = 0;
        for (int number = 0; number < searches; number++) {
            const ReplayResult baseline = replay_of(0.3, runs);
            const ReplayResult equal = replay_of(0.3, runs);
            const ReplayResult worse = replay_of(3, runs);
            alarms += overload_of(baseline, equal, 2, 0.1).has_value();
            const bool is_told = overload_of(baseline, worse, 2, 0.1).has_value();
            told += is_told;
            missed += !is_told && !undecided_of(baseline, worse, 2, 0.1);
        }
        CAPTURE(runs, alarms, missed, told);
        CHECK(alarms <= searches / 40);
        CHECK(missed <= searches / 40);
        CHECK((runs < 9 || told > searches * 8 / 10));
    }
}

TEST_CASE("a load factor whose runs cannot tell ends the search")
{
    const auto runs_of = [](std::initializer_list<std::uint64_t> lost) {
        ReplayResult result;
        for (const std::uint64_t count : lost) {
            ReplayRun run;
            run.later = {.sent = 100'000, .answered = 100'000 - count};
            result.runs.push_back(run);
        }
        return result;
    };
    const LoadFactorResult result = find_load_factor({.most = 4}, [&](std::uint32_t factor) {
        return factor == 1 ? runs_of({158, 158}) : runs_of({79, 635});
    });
    CHECK(result.borne == 1U);
    CHECK_FALSE(result.overload);
    REQUIRE(result.undecided);
    CHECK(result.undecided->load_factor == 2);
    CHECK_THAT(verdict_text(result), Contains("at least 1; the runs cannot tell at 2: "));
    const LoadFactorResult single =
        find_load_factor({.most = 4}, [&](std::uint32_t) { return runs_of({0}); });
    REQUIRE(single.undecided);
    CHECK_THAT(single.undecided->why, Contains("a single run"));
}

TEST_CASE("a replay that is not complete ends the search for a load factor")
{
    const LoadFactorResult result = find_load_factor({.most = 9}, [](std::uint32_t factor) {
        ReplayResult made = loaded(factor, 100, 100);
        made.end = factor == 4 ? TrialsEnd::interrupted : TrialsEnd::complete;
        return made;
    });
    CHECK(result.end == TrialsEnd::interrupted);
    CHECK(result.factors == std::vector<std::uint32_t>{1, 2, 4});
    CHECK(result.borne == 2U);
    CHECK_THAT(verdict_text(result), Contains("so far: 2 or more"));
}

TEST_CASE("the defaults are paper 004's")
{
    const ReplayRequest request = request_of({{"before-trial", "true"}});
    CHECK(request.runs.runs == 9);
    CHECK(request.trial.duration == Seconds(120));
    CHECK(request.trial.timeout == Seconds(2));
    CHECK(request.trial.interval == Nanoseconds(Seconds(1)));
    CHECK(request.trial.expect == Expect::answered);
    CHECK(caveats_of(request).doubts.empty());
}

TEST_CASE("options of a replay that contradict each other are refused")
{
    CHECK_THROWS_WITH(request_of({}), Contains("give --before-trial"));
    CHECK_THROWS_WITH(request_of({{"runs", "1"}, {"interval", "0"}}), Contains("--interval 0"));
    CHECK_THROWS_WITH(request_of({{"runs", "1"}, {"names", "10.0.0.0/8"}}),
                      Contains("there is no option --names"));
    CHECK_THROWS_WITH(request_of({{"runs", "1"}, {"since", "120"}}), Contains("--since 120"));
    const ReplayRequest alone = request_of({{"runs", "1"}});
    REQUIRE(caveats_of(alone).doubts.size() == 1);
    CHECK_THAT(caveats_of(alone).doubts.front(), Contains("cache"));
}
