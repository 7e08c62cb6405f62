// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"
#include "result/labels.h"
#include "result/series_result.h"
#include "series/search/search.h"
#include "series/tester_setup.h"
#include "support/scratch_directory.h"
#include "support/some_part.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <set>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "search"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"duration", 60.0}}}};
const SearchPlan plan{{Rate{1}, Rate{8}, 1}, 2, 0, 0};

// A server with which the n-th trial of a search always has the same verdict: below `threshold`
// every trial passes, except one unlucky trial.
struct Server {
    std::uint64_t threshold = 5;
    std::vector<SearchPlace> asked;

    TrialResult operator()(const SearchPlace &place)
    {
        asked.push_back(place);
        TrialResult result;
        result.server = "198.18.0.2";
        result.rate = place.turn.rate;
        result.circumstances.interface = "eth1";
        result.circumstances.driver = "ice";
        result.circumstances.mtu = 1500;
        result.circumstances.link_mbps = 100'000;
        result.circumstances.queues = 2;
        result.circumstances.sender_cpus = {2, 3};
        result.circumstances.modes = {{"xdp_mode", "native"},
                                      {"af_xdp_mode", asked.size() < 3 ? "copy" : "zero-copy"}};
        result.queries.sent = 100;
        result.queries.valid = 100;
        const bool unlucky = place.turn.repetition == 2 && place.turn.trial == 3;
        result.verdict = Verdict::pass;
        result.why = "every query was answered right and in time";
        if (place.turn.rate.per_second > threshold || unlucky) {
            result.verdict = Verdict::fail;
            result.why = "3 of 100 queries not answered right in time: 3 lost";
            result.queries.valid = 97;
        }
        return result;
    }
};

TrialRunner runner(Server &server)
{
    return [&server](const SearchPlace &place) { return server(place); };
}

std::vector<std::uint64_t> rates(const std::vector<SearchPlace> &places)
{
    std::vector<std::uint64_t> found;
    for (const SearchPlace &place : places)
        found.push_back(place.turn.rate.per_second);
    return found;
}

// Returns the trials in a journal.
std::vector<std::uint64_t> recorded_rates(const std::string &path)
{
    const Journal journal = Journal::resume(path, header);
    std::vector<std::uint64_t> found;
    for (const Journal::Record &record : journal.records())
        if (record.value.at("record") == "trial")
            found.push_back(record.value.at("trial").at("rate").get<std::uint64_t>());
    return found;
}

SearchResult search(const std::string &path, Server &server)
{
    Journal journal = Journal::create(path, header);
    return run_search(plan, journal, runner(server));
}

SearchResult resume(const std::string &path, Server &server)
{
    Journal journal = Journal::resume(path, header);
    return run_search(plan, journal, runner(server));
}

} // namespace

TEST_CASE("every trial is in the journal, whole, before the next begins")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    Journal journal = Journal::create(path, header);
    unsigned before = 0;
    const SearchResult result =
        run_search(plan, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            const std::string content = read_file(path);
            CHECK(std::count(content.begin(), content.end(), '\n') == std::ptrdiff_t{1} + before);
            CHECK(place.begun == before++);
            return server(place);
        });
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rates() == std::vector<double>{5, 4});
    CHECK(result.trials == server.asked.size());
    const std::string content = read_file(path);
    const std::string first = content.substr(content.find('\n') + 1);
    const Json record = Json::parse(first.substr(0, first.find('\n')));
    TrialResult wanted = Server{}({{1, 1, Rate{1}}, 0, {0}});
    CHECK(record.at("trial") == to_json(wanted));
    CHECK(record.at("repetition") == 1);
    CHECK(record.at("number") == 1);
}

TEST_CASE("after a crash wherever in the file no trial is lost and none is made again")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    const SearchResult whole = search(path, server);
    const std::vector<std::uint64_t> all = rates(server.asked);
    const std::string content = read_file(path);
    std::vector<std::size_t> ends; // of records, without their line breaks
    for (std::size_t at = content.find('\n');
         (at = content.find('\n', at + 1)) != std::string::npos;)
        ends.push_back(at);
    REQUIRE(ends.size() == all.size());

    // Cuts just before, at and after the end of each record, and at some octets within:
    // unit.journal tries all octets.
    const auto is_near_an_end = [&ends](std::size_t size) {
        return std::any_of(ends.begin(), ends.end(),
                           [size](std::size_t end) { return size + 1 >= end && size <= end + 1; });
    };
    constexpr std::size_t stride = 997;
    for (std::size_t size = 0; size <= content.size(); size++) {
        if (size % stride != 0 && !is_near_an_end(size))
            continue;
        CAPTURE(size);
        write_file(path, content.substr(0, size));
        const auto made = std::count_if(ends.begin(), ends.end(),
                                        [size](std::size_t end) { return end <= size; });
        const std::vector<std::uint64_t> rest(all.begin() + made, all.end());
        Server again;
        const SearchResult result = resume(path, again);
        REQUIRE(rates(again.asked) == rest);
        REQUIRE(recorded_rates(path) == all);
        REQUIRE(result.rates() == whole.rates());
        REQUIRE(result.trials == all.size());
        // A trial that began before the crash and left no trace counts as begun.
        if (made > 0 && !rest.empty())
            REQUIRE(again.asked.front().begun == all.size() - rest.size() + 1);
    }
}

TEST_CASE("a search that is killed again and again comes to the same result")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    const SearchResult whole = search(path, server);
    const std::vector<std::uint64_t> all = rates(server.asked);

    const std::string other = scratch.file("other");
    std::set<std::uint64_t> begun;
    write_file(other, "");
    SearchResult result;
    for (unsigned kills = 0;; kills++) {
        Server again;
        Journal journal = Journal::resume(other, header);
        result =
            run_search(plan, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
                // No crash gives two trials the same number: fresh names depend on the number.
                CHECK(begun.insert(place.begun).second);
                if (again.asked.size() == 1)
                    return std::nullopt;
                return again(place);
            });
        if (result.end == TrialsEnd::complete)
            break;
        CHECK(result.end == TrialsEnd::interrupted);
        REQUIRE(kills < all.size());
    }
    CHECK(result.rates() == whole.rates());
    CHECK(result.resumed == all.size() - 1);
    CHECK(recorded_rates(other) == all);
}

TEST_CASE("a finished search is told again without a trial, and its journal stays as it is")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    const SearchResult whole = search(path, server);
    const std::string content = read_file(path);
    Server again;
    const SearchResult result = resume(path, again);
    CHECK(again.asked.empty());
    CHECK(read_file(path) == content);
    CHECK(dnsgauge::to_json(result, header) == dnsgauge::to_json(whole, header));
}

TEST_CASE("an invalid trial ends the search, is in the journal, and decides nothing")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    Journal journal = Journal::create(path, header);
    SearchResult result = run_search(plan, journal, [&](const SearchPlace &place) {
        TrialResult trial = server(place);
        if (server.asked.size() == 4)
            trial.verdict = Verdict::invalid;
        return std::optional(trial);
    });
    CHECK(result.end == TrialsEnd::invalid_trial);
    CHECK(result.trials == 4);
    REQUIRE(result.last_trial);
    CHECK(result.last_trial->rate == server.asked[3].turn.rate);
    CHECK(result.repetitions.at(0).trials.size() == 3);
    {
        const Journal closed = std::move(journal);
    }

    Server again;
    result = resume(path, again);
    CHECK(again.asked.front().turn.rate == server.asked[3].turn.rate);
    CHECK(again.asked.front().turn.trial == 4);
    CHECK(again.asked.front().begun == 5);
    CHECK(result.rates() == std::vector<double>{5, 4});
    CHECK(result.resumed == 1);
}

TEST_CASE("a range that is wrong ends the search, and ends it again")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const bool is_low = GENERATE(true, false);
    Server server{.threshold = is_low ? 0U : 8U, .asked = {}};
    const TrialsEnd wanted = is_low ? TrialsEnd::below_range : TrialsEnd::above_range;
    CHECK(search(path, server).end == wanted);
    CHECK(server.asked.size() == (is_low ? 1 : 2));
    CHECK(resume(path, server).end == wanted);
    CHECK(server.asked.size() == (is_low ? 1 : 2));
}

TEST_CASE("records of another search are refused with their line")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    (void)search(path, server);
    const std::string content = read_file(path);
    const auto check_refused = [&](const std::string &changed, const std::string &message) {
        write_file(path, changed);
        Server again;
        CHECK_THROWS_WITH(resume(path, again), Contains(message));
        CHECK(again.asked.empty());
        CHECK(read_file(path) == changed);
    };
    const auto replaced = [&content](const std::string &what, const std::string &by) {
        std::string changed = content;
        return changed.replace(changed.find(what), what.size(), by);
    };
    check_refused(replaced("\"rate\":1,", "\"rate\":2,"),
                  "line 2: a trial at 2 queries/s where the search makes one at 1");
    check_refused(replaced("\"rate\":1,", "\"rat\":1,"), "line 2: it is no record");
    check_refused(replaced("\"rate\":1,", "\"rate\":\"1\","), "line 2: it is no record");
    check_refused(replaced("\"verdict\":\"pass\"", "\"verdict\":\"fine\""), "line 2: no verdict");
    check_refused(replaced("\"record\":\"trial\"", "\"record\":\"trail\""), "line 2: no record");
    check_refused(replaced("\"record\":", "\"recor\":"), "line 2: it is no record");
    const std::size_t last = content.rfind('\n', content.size() - 2);
    check_refused(content + content.substr(last + 1), "a trial after the end of the search");
    // With this verdict the search would have gone elsewhere.
    check_refused(replaced("\"verdict\":\"fail\"", "\"verdict\":\"pass\""), "line 4: a trial");
}

TEST_CASE("the result tells every trial, the cap, and how it deviates")
{
    const ScratchDirectory scratch;
    Server server;
    SearchPlan wide = plan;
    wide.range.max = Rate{4'097};
    server.threshold = 3'000;
    Journal journal = Journal::create(scratch.file("journal"), header);
    SearchResult result = run_search(wide, journal, [&](const SearchPlace &place) {
        TrialResult trial = server(place);
        const bool unlucky = place.turn.repetition == 2 && place.turn.trial == 1;
        if (unlucky || place.turn.rate <= Rate{3'000})
            trial.verdict = unlucky ? Verdict::fail : Verdict::pass;
        return std::optional(trial);
    });
    result.accept_percent = 99.9;
    result.caveats.deviations = {"accepts 99.9 %", "2 searches, not 20"};
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json.at("kind") == "search");
    CHECK(json.at("rates") == Json({3'000, 2'048}));
    CHECK(json.at("statistics").at("count") == 2);
    CHECK(json.at("statistics").at("median") == 2'524);
    CHECK(json.at("statistics").at("p1") == 2'048);
    CHECK(json.at("rfc8219").at("compliant") == false);
    CHECK(json.at("end") == "complete");
    CHECK(json.at("options") == header.at("options"));
    CHECK(json.at("setup") == header.at("setup"));
    CHECK(json.at("circumstances").at("af_xdp_mode") == "zero-copy"); // the first's was copy
    CHECK(json.at("repetitions").at(0).at("capped").is_null());
    CHECK(json.at("trials").at(12).at("repetition") == 1);
    CHECK(json.at("repetitions").at(1).at("capped").at("rate") == 2'049);
    CHECK(json.at("repetitions").at(1).at("capped").at("trial") == 1);
    CHECK(json.at("trials").at(13).at("repetition") == 2);
    CHECK(json.at("trials").at(13).at("verdict") == "fail");
    const std::string table = to_text(result);
    CHECK_THAT(table, Contains("not compliant with RFC 8219: accepts 99.9 %; 2 searches, not 20"));
    CHECK_THAT(table, Contains("2 of 2 searches"));
    CHECK_THAT(table, Contains("capped by trial 1"));
    CHECK_THAT(table,
               Contains("\n  through eth1 (ice, MTU 1500, 100000 Mbit/s), 2 queues, XDP native, "
                        "AF_XDP zero-copy, from CPU 2,3\n"));
    CHECK_THAT(table, Contains("Median (qps)") && Contains("2524"));
    result.caveats.deviations.clear();
    result.accept_percent = 100;
    CHECK_THAT(to_text(result), !Contains("compliant"));
    CHECK(dnsgauge::to_json(result, header).at("rfc8219").at("compliant") == true);
}

TEST_CASE("the result names the self-test that covers it, or is marked in every form")
{
    SearchResult result;
    result.min_rate = Rate{1};
    result.max_rate = Rate{8};
    result.repetitions = {{.trials = {}, .rate = Rate{5}, .cap = {}}};
    result.caveats.selftest = SelftestCover{};
    result.caveats.selftest->record = "/records/g0.json";
    result.caveats.selftest->finished = "2026-11-21T14:00:00Z";
    result.caveats.selftest->allowed = Rate{9};
    CHECK_THAT(
        to_text(result),
        Contains("self-test of 2026-11-21T14:00:00Z: allows 9 queries/s (/records/g0.json)") &&
            !Contains(beyond_selftest));
    CHECK(dnsgauge::to_json(result, header).at("selftest") ==
          Json({{"covers", true},
                {"why_not", nullptr},
                {"finished", "2026-11-21T14:00:00Z"},
                {"allowed_rate", 9},
                {"rfc8219", {{"compliant", true}, {"deviations", Json::array()}}},
                {"record", "/records/g0.json"}}));
    CHECK(dnsgauge::to_json(result, header).at("tester_limit").is_null());
    result.repetitions[0].trials = {
        {.rate = Rate{10}, .verdict = Verdict::fail, .sent = 9, .valid = 8, .why = {}}};
    add_findings(result);
    CHECK_THAT(dnsgauge::to_json(result, header).at("tester_limit").get<std::string>(),
               Contains("1 of 1 search failed above the 9 queries/s"));
    CHECK_THAT(to_text(result), Contains("(5)") && Contains("In parentheses: limited by"));
    CHECK_THAT(to_text(result), !Contains("asked"));
    result.caveats.selftest->was_asked_no_more = true;
    add_findings(result);
    CHECK_THAT(to_text(result),
               Contains("Tester, asked up to 9") && Contains("it was asked for no more"));
    result.repetitions[0].trials.push_back(result.repetitions[0].trials[0]);
    result.repetitions[0].trials[1].rate = Rate{6};
    add_findings(result);
    CHECK(dnsgauge::to_json(result, header).at("tester_limit").is_null());
    result.caveats.selftest->why_not = "allows 9 queries/s, not 10";
    CHECK_THAT(to_text(result),
               Contains(std::string(beyond_selftest) + ": allows 9 queries/s, not 10"));
    CHECK_THAT(to_text(result), Contains("\nSelf-test "));
    CHECK(dnsgauge::to_json(result, header).at("selftest").at("covers") == false);
    CHECK(dnsgauge::to_json(result, header).at("selftest").at("why_not") ==
          "allows 9 queries/s, not 10");
}

TEST_CASE("with --beyond-selftest the advice tells the allowed rate, and not that option")
{
    SearchResult result;
    result.max_rate = Rate{90'000};
    result.repetitions = {{.trials = {}, .rate = {}, .cap = {}, .at_least = Rate{90'000}}};
    result.caveats.selftest = SelftestCover{};
    result.caveats.selftest->allowed = Rate{90'000};
    CHECK_THAT(how_to_find_more(result, false), Contains("keeps 90000 queries/s or more") &&
                                                    Contains("allows 90000 queries/s") &&
                                                    Contains("give --beyond-selftest"));
    CHECK_THAT(how_to_find_more(result, true),
               Contains("allows 90000 queries/s") && !Contains("--beyond-selftest"));
    // Beyond what was allowed: the result's caveat says how much that was.
    result.caveats.selftest->allowed = Rate{60'000};
    result.caveats.selftest->why_not = "allows 60000 queries/s, not 90000";
    CHECK(how_to_find_more(result, true) ==
          "the server keeps 90000 queries/s or more: go on with a higher --max-rate (--resume)");
    CHECK_THAT(to_text(result), Contains("allows 60000 queries/s, not 90000"));
    result.repetitions[0].at_least.reset();
    CHECK(how_to_find_more(result, true).empty());
}

namespace
{

// Every `nth` trial of the server is invalid.
TrialRunner spoiled(Server &server, unsigned nth)
{
    return [&server, nth](const SearchPlace &place) {
        TrialResult trial = server(place);
        if (server.asked.size() % nth == 0) {
            trial.verdict = Verdict::invalid;
            trial.why = "the sender stalled";
        }
        return std::optional(trial);
    };
}

} // namespace

TEST_CASE("an invalid trial is made again, and told")
{
    const ScratchDirectory scratch;
    SearchPlan patient = plan;
    patient.repeat = 1;
    patient.invalid_retries = 1;
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const SearchResult result = run_search(patient, journal, spoiled(server, 2));
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rates() == std::vector<double>{5});
    CHECK(result.trials == server.asked.size());
    CHECK(result.invalid_trials == result.trials / 2);
    CHECK(result.repetitions.at(0).trials.size() == result.trials - result.invalid_trials);
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json.at("invalid_trials") == result.invalid_trials);
    CHECK(json.at("invalid_retries") == 1);
    CHECK_THAT(to_text(result),
               Contains("trials were invalid; such a trial is made again, up to 1 time in a row"));
}

TEST_CASE("a trial that its Tester's stall spoiled is made again")
{
    const ScratchDirectory scratch;
    SearchPlan patient = plan;
    patient.repeat = 1;
    patient.invalid_retries = 1;
    Server server;
    unsigned begun = 0;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const SearchResult result =
        run_search(patient, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            if (begun++ % 2 == 0)
                return testing::some_stalled_trial(place.turn.rate);
            return server(place);
        });
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rates() == std::vector<double>{5});
    CHECK(result.trials == begun);
    CHECK(result.invalid_trials == begun / 2);
}

TEST_CASE("trials that stay invalid end the search, which has its retries anew when it is resumed")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    SearchPlan patient = plan;
    patient.invalid_retries = 3;
    Server server;
    SearchResult result;
    {
        Journal journal = Journal::create(path, header);
        result = run_search(patient, journal, spoiled(server, 1));
    }
    CHECK(result.end == TrialsEnd::invalid_trial);
    CHECK(result.invalid_trials == 4);
    Journal journal = Journal::resume(path, header);
    result = run_search(patient, journal, spoiled(server, 1));
    CHECK(result.end == TrialsEnd::invalid_trial);
    CHECK(result.invalid_trials == 8);
    CHECK(server.asked.size() == 8);
    std::vector<unsigned> retries;
    for (const SearchPlace &place : server.asked)
        retries.push_back(place.retries);
    CHECK(retries == std::vector<unsigned>{0, 1, 2, 3, 0, 1, 2, 3});
}

TEST_CASE("a search that invalid trials cut short tells what bounds its result")
{
    const ScratchDirectory scratch;
    SearchPlan wide = plan;
    wide.range = {Rate{1}, Rate{64}, 1};
    wide.invalid_retries = 0;
    const auto cut_after = [&](unsigned trials) {
        Server server;
        Journal journal = Journal::create(scratch.file("journal" + std::to_string(trials)), header);
        return run_search(wide, journal, [&](const SearchPlace &place) {
            TrialResult trial = server(place);
            if (server.asked.size() > trials)
                trial.verdict = Verdict::invalid;
            return std::optional(trial);
        });
    };
    SearchResult result = cut_after(4); // 1, 64, 32, 16
    CHECK(result.end == TrialsEnd::invalid_trial);
    Json json = dnsgauge::to_json(result, header).at("repetitions").at(0);
    CHECK(json.at("rate").is_null());
    CHECK(json.at("highest_passed") == 1);
    CHECK(json.at("lowest_failed") == 16);
    CHECK(bound_text(result) == "1..16");
    CHECK_THAT(to_text(result), Contains("search 1 was cut short: 1 queries/s passed, 16 queries/s "
                                         "failed") &&
                                    Contains("     1       1..16       4"));
    result = cut_after(1);
    CHECK(bound_text(result) == ">= 1");
    CHECK_THAT(to_text(result), Contains("1 queries/s passed, no rate failed yet"));
    result = cut_after(0);
    CHECK(bound_text(result).empty());
    CHECK_THAT(to_text(result), !Contains("cut short"));
    result = cut_after(100);
    CHECK(result.end == TrialsEnd::complete);
    json = dnsgauge::to_json(result, header).at("repetitions").at(0);
    CHECK(json.at("highest_passed") == json.at("rate"));
    CHECK(json.at("lowest_failed") == 6);
    CHECK(bound_text(result).empty());
}

namespace
{

Json header_with(std::uint64_t max, bool fresh_names = false)
{
    Json with = header;
    with["options"]["max-rate"] = max;
    with["options"]["fresh-names"] = fresh_names;
    return with;
}

SearchPlan up_to(std::uint64_t max)
{
    SearchPlan wide = plan;
    wide.range.max = Rate{max};
    wide.repeat = 1;
    return wide;
}

} // namespace

TEST_CASE("the result tells which Testers asked which servers, and a Tester that is gone ends it")
{
    const auto of_two = [](TrialResult trial, const std::string &second, bool lacks_one) {
        for (const std::string host : {"a", "b"}) {
            TrialResult part;
            part.server = host == "a" ? trial.server : second;
            trial.testers.push_back({.rank = static_cast<std::uint32_t>(trial.testers.size()),
                                     .host = host,
                                     .clock = {},
                                     .trial = std::move(part)});
        }
        if (lacks_one) {
            trial.testers.back().trial.reset();
            trial.verdict = Verdict::invalid;
            trial.why = "Tester 1 (b): sent no part of the trial";
        }
        return trial;
    };
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Json of_host = header;
    of_host["setup"]["host"] = "a";
    SearchPlan with_retries = plan;
    with_retries.invalid_retries = 10;
    Server server;
    SearchResult result;
    const auto search_by_two = [&](Journal journal, const std::string &second, unsigned trials,
                                   bool loses_one) {
        const std::size_t last = server.asked.size() + trials;
        result = run_search(
            with_retries, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
                if (server.asked.size() == last)
                    return std::nullopt;
                TrialResult trial = server(place);
                return of_two(std::move(trial), second, loses_one && server.asked.size() == last);
            });
    };
    using Addresses = std::vector<std::string>;
    search_by_two(Journal::create(path, of_host), "198.18.1.2", 3, true);
    CHECK(result.end == TrialsEnd::invalid_trial);
    CHECK(result.lacks_a_tester);
    CHECK(result.trials == 3);
    CHECK(result.servers() == Addresses{"198.18.0.2", "198.18.1.2"});
    CHECK(server.asked.front().last_asked.empty());
    CHECK(server.asked.back().last_asked == Addresses{"198.18.0.2", "198.18.1.2"});
    search_by_two(Journal::resume(path, of_host), "198.18.5.2", 1, false);
    CHECK(result.end == TrialsEnd::interrupted);
    CHECK(server.asked.back().last_asked == Addresses{"198.18.0.2", "198.18.1.2"});
    Journal journal = Journal::resume(path, of_host);
    result = run_search(with_retries, journal, runner(server));
    CHECK(result.end == TrialsEnd::complete);
    CHECK_FALSE(result.lacks_a_tester);
    CHECK(server.asked.at(4).last_asked == Addresses{"198.18.0.2", "198.18.5.2"});
    CHECK(server.asked.back().last_asked == Addresses{"198.18.0.2"});
    CHECK(dnsgauge::to_json(result, of_host).at("teams") ==
          Json({{{"hosts", {"a", "b"}}, {"servers", {"198.18.0.2", "198.18.1.2"}}, {"trials", 3}},
                {{"hosts", {"a", "b"}}, {"servers", {"198.18.0.2", "198.18.5.2"}}, {"trials", 1}},
                {{"hosts", {"a"}}, {"servers", {"198.18.0.2"}}, {"trials", result.trials - 4}}}));
    CHECK(result.servers() == Addresses{"198.18.0.2", "198.18.1.2", "198.18.5.2"});
    CHECK_THAT(to_text(result),
               Contains("2 Testers (a, b) made 3 trials of 198.18.0.2, 198.18.1.2, then 2 Testers "
                        "(a, b) made 1 trial of 198.18.0.2, 198.18.5.2, then 1 Tester (a) made"));
}

TEST_CASE("a first trial that a Tester sent no part of leaves open what that Tester asks")
{
    const auto lost_first = [](TrialResult trial) {
        trial.testers = {{.rank = 0, .host = "a", .clock = {}, .trial = TrialResult{}},
                         {.rank = 1, .host = "b", .clock = {}, .trial = {}}};
        trial.testers.front().trial->server = trial.server;
        trial.verdict = Verdict::invalid;
        return trial;
    };
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    {
        Journal journal = Journal::create(path, header);
        const SearchResult result = run_search(
            plan, journal, [&](const SearchPlace &place) { return lost_first(server(place)); });
        CHECK(dnsgauge::to_json(result, header).at("teams").at(0).at("servers") ==
              Json({"198.18.0.2", ""}));
    }
    Journal journal = Journal::resume(path, header);
    const SearchResult result = run_search(plan, journal, [&](const SearchPlace &place) {
        TrialResult trial = lost_first(server(place));
        trial.testers.back().trial = trial.testers.front().trial;
        trial.testers.back().trial->server = "198.18.1.2";
        trial.verdict =
            server.asked.back().turn.rate.per_second > 5 ? Verdict::fail : Verdict::pass;
        return trial;
    });
    CHECK(server.asked.at(1).last_asked.empty());
    CHECK(result.teams.size() == 1);
    CHECK(result.teams.front().servers == std::vector<std::string>{"198.18.0.2", "198.18.1.2"});
}

TEST_CASE("a range that passes is a result, and can be raised")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server{.threshold = 20, .asked = {}};
    SearchResult result;
    const auto go_on = [&](std::uint64_t max) {
        Journal journal = Journal::resume(path, header_with(max));
        result = run_search(up_to(max), journal, runner(server));
    };
    {
        Journal journal = Journal::create(path, header_with(8));
        result = run_search(up_to(8), journal, runner(server));
    }
    CHECK(result.end == TrialsEnd::above_range);
    CHECK(result.at_least() == Rate{8});
    CHECK(result.rates().empty());
    CHECK(dnsgauge::to_json(result, header).at("at_least") == 8);
    CHECK(dnsgauge::to_json(result, header).at("repetitions").at(0).at("at_least") == 8);
    CHECK_THAT(to_text(result), Contains(">= 8") && Contains("8 queries/s or more"));
    CHECK_THAT(read_file(path), Contains(R"({"record":"result","at_least":8})"));

    const std::size_t before = server.asked.size();
    go_on(16);
    CHECK(server.asked.size() == before + 1); // only the new end is tried
    CHECK(result.at_least() == Rate{16});
    go_on(32);
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rates() == std::vector<double>{20});
    CHECK_FALSE(result.at_least());
    const std::size_t all = server.asked.size();
    go_on(32);
    CHECK(server.asked.size() == all);
    CHECK(result.rates() == std::vector<double>{20});
    for (const std::uint64_t other : {8U, 16U, 64U}) {
        CAPTURE(other);
        CHECK_THROWS_WITH(go_on(other), Contains("of another search: max-rate was 32, now it is"));
    }
}

TEST_CASE("a range in which the rate was found, or whose names are given out, stays as it is")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    {
        Journal journal = Journal::create(path, header_with(8));
        (void)run_search(up_to(8), journal, runner(server));
    }
    {
        Journal journal = Journal::resume(path, header_with(16));
        CHECK_THROWS_WITH(run_search(up_to(16), journal, runner(server)),
                          Contains("max-rate was 8, now it is 16"));
    }
    (void)std::remove(path.c_str());
    {
        Journal journal = Journal::create(path, header_with(8, true));
        Server fast{.threshold = 20, .asked = {}};
        (void)run_search(up_to(8), journal, runner(fast));
    }
    CHECK_THROWS_WITH(Journal::resume(path, header_with(16, true)), Contains("max-rate was 8"));
    CHECK_THROWS_WITH(Journal::resume(path, header_with(4)), Contains("it is of another search"));
}

TEST_CASE("a journal belongs to the CPUs that the user named, not to one that the machine chose")
{
    SearchRequest request;
    TesterSetup setup;
    setup.sender_cpus = {3};
    setup.options = options_of_setup(request.trial, {1});
    CHECK(journal_header(request, SearchRequest::kind, {}, setup).at("setup").at("sender_cpus") ==
          Json::array());
    CHECK(journal_header(request, SearchRequest::kind, {}, setup).at("setup").at("sender_queues") ==
          Json::array());
    request.trial.cpus = {0, 3};
    CHECK(journal_header(request, SearchRequest::kind, {}, setup).at("setup").at("sender_cpus") ==
          Json::array({0, 3}));
    request.trial.sender_queues = {0, 1}; // the usual ones
    CHECK(journal_header(request, SearchRequest::kind, {}, setup).at("setup").at("sender_queues") ==
          Json::array());
    request.trial.sender_queues = {0, 2};
    CHECK(journal_header(request, SearchRequest::kind, {}, setup).at("setup").at("sender_queues") ==
          Json::array({0, 2}));
}

TEST_CASE("the Tester's limit ends a search with a bound, and a resumed one with the same")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    SearchPlan wide = plan;
    wide.range = {Rate{1}, Rate{64}, 1};
    wide.invalid_retries = 10;
    Server server{.threshold = 100, .asked = {}};
    // The Tester offers 20 queries/s at most.
    const TrialRunner limited = [&server](const SearchPlace &place) {
        TrialResult trial = server(place);
        if (place.turn.rate > Rate{20}) {
            trial.verdict = Verdict::invalid;
            trial.why = "the Tester was too slow";
            trial.rate_not_offered = true;
        }
        return std::optional(trial);
    };
    SearchResult result;
    Json whole;
    {
        Journal journal = Journal::create(path, header_with(64));
        result = run_search(wide, journal, limited);
        add_findings(result);
        whole = dnsgauge::to_json(result, header);
    }
    CHECK(result.end == TrialsEnd::not_offered);
    CHECK(result.rates().empty());
    CHECK(result.at_least() == Rate{20});
    CHECK(result.not_offered() == Rate{21});
    CHECK(rates(server.asked) ==
          std::vector<std::uint64_t>{1, 64, 64, 32, 32, 16, 24, 24, 20, 22, 22, 21, 21});
    for (const SearchPlace &place : server.asked)
        CHECK(place.retries <= 1);
    CHECK(result.gone_below == 5);
    CHECK(result.made_again(false) == 5);
    CHECK(whole.at("end") == "not offered");
    CHECK(whole.at("at_least") == 20);
    CHECK(whole.at("not_offered") == 21);
    const std::string limit =
        "the server answers at least 20 queries/s; the Tester is the limit at 21 queries/s";
    CHECK(whole.at("tester_limit") == limit);
    CHECK(whole.at("repetitions").at(0).at("not_offered") == 21);
    CHECK(whole.at("repetitions").at(0).at("lowest_failed").is_null());
    CHECK_THAT(to_text(result), Contains(limit) && Contains("(>= 20)") &&
                                    Contains("The Tester could not offer 5 rates"));
    CHECK_THAT(how_to_find_more(result, true), Contains(limit) && Contains("--cpus"));
    const std::string content = read_file(path);
    CHECK_THAT(content, Contains(R"({"record":"result","at_least":20,"not_offered":21})"));
    CHECK_THAT(content, Contains(R"("rate_not_offered":true)"));

    // A crash after each record leads to the same result.
    for (std::size_t end = content.find('\n') + 1; end < content.size();
         end = content.find('\n', end) + 1) {
        CAPTURE(end);
        write_file(path, content.substr(0, end));
        Journal journal = Journal::resume(path, header_with(64));
        const SearchResult again = run_search(wide, journal, limited);
        REQUIRE(again.end == TrialsEnd::not_offered);
        REQUIRE(again.at_least() == Rate{20});
        REQUIRE(again.not_offered() == Rate{21});
    }
    // No higher range is of use.
    write_file(path, content);
    Journal higher = Journal::resume(path, header_with(128));
    SearchPlan wider = wide;
    wider.range.max = Rate{128};
    CHECK_THROWS_WITH(run_search(wider, higher, limited), Contains("of another search"));
}
