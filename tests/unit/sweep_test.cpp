// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sweeps of a simulated server: which rates are tried, that no crash loses or repeats a step, and
// what is told of the result.
#include "series/sweep/sweep.h"

#include "record/json.h"
#include "series/columns.h"
#include "support/scratch_directory.h"
#include "support/some_part.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "sweep"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"duration", 1.0}, {"max-rate", 2'000}}}};
const SweepPlan plan{.min = Rate{200}, .max = Rate{2'000}, .rates = 10, .repeat = 2};

// A server that answers `capacity` queries of each second, and loses the rest.
struct Server {
    std::uint64_t capacity = 1'000;
    std::vector<SearchPlace> asked{};
    std::optional<ConnectionSummary> connections{};
    std::optional<ProbeResult> probe{};

    TrialResult operator()(const SearchPlace &place)
    {
        asked.push_back(place);
        TrialResult trial;
        trial.rate = place.turn.rate;
        trial.queries.sent = trial.rate.per_second;
        trial.queries.valid = std::min(trial.queries.sent, capacity);
        trial.queries.lost = trial.queries.sent - trial.queries.valid;
        trial.connections = connections;
        trial.probe = probe;
        trial.transport = connections ? Transport::doh : Transport::udp;
        trial.rtt.count = trial.queries.valid;
        trial.rtt.p50 = 20'000;
        trial.rtt.p99 = 1'500'000;
        trial.rtt.mean = 30'000.5;
        trial.verdict = trial.queries.lost == 0 ? Verdict::pass : Verdict::fail;
        return trial;
    }
};

SweepResult sweep(const SweepPlan &of, Server &server, const std::string &path, bool is_new = true)
{
    Journal journal = is_new ? Journal::create(path, header) : Journal::resume(path, header);
    return run_sweep(of, journal, [&server](const SearchPlace &place) { return server(place); });
}

std::vector<std::uint64_t> rates(const std::vector<TrialSummary> &steps)
{
    std::vector<std::uint64_t> found;
    for (const TrialSummary &step : steps)
        found.push_back(step.rate.per_second);
    return found;
}

std::vector<std::uint64_t> planned(const SweepPlan &of)
{
    std::vector<std::uint64_t> found;
    for (const Rate rate : rates_of(of))
        found.push_back(rate.per_second);
    return found;
}

} // namespace

TEST_CASE("rates have equal distances, or equal ratios, and both ends")
{
    SweepPlan of{.min = Rate{1'000}, .max = Rate{5'000}, .rates = 5};
    CHECK(planned(of) == std::vector<std::uint64_t>{1'000, 2'000, 3'000, 4'000, 5'000});
    of.rates = 4;
    CHECK(planned(of) == std::vector<std::uint64_t>{1'000, 2'333, 3'666, 5'000});
    of = {.min = Rate{1}, .max = Rate{1'000}, .spacing = Spacing::logarithmic, .rates = 4};
    CHECK(planned(of) == std::vector<std::uint64_t>{1, 10, 100, 1'000});
    constexpr std::uint64_t huge = 4'000'000'000'000;
    of = {.min = Rate{1}, .max = Rate{huge}, .rates = 10'000};
    CHECK(planned(of).back() == huge);
    CHECK(std::ranges::is_sorted(planned(of)));
}

TEST_CASE("each repetition tries all rates, upwards")
{
    const ScratchDirectory scratch;
    Server server;
    const SweepResult result = sweep(plan, server, scratch.file("journal"));
    REQUIRE(result.rows.size() == 20);
    CHECK(result.end == TrialsEnd::complete);
    CHECK(server.asked.front().left.count == 20);
    CHECK(server.asked.back().left.count == 1);
    for (std::size_t i = 0; i < result.rows.size(); i++) {
        const TrialSummary &step = result.rows[i];
        CAPTURE(i);
        CHECK(step.rate == Rate{200 * (i % 10 + 1)});
        CHECK(step.repetition == i / 10 + 1);
        CHECK(step.sent == step.rate.per_second);
        CHECK(step.valid == std::min<std::uint64_t>(step.sent, 1'000));
        CHECK(step.sent == step.valid + step.late + step.invalid + step.lost);
        CHECK(server.asked[i].begun == i);
    }
}

TEST_CASE("a bisected sweep has its steps where the curve bends")
{
    const ScratchDirectory scratch;
    const SweepPlan of{.min = Rate{100},
                       .max = Rate{100'100},
                       .spacing = Spacing::bisected,
                       .rates = 12,
                       .repeat = 2};
    Server server{.capacity = GENERATE(3'000U, 40'000U, 77'777U, 99'000U)};
    const SweepResult result = sweep(of, server, scratch.file("journal"));
    REQUIRE(result.rows.size() == 24);
    std::vector<std::uint64_t> first = rates(result.rows);
    std::vector<std::uint64_t> second(first.begin() + 12, first.end());
    first.resize(12);
    CHECK(first[0] == 100);
    CHECK(first[1] == 50'100);
    CHECK(first[2] == 100'100);
    std::ranges::sort(first);
    CHECK(second == first);
    CHECK(std::ranges::adjacent_find(first) == first.end());
    // The interval that holds the bend is as narrow as any becomes.
    const auto above = std::ranges::upper_bound(first, server.capacity);
    REQUIRE(above != first.end());
    CHECK(*above - *(above - 1) <= 100'000 / (4 * 11));
    CHECK(server.asked.front().left.count == 24);
    CHECK(server.asked[5].left.count == 19);
}

TEST_CASE("a curve without a bend is divided where its steps are farthest apart")
{
    const ScratchDirectory scratch;
    const SweepPlan of{
        .min = Rate{1'000}, .max = Rate{9'000}, .spacing = Spacing::bisected, .rates = 9};
    Server server{.capacity = 10'000};
    std::vector<std::uint64_t> tried = rates(sweep(of, server, scratch.file("journal")).rows);
    std::ranges::sort(tried);
    CHECK(tried == std::vector<std::uint64_t>{1'000, 2'000, 3'000, 4'000, 5'000, 6'000, 7'000,
                                              8'000, 9'000});
}

TEST_CASE("a bisected sweep of a range as narrow as its steps tries every rate of it once")
{
    const ScratchDirectory scratch;
    const SweepPlan of{.min = Rate{5}, .max = Rate{14}, .spacing = Spacing::bisected, .rates = 10};
    Server server{.capacity = 9};
    std::vector<std::uint64_t> tried = rates(sweep(of, server, scratch.file("journal")).rows);
    std::ranges::sort(tried);
    CHECK(tried == std::vector<std::uint64_t>{5, 6, 7, 8, 9, 10, 11, 12, 13, 14});
}

TEST_CASE("a sweep that is killed after any record goes on, and loses and repeats no step")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    SweepPlan of = plan;
    of.spacing = GENERATE(Spacing::linear, Spacing::bisected);
    Server server;
    const SweepResult whole = sweep(of, server, path);
    const std::string content = read_file(path);
    for (std::size_t end = content.find('\n'); end + 1 < content.size();
         end = content.find('\n', end + 1)) {
        // The crash leaves half of the record that follows.
        write_file(path, content.substr(0, end + 20));
        Server again;
        const SweepResult result = sweep(of, again, path, false);
        const auto recorded = static_cast<std::size_t>(
            std::count(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        CAPTURE(recorded);
        REQUIRE(again.asked.size() == server.asked.size() - recorded);
        REQUIRE(rates(result.rows) == rates(whole.rows));
        REQUIRE(result.trials == whole.trials);
        REQUIRE(result.end == TrialsEnd::complete);
    }
}

TEST_CASE("a finished sweep is told again without a trial")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    const SweepResult whole = sweep(plan, server, path);
    const std::string content = read_file(path);
    Server again;
    CHECK(dnsgauge::to_json(sweep(plan, again, path, false), header) ==
          dnsgauge::to_json(whole, header));
    CHECK(again.asked.empty());
    CHECK(read_file(path) == content);
}

TEST_CASE("an invalid trial is made again, and no step of the curve")
{
    const ScratchDirectory scratch;
    SweepPlan of = plan;
    of.repeat = 1;
    of.invalid_retries = GENERATE(0U, 1U);
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const SweepResult result = run_sweep(of, journal, [&server](const SearchPlace &place) {
        TrialResult trial = server(place);
        if (server.asked.size() == 4)
            trial = testing::some_stalled_trial(place.turn.rate);
        return std::optional(trial);
    });
    CHECK(result.invalid_trials == 1);
    CHECK(result.made_again(result.end == TrialsEnd::invalid_trial) == of.invalid_retries);
    if (of.invalid_retries == 0) {
        CHECK(result.end == TrialsEnd::invalid_trial);
        CHECK(rates(result.rows) == std::vector<std::uint64_t>{200, 400, 600});
        CHECK(result.last_trial->rate == Rate{800});
        return;
    }
    CHECK(result.end == TrialsEnd::complete);
    CHECK(rates(result.rows) == planned(of));
    CHECK(server.asked.size() == 11);
    CHECK_THAT(to_text(result), Contains("1 of 11 trials was invalid"));
}

TEST_CASE("a sweep that is interrupted has the steps so far")
{
    const ScratchDirectory scratch;
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const SweepResult result =
        run_sweep(plan, journal, [&server](const SearchPlace &place) -> std::optional<TrialResult> {
            if (server.asked.size() == 2)
                return std::nullopt;
            return server(place);
        });
    CHECK(result.end == TrialsEnd::interrupted);
    CHECK(rates(result.rows) == std::vector<std::uint64_t>{200, 400});
}

TEST_CASE("journals of other sweeps, and of searches, are refused")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    (void)sweep(plan, server, path);
    Json other = header;
    // A search may go on with a higher rate; the steps of a sweep follow from that rate.
    other["options"]["max-rate"] = 4'000;
    CHECK_THROWS_WITH(Journal::resume(path, other),
                      Contains("it is of another sweep: ") && Contains("max-rate"));
    other = header;
    other["kind"] = "search";
    CHECK_THROWS_WITH(Journal::resume(path, other), Contains("it is not the journal of a search"));
    SweepPlan of = plan;
    of.rates = 11;
    CHECK_THROWS_WITH(
        sweep(of, server, path, false),
        Contains("line 3: a trial at 400 queries/s where the sweep makes one at 380"));
    of = plan;
    of.repeat = 1;
    CHECK_THROWS_WITH(sweep(of, server, path, false),
                      Contains("line 12: a trial after the end of the sweep"));
}

TEST_CASE("every form tells the rate, and the queries sent and answered")
{
    const ScratchDirectory scratch;
    SweepPlan of = plan;
    of.rates = 4;
    Server server{.capacity = 1'399};
    SweepResult result = sweep(of, server, scratch.file("journal"));
    result.server = "198.18.0.2";
    result.duration = std::chrono::seconds(1);
    result.timeout = std::chrono::milliseconds(250);
    result.caveats.deviations = {"trials of 1 s, not 60 s"};
    const std::string csv = to_text(result, TableForm::csv);
    CHECK_THAT(csv, Catch::StartsWith("rate,repetition,sent,answered,answered_percent,"
                                      "answered_rate,late,invalid,lost,rtt_p50_ns,rtt_p99_ns\r\n"
                                      "200,1,200,200,100.0000,200.0,0,0,0,20000,1500000\r\n"
                                      "800,1,800,800,"));
    CHECK_THAT(csv, Contains("1400,2,1400,1399,99.9286,1399.0,0,0,1,"));
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("Response rate of 198.18.0.2 from 200 to 2000 queries/s: 8 of 8 "
                              "steps of 1 s, timeout 0.25 s, linear spacing, 2 repetitions"));
    CHECK_THAT(text, Contains("not compliant with RFC 8219: trials of 1 s, not 60 s"));
    CHECK_THAT(text, Contains("99.9286") && Contains("1.50 ms"));
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json.at("trials").size() == 8);
    CHECK(json.at("trials").at(3) == Json({{"rate", 2'000},
                                           {"repetition", 1},
                                           {"duration_s", 0.0},
                                           {"started", ""},
                                           {"verdict", "fail"},
                                           {"why", ""},
                                           {"sent", 2'000},
                                           {"answered", 1'399},
                                           {"answered_percent", 69.95},
                                           {"answered_rate", 1'399.0},
                                           {"loss_percent", 30.05},
                                           {"late", 0},
                                           {"invalid", 0},
                                           {"lost", 601},
                                           {"rtt_p50_ns", 20'000},
                                           {"rtt_p99_ns", 1'500'000},
                                           {"rtt_mean_ns", 30'000.5}}));
    CHECK(json.at("options") == header.at("options"));
    server.connections.emplace().at_once = 10;
    CHECK_THAT(to_text(sweep(of, server, scratch.file("doh"))),
               Contains("HTTPS, 10 connections at once, from CPU"));
}

TEST_CASE("a step tells what its probe saw, without histograms, which the journal has")
{
    const ScratchDirectory scratch;
    Server server;
    server.probe.emplace().arrived = 200;
    server.probe->dropped = {{"socket_rcvbuff", 3}};
    server.probe->queue = {.count = 1, .mean = 7.5, .p50 = 7, .histogram = {{7, 8, 1}}};
    server.probe->by_time = {{.queries = 1, .sums = {0, 7}}};
    const std::string path = scratch.file("journal");
    const Json json = dnsgauge::to_json(sweep(plan, server, path), header);
    const Json &seen = json.at("trials").front().at("probe");
    CHECK(seen.at("arrived") == 200);
    CHECK(seen.at("dropped") == Json{{"socket_rcvbuff", 3}});
    CHECK(seen.at("queue_ns").at("mean") == 7.5);
    CHECK(seen.at("queue_ns").at("histogram").empty());
    CHECK_FALSE(seen.contains("by_time"));
    const Journal journal = Journal::resume(path, header);
    const Json &made = journal.records().front().value.at("trial").at("probe");
    CHECK(made.at("queue_ns").at("histogram").size() == 1);
    CHECK(made.at("by_time").size() == 1);
}

TEST_CASE("a share is never rounded up to all, and a step without answers has no RTT")
{
    CHECK(percent_text(9'999'999, 10'000'000) == "99.9999");
    CHECK(percent_text(10, 10) == "100.0000");
    CHECK(percent_text(0, 10) == "0.0000");
    SweepResult result;
    result.rows = {{.rate = Rate{10}, .sent = 10, .lost = 10}};
    CHECK(dnsgauge::to_json(result, header).at("trials").at(0).at("rtt_p50_ns").is_null());
    CHECK_THAT(to_text(result, TableForm::csv), Contains("\r\n10,1,10,0,0.0000,0.0,0,0,10,,\r\n"));
}

TEST_CASE("options that make no sweep are refused")
{
    const auto refused = [](std::vector<GivenOption> more, const std::string &message) {
        std::vector<GivenOption> given = {
            {"interface", "lo"}, {"server", "198.18.0.2"}, {"names", "10.0.0.0/8"}};
        given.insert(given.end(), more.begin(), more.end());
        SweepRequest request;
        read_options(options_of(request), given);
        CHECK_THROWS_WITH(complete(request), Contains(message));
    };
    refused({{"min-rate", "10"}, {"max-rate", "10"}}, "--min-rate 10 must be below --max-rate 10");
    refused({{"min-rate", "1"}, {"max-rate", "10"}}, "--steps 20 would try the same rate twice");
    refused({{"min-rate", "1"}, {"max-rate", "100"}, {"spacing", "logarithmic"}},
            "--steps 20 would try the same rate twice");
    refused({{"min-rate", "1"}, {"max-rate", "100"}, {"spacing", "bisected"}, {"steps", "2"}},
            "--steps 3 or more");
    refused({{"min-rate", "1"}, {"max-rate", "100"}, {"duration", "0.1"}}, "less than one query");
}

TEST_CASE("a sweep leaves out the rates that the Tester cannot offer")
{
    const ScratchDirectory scratch;
    SweepPlan of = plan;
    of.spacing = GENERATE(Spacing::linear, Spacing::bisected);
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const SweepResult result = run_sweep(of, journal, [&server](const SearchPlace &place) {
        TrialResult trial = server(place);
        trial.rate_not_offered = trial.rate > Rate{700};
        if (trial.rate_not_offered)
            trial.verdict = Verdict::invalid;
        return trial;
    });
    CHECK(result.end == TrialsEnd::complete);
    const std::vector<std::uint64_t> tried = rates(result.rows);
    CHECK(std::ranges::max(tried) <= 700);
    CHECK(std::ranges::count(tried, std::ranges::max(tried)) == 2);
    REQUIRE(result.not_offered);
    CHECK(result.not_offered == Rate{of.spacing == Spacing::linear ? 800U : 1'100U});
    // Two trials tell that a rate is beyond the Tester.
    CHECK(result.invalid_trials == 2 * result.gone_below);
    CHECK_THAT(to_text(result), Contains("The Tester could not offer"));
    CHECK(dnsgauge::to_json(result, header).at("not_offered") == result.not_offered->per_second);
}
