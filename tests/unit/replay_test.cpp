// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replays to a simulated resolver: that no crash loses or repeats a run, which bands the runs have,
// what is told of the result, and which options contradict each other.
#include "series/replay/replay.h"

#include "capture/capture_writer.h"
#include "record/json.h"
#include "series/replay/load_factors.h"
#include "support/packet.h"
#include "support/scratch_directory.h"
#include "support/some_part.h"
#include "system/setup_error.h"
#include "text/comparison.h"
#include "text/figure_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <sstream>
#include <utility>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;
using Seconds = std::chrono::seconds;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "replay"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"duration", 2.0}}}};
const RunsPlan plan{.runs = 3, .invalid_retries = 1, .rates = {Rate{100}}};

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
    ReplayRequest request;
    read_options(options_of(request), given);
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
    REQUIRE(result.rows.size() == 3);
    CHECK(resolver.asked.front().left.count == 3);
    CHECK(resolver.asked.back().turn.repetition == 3);
    const TrialSummary &second = result.rows[1];
    CHECK(second.sent == 200);
    CHECK(second.valid == 160);
    CHECK(second.lost == 40);
    CHECK(second.rcodes == RcodeCounts{{"NOERROR", 140}, {"SERVFAIL", 20}});
    REQUIRE(second.intervals.size() == 2);
    CHECK(second.intervals[1].since == Seconds(1));
    CHECK(second.intervals[0].answered == 70);
    CHECK(second.intervals[0].rcodes == RcodeCounts{{"NOERROR", 60}, {"SERVFAIL", 10}});
    // The second interval has the latency.
    CHECK(second.later.sent == 100);
    CHECK(second.later.answered == 90);
    CHECK(second.later.rtt_p50 == 3'000'000U);
    CHECK(second.later.curve.slower_than_1ms == 1);
    CHECK(second.later.curve.slower_than_10ms == Approx(0.1));
    REQUIRE(second.later.curve.points.size() == 22);
    CHECK(second.later.curve.points[0].rtt == 3'000'000);
    CHECK(second.later.curve.points[20].rtt == 2'000'000'000);
}

TEST_CASE("bands come from all runs")
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

TEST_CASE("an interval's bands come from the runs that sent queries in it")
{
    TrialSummary whole;
    whole.sent = 30;
    whole.intervals = {
        {.since = Seconds(0), .sent = 10, .answered = 10, .rcodes = {{"NOERROR", 10}}},
        {.since = Seconds(1)},
        {.since = Seconds(2), .sent = 20, .answered = 10, .rcodes = {{"REFUSED", 10}}}};
    TrialSummary shorter = whole;
    shorter.intervals.pop_back();
    shorter.intervals.front().answered = 5;
    shorter.intervals.front().rcodes = {{"NXDOMAIN", 5}};
    const ReplayBands bands = bands_of(std::vector<TrialSummary>{shorter, whole});
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
        CHECK(part.rows.size() == 1);
    }
    Resolver rest;
    const ReplayResult whole = replay(rest, path, false);
    CHECK(whole.end == TrialsEnd::complete);
    CHECK(whole.resumed == 1);
    REQUIRE(rest.asked.size() == 2);
    CHECK(rest.asked.front().turn.repetition == 2);
    Resolver all;
    const ReplayResult straight = replay(all, scratch.file("other"));
    CHECK(dnsgauge::to_json(whole, header)["trials"] ==
          dnsgauge::to_json(straight, header)["trials"]);
    CHECK(dnsgauge::to_json(whole, header)["bands"] ==
          dnsgauge::to_json(straight, header)["bands"]);
}

TEST_CASE("an invalid run is no run: it is made again, and then ends the replay")
{
    const ScratchDirectory scratch;
    Resolver once{.verdicts = {Verdict::fail, Verdict::invalid}};
    const ReplayResult again = replay(once, scratch.file("journal"));
    CHECK(again.end == TrialsEnd::complete);
    CHECK(again.rows.size() == 3);
    CHECK(again.trials == 4);
    CHECK(once.asked[1].turn.repetition == once.asked[2].turn.repetition);
    Resolver twice{.verdicts = {Verdict::fail, Verdict::invalid, Verdict::invalid}};
    const ReplayResult ended = replay(twice, scratch.file("other"));
    CHECK(ended.end == TrialsEnd::invalid_trial);
    CHECK(ended.rows.size() == 1);
}

TEST_CASE("a run that its Tester's stall spoiled is made again")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    unsigned begun = 0;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const ReplayResult result =
        run_replay(plan, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            if (++begun == 2)
                return testing::some_stalled_trial(place.turn.rate);
            return resolver(place);
        });
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rows.size() == 3);
    CHECK(result.trials == 4);
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
        CHECK(lines_with(csv, "for comparison alone") == 1);
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
    CHECK_THAT(text, Contains("on average of the runs 70.0000 % from 0 s on (least 60.0000, "
                              "greatest 80.0000); of a single run 60.0000 % in run 1 from 0 s on "
                              "(60 of 100 queries)"));
    CHECK_THAT(text, !Contains("The RCODEs are of"));
    ReplayResult late = result;
    late.rows.front().rcodes["SERVFAIL"] += 30;
    CHECK_THAT(to_text(late), Contains("The RCODEs are of 510 replies, 30 more than there are "
                                       "answered queries: replies that were late"));
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
    REQUIRE(result.rows.size() == 3);
    CHECK(result.rows[0].invalid == 8);
    CHECK(result.rows[0].reasons.truncated == 5);
    CHECK_THAT(to_text(result),
               Contains("Invalid, of all runs: answered 9 malformed, 15 truncated") ||
                   Contains("Invalid, of all runs: answered 15 truncated, 9 malformed"));
    CHECK_THAT(to_text(result), Contains("BADCOOKIE"));
    const std::string csv = to_text(result, TableForm::csv);
    for (const InvalidClass &each : invalid_classes)
        CHECK_THAT(csv, Contains(std::string(",invalid_") + each.key));
    CHECK_THAT(csv, Contains(",5,") && Contains(",3,"));
    const Json json = dnsgauge::to_json(result, header)["trials"][1];
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
    result.rows.resize(1);
    result.bands = bands_of(result.rows);
    const Json one = dnsgauge::to_json(result, header);
    REQUIRE(is_comparable(three));
    const std::string table = compare({{"three", &three}, {"one", &one}}, TableForm::csv);
    CHECK_THAT(table, Contains("answered %,80.0000 (75.0000 to 85.0000),75.0000"));
    CHECK_THAT(table, Contains("RTT median,3.00 ms (2.00 ms to 4.00 ms),4.00 ms"));
    CHECK_THAT(table, Contains("% unanswered,10.0000,10.0000"));
    CHECK_THAT(compare({{"three", &three}}, TableForm::text), Contains("for comparison alone"));
}

namespace
{

// A resolver whose unanswered queries and slowest RTTs follow from the load factor.
ReplayResult loaded(std::uint32_t factor, std::uint32_t loses_from, std::uint32_t slow_from,
                    std::size_t runs = runs_with_bands)
{
    constexpr std::uint64_t many = 100'000; // so that counts scatter by no more than the margin
    ReplayResult result;
    for (std::size_t number = 0; number < runs; number++) {
        IntervalSummary part = interval(Seconds(0), factor >= loses_from ? 70 : 90,
                                        (factor >= slow_from ? 20 : 10) * 1'000'000 + number);
        TrialSummary run;
        run.later = {.sent = many * part.queries.sent,
                     .answered = many * part.queries.valid,
                     .curve = curve_of(part.queries.sent, part.rtt, Seconds(2))};
        result.rows.push_back(run);
    }
    result.bands = bands_of(result.rows);
    return result;
}

LoadFactorResult find(std::uint32_t most, std::uint32_t loses_from, std::uint32_t slow_from)
{
    return find_load_factor({.most = most, .margin_percent = 0.1},
                            [=](std::uint32_t factor, unsigned runs) {
                                return loaded(factor, loses_from, slow_from, runs);
                            });
}

// Returns a replay whose runs have these unanswered queries, each of as many.
ReplayResult losing(const std::vector<std::uint64_t> &lost, std::uint64_t sent)
{
    ReplayResult result;
    for (const std::uint64_t count : lost) {
        TrialSummary run;
        run.later = {.sent = sent, .answered = sent - count};
        result.rows.push_back(run);
    }
    return result;
}

bool is_overloaded(const ReplayResult &baseline, const ReplayResult &other, double margin = 0.1)
{
    return judge_factor(baseline, other, 2, margin).overload.has_value();
}

bool is_undecided(const ReplayResult &baseline, const ReplayResult &other, double margin = 0.1)
{
    return judge_factor(baseline, other, 2, margin).undecided.has_value();
}

} // namespace

TEST_CASE("the highest load factor is found, and what shows the overload")
{
    constexpr std::uint32_t never = 1000;
    const LoadFactorResult weak = find(20, 7, never);
    CHECK(weak.borne == 6U);
    REQUIRE(weak.overload);
    CHECK(weak.overload->load_factor == 7);
    CHECK(weak.overload->sign == OverloadSign::unanswered);
    CHECK(weak.factors == std::vector<std::uint32_t>{1, 2, 4, 8, 6, 7});
    CHECK_THAT(verdict_text(weak), Contains("without overload: 6; overloaded at 7 by unanswered: "
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
    other.rows[0].later.answered -= other.rows[0].later.sent / 100;
    // The mean is 0.14 % higher, which one run of seven does not show.
    CHECK_FALSE(is_overloaded(baseline, other));
    CHECK(is_undecided(baseline, other));
    CHECK_FALSE(is_undecided(baseline, other, 1));
    ReplayResult slow = loaded(2, 100, 2);
    slow.bands.curve.resize(2); // a curve is apart at three points or more
    CHECK_FALSE(is_overloaded(baseline, slow));
    slow = loaded(2, 100, 2);
    for (CurveBand &point : slow.bands.curve)
        point.rtt.min = 10'000'006; // as slow as the baseline's slowest run
    CHECK_FALSE(is_overloaded(baseline, slow));
    slow = loaded(2, 100, 2);
    CHECK(is_overloaded(baseline, slow));
    slow.rows.pop_back(); // the bands of fewer runs separate by chance
    CHECK_FALSE(is_overloaded(baseline, slow));
    // More load may fill the cache sooner: faster is no overload.
    CHECK_FALSE(is_overloaded(loaded(2, 100, 2), baseline));
}

TEST_CASE("runs that do not scatter scatter by chance all the same")
{
    // One query of each run is no overload, however alike the runs are.
    CHECK_FALSE(is_overloaded(losing({0, 0}, 386), losing({1, 1}, 386)));
    CHECK(is_undecided(losing({0, 0}, 386), losing({1, 1}, 386)));
    CHECK(is_undecided(losing({0, 0, 0}, 386), losing({0, 0, 0}, 386)));
    CHECK_FALSE(is_undecided(losing({0, 0, 0}, 386), losing({0, 0, 0}, 386), 5));
    CHECK(is_overloaded(losing({0, 0, 0}, 386), losing({100, 100, 100}, 386), 5));
}

TEST_CASE("runs that begin with the same slice are compared with each other")
{
    // Slices differ more than the load factors do.
    ReplayResult baseline = losing({10'000, 50'000, 20'000, 90'000}, 1'000'000);
    ReplayResult other = losing({15'000, 55'100, 25'000, 94'900}, 1'000'000);
    CHECK_FALSE(is_overloaded(baseline, other));
    baseline.slices = other.slices = 4;
    CHECK(is_overloaded(baseline, other));
    other.slices = 5;
    CHECK_FALSE(is_overloaded(baseline, other));
}

TEST_CASE("runs begin with each slice as often, and wide apart")
{
    for (std::uint32_t slices = 1; slices < 40; slices++) {
        std::vector<bool> begun(slices);
        for (unsigned run = slices + 1; run <= 2 * slices; run++)
            begun.at(first_slice(run, slices)) = true;
        CAPTURE(slices);
        CHECK(std::ranges::count(begun, true) == slices);
        CHECK(first_slice(1, slices) == 0);
    }
    CHECK(first_slice(2, 20) == 13);
    CHECK(first_slice(3, 20) == 6);
}

TEST_CASE("a comparison is the stricter the more there are")
{
    CHECK(confidence_of({.most = 2, .runs = 9, .runs_most = 9}, 0) == Approx(0.95));
    // 2, 4, 8, 16, and then 12, 10 or 14, and a neighbour: seven, each looked at thrice.
    const LoadFactorPlan twenty{.most = 20, .runs = 9, .runs_most = 36};
    CHECK(confidence_of(twenty, 0) == Approx(1 - 0.05 / 3 / 7));
    CHECK(confidence_of(twenty, 2) == Approx(1 - 0.05 / 3 / 5));
    CHECK(confidence_of(twenty, 9) == Approx(1 - 0.05 / 3));
}

TEST_CASE("a load factor whose runs cannot tell gets more of them, and ends the search in the end")
{
    std::vector<std::pair<std::uint32_t, unsigned>> made;
    const auto scattered = [&](std::uint32_t factor, unsigned runs) {
        made.emplace_back(factor, runs);
        std::vector<std::uint64_t> lost;
        for (unsigned run = 0; run < runs; run++)
            lost.push_back(factor == 1 ? 158 : run % 2 == 0 ? 79 : 635);
        return losing(lost, 100'000);
    };
    const LoadFactorResult result =
        find_load_factor({.most = 4, .runs = 2, .runs_most = 6}, scattered);
    CHECK(made == std::vector<std::pair<std::uint32_t, unsigned>>{
                      {1, 2}, {2, 2}, {2, 4}, {1, 4}, {2, 6}, {1, 6}});
    CHECK(result.borne == 1U);
    CHECK_FALSE(result.overload);
    REQUIRE(result.undecided);
    CHECK(result.undecided->load_factor == 2);
    CHECK(result.replays.front().rows.size() == 6);
    CHECK_THAT(verdict_text(result),
               Contains("at least 1; the runs cannot tell at 2: ") && Contains("--runs-most"));
    // Twice as many runs tell, and the search goes on.
    const LoadFactorResult told = find_load_factor(
        {.most = 2, .runs = 2, .runs_most = 64}, [](std::uint32_t factor, unsigned runs) {
            return losing(std::vector<std::uint64_t>(runs, factor == 1 ? 100 : 300), 100'000);
        });
    REQUIRE(told.overload);
    CHECK_FALSE(told.undecided);
    CHECK(told.replays.back().rows.size() > 2);
    CHECK(told.replays.back().rows.size() < 64);
    const LoadFactorResult single =
        find_load_factor({.most = 4, .runs = 1, .runs_most = 1},
                         [](std::uint32_t, unsigned) { return losing({0}, 100'000); });
    REQUIRE(single.undecided);
    CHECK_THAT(single.undecided->why, Contains("a single run"));
    CHECK_THAT(verdict_text(single), Contains("give --before-trial"));
    // What was stopped on the way to more runs is stopped, and not undecided.
    const LoadFactorResult stopped = find_load_factor(
        {.most = 4, .runs = 2, .runs_most = 6}, [&](std::uint32_t factor, unsigned runs) {
            ReplayResult result = scattered(factor, runs);
            result.end = runs > 2 ? TrialsEnd::interrupted : TrialsEnd::complete;
            return result;
        });
    CHECK(stopped.end == TrialsEnd::interrupted);
    CHECK_FALSE(stopped.undecided);
}

TEST_CASE("fewer runs than slices are a doubt of the load factor")
{
    const auto find_with = [](std::uint32_t slices) {
        return find_load_factor({.most = 2, .runs = 7, .runs_most = 7},
                                [slices](std::uint32_t, unsigned runs) {
                                    ReplayResult made = loaded(1, 100, 100, runs);
                                    made.slices = slices;
                                    return made;
                                });
    };
    CHECK(find_with(7).doubts.empty());
    const LoadFactorResult few = find_with(20);
    REQUIRE(few.doubts.size() == 1);
    CHECK_THAT(verdict_text(few), Contains("play 7 of the 20 slices"));
}

TEST_CASE("a replay whose journal has more runs tells all, or as many as are wanted")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    {
        Resolver resolver;
        static_cast<void>(replay(resolver, path));
    }
    Journal journal = Journal::resume(path, header);
    ReplayResult all =
        run_replay({.runs = 2, .rates = {Rate{100}}}, journal,
                   [](const SearchPlace &) -> std::optional<TrialResult> { return {}; });
    CHECK(all.end == TrialsEnd::complete);
    CHECK(all.rows.size() == 3);
    CHECK(all.runs_wanted == 3);
    keep_runs(all, 2);
    CHECK(all.rows.size() == 2);
    CHECK(all.bands.answered_percent->max == 80);
}

TEST_CASE("each run has the rate of the slices that it plays")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    Journal journal = Journal::create(scratch.file("journal"), header);
    static_cast<void>(run_replay({.runs = 3, .rates = {Rate{100}, Rate{200}}}, journal,
                                 [&](const SearchPlace &place) { return resolver(place); }));
    CHECK(resolver.asked[1].turn.rate == Rate{200});
    CHECK(resolver.asked[2].turn.rate == Rate{100});
}

TEST_CASE("tables have the stages of runs with a probe")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    ReplayResult result = replay(resolver, scratch.file("journal"));
    result.interval = Seconds(1);
    CHECK_THAT(to_text(result), !Contains("server, median"));
    result.rows[1].probe = {.asked = 77, .server = {.count = 5, .p50 = 1'234'000}};
    for (const TableForm form : {TableForm::text, TableForm::markdown}) {
        CHECK_THAT(to_text(result, form), Contains("server, median"));
        CHECK_THAT(to_text(result, form), Contains("1.23 ms"));
    }
    const std::string csv = to_text(result, TableForm::csv);
    CHECK_THAT(csv, Contains("probe_p50_server_ns,probe_p50_leave_ns,probe_asked"));
    CHECK_THAT(csv, Contains(",1234000,,77,"));
}

TEST_CASE("what was not played, and how late queries left, stands in each form")
{
    const ScratchDirectory scratch;
    Resolver resolver;
    ReplayResult result = replay(resolver, scratch.file("journal"));
    result.interval = Seconds(1);
    result.packets = 9601;
    result.left_out = {{"tcp", 0}, {"cut", 9565}};
    result.rows[1].lateness_max = 54'000'000;
    for (const TableForm form : {TableForm::text, TableForm::markdown, TableForm::csv})
        CHECK_THAT(to_text(result, form),
                   Contains("not played of the captures' 9601 packets: cut 9565"));
    CHECK_THAT(to_text(result), Contains("54.00 ms"));
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json["captures"]["left_out"]["cut"] == 9565);
    CHECK(json["trials"][1]["lateness_max_ns"] == 54'000'000);
}

TEST_CASE("percentages are rounded, but to 100 only what is all and to 0 only what is none")
{
    CHECK(percent_text(99.89187) == "99.8919");
    CHECK(percent_text(99.99999) == "99.9999");
    CHECK(percent_text(100) == "100.0000");
    CHECK(percent_text(0.00001) == "0.0001");
    CHECK(percent_text(0) == "0.0000");
}

TEST_CASE("a replay that is not complete ends the search for a load factor")
{
    const LoadFactorResult result =
        find_load_factor({.most = 9}, [](std::uint32_t factor, unsigned) {
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
    CHECK(std::get<CaptureWorkload>(request.trial.workload).expect == Expect::answered);
    CHECK(caveats_of(request).doubts.empty());
}

namespace
{

// Returns the capture with no more than `most` octets of each packet, as tcpdump -s has it.
std::string cut(const std::string &capture, std::uint32_t most)
{
    constexpr std::size_t file_head = 24;
    constexpr std::size_t packet_head = 16;
    std::string made = capture.substr(0, file_head);
    for (std::size_t at = file_head; at < capture.size();) {
        std::string head = capture.substr(at, packet_head);
        std::uint32_t size = 0;
        std::memcpy(&size, head.data() + 8, sizeof(size));
        const std::uint32_t kept = std::min(size, most);
        std::memcpy(head.data() + 8, &kept, sizeof(kept));
        made += head + capture.substr(at + packet_head, kept);
        at += packet_head + size;
    }
    return made;
}

} // namespace

TEST_CASE("captures with packets twice, or with parts of packets, are doubted")
{
    const ScratchDirectory scratch;
    const auto doubts_of = [&](std::int64_t again_ns, std::uint32_t most) {
        const std::string path = scratch.file("some.pcap");
        {
            CaptureWriter writer(path);
            const auto write = [&](std::int64_t time_ns, const std::string &name) {
                const testing::Bytes message =
                    testing::DnsMessage{.questions = {{.name = testing::dns_name(name.c_str())}}};
                writer.write({.time_ns = time_ns,
                              .source = {parse_ip_address("192.0.2.1"), 5000},
                              .target = {parse_ip_address("192.0.2.53"), 53},
                              .message = message});
            };
            for (std::int64_t second = 0; second < 8; second++) {
                write(second * 1'000'000'000, "a.example");
                if (again_ns != 0)
                    write(second * 1'000'000'000 + again_ns, "a.example");
            }
            write(8'000'000'000, "example"); // is not cut
            writer.commit();
        }
        write_file(path, cut(read_file(path), most));
        ReplayRequest request = request_of({{"before-trial", "true"}, {"duration", "9"}});
        std::get<CaptureWorkload>(request.trial.workload).files = {path};
        load_captures(request);
        std::vector<std::string> doubts = caveats_of(request).doubts;
        const std::vector<std::string> notes = notes_on(request);
        CHECK((doubts.empty() || notes.back() == doubts.back()));
        return doubts;
    };
    CHECK(doubts_of(0, 1000).empty());
    CHECK(doubts_of(2'000'000, 1000).empty());
    const std::vector<std::string> twice = doubts_of(20'000, 1000);
    REQUIRE(twice.size() == 1);
    CHECK_THAT(twice.front(), Contains("47.1 % of the captures' queries come again within 1 ms"));
    const std::vector<std::string> parts = doubts_of(0, 68);
    REQUIRE(parts.size() == 1);
    CHECK_THAT(parts.front(), Contains("8 of the captures' 9 packets, 88.9 %") &&
                                  Contains("record whole packets"));
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
