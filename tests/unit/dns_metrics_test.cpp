// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The rules of DNS-OARC's dns-metrics schema (2024-05-30), object by object.
#include "record/json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sstream>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;
using json = nlohmann::ordered_json;

namespace
{

TrialResult some_trial()
{
    TrialResult result;
    result.timeout = 250ms;
    result.since = 1'700'000'000s;
    result.until = result.since + 10'260ms;
    result.accept_percent = 99.99;
    result.caveats.deviations = {"accepts 99.99 %"};
    result.queries = {.sent = 100, .valid = 80, .late = 5, .lost = 12, .invalid = {}};
    result.queries.invalid.rcode = 2;
    result.queries.invalid.malformed = 1;
    result.strays = {
        .duplicate = 4, .unexpected = 3, .wrong_source = 2, .bad_checksum = 6, .fragments = 5};
    result.rcodes[0] = 84; // of the valid replies and of the late ones
    result.rcodes[2] = 2;
    result.rcodes[3] = 1;
    result.late_rcodes[0] = 4;
    result.late_rcodes[3] = 1;
    result.rtt.count = 80;
    result.rtt.min = 20'000;
    result.rtt.mean = 23'456.7;
    result.rtt.stddev = 1'000.2;
    result.rtt.max = 30'000;
    result.rtt.histogram = {{20'000, 20'127, 79}, {29'952, 30'207, 1}};
    result.circumstances.version = "0.1.0";
    result.circumstances.command = {"dnsgauge", "trial", "--rate", "10"};
    result.verdict = Verdict::fail;
    result.why = "17 of 100 were not answered";
    return result;
}

std::vector<json> lines_of(const TrialResult &result)
{
    std::vector<json> lines;
    std::istringstream in(to_dns_metrics(result));
    for (std::string line; std::getline(in, line);)
        lines.push_back(json::parse(line));
    return lines;
}

json line_of(const TrialResult &result, const std::string &type)
{
    for (const json &line : lines_of(result))
        if (line.at("type") == type)
            return line;
    FAIL("no " << type);
    return {};
}

} // namespace

TEST_CASE("each line is an object of the schema's types, of one run, the header first")
{
    const std::vector<json> lines = lines_of(some_trial());
    REQUIRE(lines.size() == 3);
    CHECK(lines[0].at("type") == "header");
    CHECK(lines[1].at("type") == "event");
    CHECK(lines[2].at("type") == "stats_sum");
    for (const json &line : lines) {
        CHECK(line.at("runid").is_string());
        CHECK(line.at("runid") == lines[0].at("runid"));
    }
    TrialResult later = some_trial();
    later.since += 1ns;
    CHECK(lines_of(later)[0].at("runid") != lines[0].at("runid"));
}

TEST_CASE("the header has what the schema requires, times in seconds")
{
    const json header = line_of(some_trial(), "header");
    CHECK(header.at("schema_version") == 20240530);
    CHECK(header.at("generator") == "dnsgauge");
    CHECK(header.at("generator_version") == "0.1.0");
    CHECK(header.at("generator_params") == json{"dnsgauge", "trial", "--rate", "10"});
    CHECK(header.at("time_units_per_sec") == 1'000'000'000);
    CHECK(header.at("stats_interval").get<double>() == Approx(10.26));
    CHECK(header.at("timeout").get<double>() == Approx(0.25));
}

TEST_CASE("the verdict is an event that says what RFC 8219 does not allow")
{
    const json event = line_of(some_trial(), "event");
    CHECK(event.at("msg_type") == "verdict");
    CHECK(event.at("msg") == "fail: 17 of 100 were not answered (not compliant with RFC 8219: "
                             "accepts 99.99 %)");
}

TEST_CASE("each query is a response or a timeout, and all is counted in whole numbers")
{
    const json stats = line_of(some_trial(), "stats_sum");
    for (const char *field :
         {"since", "until", "queries", "responses", "timeouts", "unexpected", "discarded"})
        CHECK(stats.at(field).is_number_integer());
    CHECK(stats.at("since") == 1'700'000'000'000'000'000);
    CHECK(stats.at("until") == 1'700'000'010'260'000'000);
    CHECK(stats.at("queries") == 100);
    CHECK(stats.at("responses") == 82);
    CHECK(stats.at("timeouts") == 18);
    CHECK(stats.at("unexpected") == 9);
    CHECK(stats.at("discarded") == 12);
    CHECK(stats.at("response_rcodes") == json{{"NOERROR", 80}, {"SERVFAIL", 2}});
    CHECK(stats.at("conn_info") == json{{"type", "udp"}, {"packets_sent", 100}});
    CHECK(stats.at("dnsgauge").at("schema") == "dnsgauge/trial/1");
}

TEST_CASE("over TCP nobody counts packets")
{
    TrialResult result = some_trial();
    result.transport = Transport::tcp;
    CHECK(line_of(result, "stats_sum").at("conn_info") == json{{"type", "tcp"}});
}

TEST_CASE("each interval is a stats_periodic before the sum, and the header tells its length")
{
    TrialResult result = some_trial();
    result.interval = 2s;
    IntervalSummary interval;
    interval.queries = {.sent = 10, .valid = 6, .late = 1, .lost = 2, .invalid = {}};
    interval.queries.invalid.wrong_question = 1;
    interval.rcodes[0] = 7;
    interval.late_rcodes[0] = 1;
    interval.rtt = {.count = 6, .min = 1, .mean = 2, .max = 3};
    result.intervals.push_back(interval);
    interval.since = 2s;
    interval.queries = {.sent = 10, .lost = 10};
    interval.rcodes = interval.late_rcodes = {};
    interval.rtt = {};
    result.intervals.push_back(interval);
    const std::vector<json> lines = lines_of(result);
    REQUIRE(lines.size() == 5);
    CHECK(lines[0].at("stats_interval").get<double>() == Approx(2));
    CHECK(lines[4].at("type") == "stats_sum");
    const json &first = lines[2];
    CHECK(first.at("type") == "stats_periodic");
    CHECK(first.at("runid") == lines[0].at("runid"));
    CHECK(first.at("since") == 1'700'000'000'000'000'000);
    CHECK(first.at("until") == 1'700'000'002'000'000'000);
    CHECK(first.at("queries") == 10);
    CHECK(first.at("responses") == 6);
    CHECK(first.at("timeouts") == 4);
    CHECK(first.at("unexpected") == 1);
    CHECK(first.at("discarded") == 0);
    CHECK(first.at("response_rcodes") == json{{"NOERROR", 6}});
    CHECK(first.at("response_latency").at("max") == 3);
    CHECK_FALSE(first.contains("dnsgauge"));
    const json &second = lines[3];
    CHECK(second.at("since") == 1'700'000'002'000'000'000);
    CHECK(second.at("timeouts") == 10);
    CHECK_FALSE(second.contains("response_latency"));
}

TEST_CASE("RCODEs sum up to the responses, and responses and timeouts to the queries")
{
    // Each class on its own, and all of them: what was decided has an RCODE in the trial's counts.
    TrialResult all = some_trial();
    all.queries = {};
    all.rcodes = {};
    all.late_rcodes = {};
    std::vector<TrialResult> trials;
    const auto add = [&](std::uint64_t QueryCounts::*count, bool has_rcode) {
        TrialResult one = some_trial();
        one.queries = {};
        one.rcodes = {};
        one.late_rcodes = {};
        for (TrialResult *trial : {&one, &all}) {
            trial->queries.sent += 7;
            trial->queries.*count += 7;
            if (has_rcode)
                trial->rcodes[0] += 7;
            if (count == &QueryCounts::late)
                trial->late_rcodes[0] += 7;
        }
        trials.push_back(one);
    };
    const auto add_invalid = [&](std::uint64_t InvalidCounts::*count, std::size_t rcode) {
        TrialResult one = some_trial();
        one.queries = {};
        one.rcodes = {};
        one.late_rcodes = {};
        for (TrialResult *trial : {&one, &all}) {
            trial->queries.sent += 5;
            trial->queries.invalid.*count += 5;
            if (rcode < trial->rcodes.size())
                trial->rcodes.at(rcode) += 5;
        }
        trials.push_back(one);
    };
    constexpr std::size_t none = DNS_RCODE_COUNTS;
    add(&QueryCounts::valid, true);
    add(&QueryCounts::late, true);
    add(&QueryCounts::lost, false);
    add_invalid(&InvalidCounts::rcode, 5);
    add_invalid(&InvalidCounts::rcode, DNS_RCODE_BADVERS);
    add_invalid(&InvalidCounts::no_answer, 0);
    add_invalid(&InvalidCounts::wrong_data, 0);
    add_invalid(&InvalidCounts::wrong_owner, 0);
    add_invalid(&InvalidCounts::extra_records, 0);
    add_invalid(&InvalidCounts::trailing_octets, 0);
    add_invalid(&InvalidCounts::wrong_flags, 0);
    add_invalid(&InvalidCounts::truncated, 0);
    add_invalid(&InvalidCounts::wrong_question, none);
    add_invalid(&InvalidCounts::malformed, none);
    trials.push_back(all);
    for (const TrialResult &trial : trials) {
        const json stats = line_of(trial, "stats_sum");
        CAPTURE(stats.dump());
        std::uint64_t sum = 0;
        for (const json &count : stats.at("response_rcodes"))
            sum += count.get<std::uint64_t>();
        CHECK(sum == stats.at("responses"));
        CHECK(stats.at("queries") == stats.at("responses").get<std::uint64_t>() +
                                         stats.at("timeouts").get<std::uint64_t>());
    }
}

TEST_CASE("latency is in whole nanoseconds, its buckets are from, to and count")
{
    const json latency = line_of(some_trial(), "stats_sum").at("response_latency");
    for (const char *field : {"avg", "min", "max", "stddev"})
        CHECK(latency.at(field).is_number_integer());
    CHECK(latency.at("avg") == 23'457);
    CHECK(latency.at("stddev") == 1'000);
    CHECK(latency.at("buckets") == json{{20'000, 20'127, 79}, {29'952, 30'207, 1}});
}

TEST_CASE("without a valid reply there is no latency, rather than one of zero")
{
    TrialResult result = some_trial();
    result.rtt = {};
    CHECK_FALSE(line_of(result, "stats_sum").contains("response_latency"));
}

TEST_CASE("a command line that is no UTF-8 still makes JSON")
{
    TrialResult result = some_trial();
    result.circumstances.command = {"dnsgauge", "\xff"};
    CHECK(lines_of(result).size() == 3);
}
