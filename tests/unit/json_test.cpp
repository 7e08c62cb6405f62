// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"
#include "record/machine_fields.h"
#include "record/probe_fields.h"
#include "record/trial_fields.h"
#include "text/comparison.h"
#include "text/figure_text.h"
#include "text/trial_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace dnsgauge;
using Catch::Contains;
using Catch::Matches;

namespace
{

TrialResult some_trial()
{
    TrialResult result;
    result.server = "198.18.0.2";
    result.queries = {.sent = 134, .valid = 60, .late = 10, .lost = 9, .invalid = {}};
    result.queries.invalid = {.rcode = 1,
                              .no_answer = 2,
                              .wrong_data = 3,
                              .wrong_owner = 8,
                              .extra_records = 9,
                              .trailing_octets = 10,
                              .wrong_flags = 7,
                              .truncated = 5,
                              .wrong_question = 4,
                              .malformed = 6};
    result.rcodes[0] = 80;
    result.rcodes[2] = 1;
    result.rcodes[16] = 2;
    result.rcodes[31] = 3;
    result.rtt = {.count = 60,
                  .min = 1,
                  .mean = 2.5,
                  .stddev = 1.5,
                  .p50 = 2,
                  .p90 = 3,
                  .p99 = 4,
                  .p99_9 = 5,
                  .max = 6};
    result.accept_percent = 99.9;
    result.timeout = std::chrono::milliseconds(250);
    result.caveats.deviations = {"accepts 99.9 %"};
    result.why = "because";
    return result;
}

} // namespace

TEST_CASE("the counts of a trial's object add up")
{
    const auto json = to_json(some_trial());
    CHECK(json.at("schema") == "dnsgauge/trial/1");
    std::uint64_t invalid = 0;
    for (const char *reason :
         {"rcode", "no_answer", "wrong_data", "wrong_question", "wrong_owner", "extra_records",
          "trailing_octets", "wrong_flags", "truncated", "malformed"})
        invalid += json.at("invalid").at(reason).get<std::uint64_t>();
    CHECK(json.at("invalid").at("total") == invalid);
    CHECK(json.at("valid").get<std::uint64_t>() + json.at("late").get<std::uint64_t>() +
              json.at("lost").get<std::uint64_t>() + invalid ==
          json.at("sent").get<std::uint64_t>());
    CHECK(
        json.at("rcodes") ==
        nlohmann::ordered_json{{"NOERROR", 80}, {"SERVFAIL", 1}, {"BADVERS", 2}, {"RCODE31+", 3}});
}

TEST_CASE("a curve tells the RTT of the slowest shares, where no answer is the slowest of all")
{
    TrialResult result = some_trial();
    result.queries = {.sent = 10, .valid = 8, .late = 1, .lost = 1, .invalid = {}};
    result.rtt.max = 2'005'000;
    result.rtt.histogram = {{100, 100, 4}, {2'000'000, 2'010'000, 4}};
    const auto curve = to_json(result).at("rtt_curve");
    CHECK(curve.at("slower_than_1ms").get<double>() == Approx(0.6));
    CHECK(curve.at("slower_than_10ms").get<double>() == Approx(0.2));
    CHECK(curve.at("slower_than_1s").get<double>() == Approx(0.2));

    // Ten points from all queries to a tenth of them, and one for less than a query.
    const auto &points = curve.at("points");
    REQUIRE(points.size() == 12);
    const auto rtt_of = [&points](std::size_t at) { return points.at(at).at(1); };
    CHECK(points.at(0).at(0) == 1);
    CHECK(rtt_of(0) == 100);
    CHECK(points.at(3).at(0).get<double>() == Approx(0.501187));
    CHECK(rtt_of(2) == 100);
    CHECK(rtt_of(3) == 2'005'000);
    CHECK(rtt_of(6) == 2'005'000);
    CHECK(rtt_of(7) == 250'000'000);
    CHECK(rtt_of(11) == 250'000'000);

    result.queries = {};
    CHECK(to_json(result).at("rtt_curve").at("points").empty());
}

TEST_CASE("a trial of a list has the list, and no names")
{
    TrialResult result = some_trial();
    CHECK(to_json(result).at("workload") == nlohmann::ordered_json{{"kind", "names"}});
    result.list = {.file = "queries.txt",
                   .queries = 1000,
                   .distinct = 998,
                   .memory = 65536,
                   .shuffle_seed = 7,
                   .expect = Expect::answered};
    const auto json = to_json(result);
    CHECK(json.at("workload") == nlohmann::ordered_json{{"kind", "list"},
                                                        {"file", "queries.txt"},
                                                        {"queries", 1000},
                                                        {"distinct", 998},
                                                        {"memory_octets", 65536},
                                                        {"shuffle_seed", 7},
                                                        {"expect", "answered"},
                                                        {"letter_case", "any"},
                                                        {"mix_case_seed", nullptr}});
    result.list->letters = {.letter_case = LetterCase::exact, .seed = 5};
    CHECK(to_json(result).at("workload").at("letter_case") == "exact");
    CHECK(to_json(result).at("workload").at("mix_case_seed") == 5);
    for (const char *field : {"zone", "names", "qtype", "answer"})
        CHECK_FALSE(json.contains(field));
}

TEST_CASE("a trial's object has a row for each interval, and one for the later part")
{
    TrialResult result = some_trial();
    CHECK(to_json(result).at("interval_s").is_null());
    CHECK(to_json(result).at("intervals").empty());
    CHECK(to_json(result).at("later_part").is_null());
    result.interval = std::chrono::milliseconds(500);
    IntervalSummary interval;
    interval.since = std::chrono::milliseconds(1500);
    interval.queries = {.sent = 9, .valid = 2, .late = 3, .lost = 4, .invalid = {}};
    interval.rcodes[3] = 5;
    result.intervals = {{}, interval};
    result.later_part = interval;
    const auto json = to_json(result);
    CHECK(json.at("interval_s") == 0.5);
    REQUIRE(json.at("intervals").size() == 2);
    const auto &row = json.at("intervals")[1];
    CHECK(row.at("since_s") == 1.5);
    CHECK(row.at("sent") == 9);
    CHECK(row.at("valid") == 2);
    CHECK(row.at("late") == 3);
    CHECK(row.at("lost") == 4);
    CHECK(row.at("invalid").at("total") == 0);
    CHECK(row.at("rcodes") == nlohmann::ordered_json{{"NXDOMAIN", 5}});
    CHECK(row.at("rtt_ns").at("p50").is_null());
    CHECK(json.at("later_part") == row);
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("2 of 0.5 s; fewest valid in the one from 1.5 s on: 2 of 9\n") &&
                         Contains("since 1.5 s") && Contains("lost 4"));
    result.queries = {.sent = 9, .valid = 9, .late = 0, .lost = 0, .invalid = {}};
    CHECK_THAT(to_text(result), Contains("2 of 0.5 s; in each all queries were valid\n"));
}

TEST_CASE("a trial of captures says what was played, and what was left out")
{
    TrialResult result = some_trial();
    result.replay = ReplaySummary{.files = {"a.pcap", "b.pcap"},
                                  .clients_in = "198.19.0.0/16",
                                  .clients = 12,
                                  .keeps_ports = true,
                                  .queries = 1000,
                                  .played = 2,
                                  .speed = 1.5,
                                  .skip = std::chrono::seconds(3),
                                  .memory = 65536,
                                  .expect = Expect::captured,
                                  .unanswered = 4,
                                  .left_out = {{"tcp", 5}, {"fragments", 0}}};
    const auto json = to_json(result);
    CHECK(
        json.at("workload").dump() ==
        R"({"kind":"captures","files":["a.pcap","b.pcap"],"capture_server":null,)"
        R"("capture_port":53,"queries":1000,"clients":12,"client_ports":true,"clients_in":"198.19.0.0/16",)"
        R"("played":2,"speed":1.5,"skip_s":3.0,"memory_octets":65536,"expect":"captured",)"
        R"("unanswered":4,"left_out":{"tcp":5,"fragments":0},)"
        R"("letter_case":"any","mix_case_seed":null})");
    CHECK_FALSE(json.contains("zone"));
}

TEST_CASE("a trial's object has a row for each lane, and the histogram of their lateness")
{
    TrialResult result = some_trial();
    result.sending.lateness_histogram = {{.from = 0, .to = 7, .count = 2}};
    result.sending.lanes = {{.share = 4,
                             .queue = 1,
                             .cpu = 3,
                             .sent = 50,
                             .last_sent = std::chrono::nanoseconds(9),
                             .lateness = {.p50 = 1, .p99 = 2, .max = 3},
                             .driver_lag = std::chrono::nanoseconds(5),
                             .kicks = 6,
                             .waited = std::chrono::nanoseconds(7)}};
    const auto sending = to_json(result).at("sending");
    CHECK(sending.at("lateness_histogram_ns").dump() == "[[0,7,2]]");
    CHECK(sending.at("lanes").dump() ==
          R"([{"share":4,"queue":1,"cpu":3,"sent":50,"last_sent_ns":9,)"
          R"("lateness_ns":{"p50":1,"p99":2,"max":3},"driver_lag_ns":5,"kicks":6,"waited_ns":7}])");
}

TEST_CASE("the conditions of a trial can be read back")
{
    Circumstances with;
    with.started = "2026-11-21T14:00:00Z";
    with.version = "1";
    with.command = {"dnsgauge", "trial"};
    with.kernel = "Linux";
    with.cpu_model = "Abacus";
    with.cpus = 2;
    with.sender_cpus = {0, 1};
    with.sender_cpus_why = "it was idle";
    with.sender_nice = 3;
    with.interface = "g0";
    with.driver = "veth";
    with.mtu = 1500;
    with.link_mbps = GENERATE(0U, 10'000U);
    with.queues = 2;
    with.modes = {{"xdp_mode", "native"}, {"af_xdp_mode", "copy"}, {"umem_pages", "huge"}};
    with.busy_poll = true;
    with.idle_cpus_poll = true;
    with.kick_budget = GENERATE(0U, 32U);
    with.receive_stamps = "hardware";
    with.transmit_stamps = "software";
    with.contradictory_stamps = 4;
    with.source_address = "198.18.0.1";
    with.next_hop_mac = "02:00:00:00:00:02";
    with.source_ports = 4000;
    with.first_source_port = 1024;
    const nlohmann::ordered_json json = written(with);
    CHECK(written(read_fields<Circumstances>(json)) == json);
    for (const char *name : {"started", "cpus", "sender_cpus", "link_mbps", "source_address"}) {
        CAPTURE(name);
        auto broken = json;
        broken.erase(name);
        CHECK_THROWS_AS(read_fields<Circumstances>(broken), nlohmann::json::exception);
    }
    with.link_wait = std::chrono::nanoseconds(7);
    CHECK(read_fields<Circumstances>(written(with)).link_wait == with.link_wait);
    with.wall_clock = WallClock{.is_synchronised = GENERATE(true, false),
                                .error_most = std::chrono::microseconds(8),
                                .programs = {"chronyd", "ptp4l"}};
    const nlohmann::ordered_json clock = written(with);
    CHECK(written(read_fields<Circumstances>(clock)) == clock);
    const std::vector<std::pair<const char *, nlohmann::ordered_json>> wrong = {
        {"first_source_port", 65536},   {"cpus", -1},     {"sender_nice", 1e9},
        {"sender_cpus", {{"zero", 0}}}, {"mtu", nullptr}, {"driver", 1}};
    for (const auto &[name, value] : wrong) {
        CAPTURE(name);
        auto broken = json;
        broken[name] = value;
        CHECK_THROWS_AS(read_fields<Circumstances>(broken), nlohmann::json::exception);
    }
    nlohmann::ordered_json negative = clock;
    negative["wall_clock"]["error_ns"] = -1;
    CHECK_THROWS_WITH(read_fields<Circumstances>(negative),
                      Contains("must not be negative, but is -1"));
}

TEST_CASE("circumstances that only AF_XDP has are missing over TCP, and others are not")
{
    Circumstances with;
    with.source_address = "198.18.0.1";
    const nlohmann::ordered_json json = written(with);
    for (const char *name :
         {"queues", "xdp_mode", "af_xdp_mode", "umem_pages", "busy_poll", "kick_budget",
          "timestamps", "next_hop_mac", "source_ports", "first_source_port"})
        CHECK_FALSE(json.contains(name));
    CHECK(json.at("source_address") == "198.18.0.1");
    CHECK(json.contains("idle_cpus"));
    CHECK(written(read_fields<Circumstances>(json)) == json);
}

TEST_CASE("a trial over TCP has its connections, and a trial over UDP has none")
{
    TrialResult result = some_trial();
    CHECK(to_json(result).at("transport") == "udp");
    CHECK_FALSE(to_json(result).contains("connections"));
    CHECK_THAT(to_text(result), !Contains("connection"));
    result.transport = Transport::tcp;
    result.connections = ConnectionSummary{
        .at_once = 4,
        .queries_each = 7,
        .pipeline = 2,
        .acks = Acks::delayed,
        .counts = {.opened = 9, .refused = 1, .reset_by_server = 2, .lost_reset = 3},
        .handshakes = {.count = 9, .min = 5, .mean = 6, .stddev = 1, .p50 = 6, .max = 8}};
    const auto json = to_json(result);
    CHECK(json.at("transport") == "tcp");
    const auto &connections = json.at("connections");
    CHECK(connections.at("at_once") == 4);
    CHECK(connections.at("queries_each") == 7);
    CHECK(connections.at("pipeline") == 2);
    CHECK(connections.at("acks") == "delayed");
    CHECK(connections.at("opened") == 9);
    CHECK(connections.at("lost_reset") == 3);
    CHECK(connections.at("closed") == 0);
    CHECK(connections.at("handshake_ns").at("max") == 8);
    CHECK(to_json(read_fields<TrialResult>(json)).at("connections") == connections);
    CHECK_THAT(to_text(result), Contains("TCP, 4 connections at once, 7 queries each at most, "
                                         "2 queries at most without a reply") &&
                                    Contains("connections 9 opened, 1 refused by the server, 2 "
                                             "reset by the server\n") &&
                                    Contains("3 lost: the server reset their connection") &&
                                    Contains("handshakes  median 6 ns"));
}

TEST_CASE("a trial over TLS tells what its handshakes agreed on")
{
    TrialResult result = some_trial();
    result.transport = Transport::dot;
    result.connections = ConnectionSummary{
        .at_once = 4, .counts = {.opened = 9, .tls_failed = 1, .tls_full = 5, .tls_resumed = 4}};
    CHECK_FALSE(to_json(result).at("connections").contains("tls"));
    result.connections->tls = TlsSummary{
        .resumption = Resumption::ticket,
        .name = "dns.test",
        .suites = {{.version = "TLSv1.3", .cipher = "a cipher", .alpn = "dot", .connections = 9}},
        .full = {.count = 5, .min = 5, .mean = 6, .stddev = 1, .p50 = 6, .max = 8},
        .failure = "a reason"};
    const auto json = to_json(result);
    CHECK(json.at("transport") == "dot");
    const auto &tls = json.at("connections").at("tls");
    CHECK(tls.at("resumption") == "ticket");
    CHECK(tls.at("suites").at(0).at("connections") == 9);
    CHECK(tls.at("full_ns").at("max") == 8);
    CHECK(tls.at("resumed_ns").at("max").is_null());
    CHECK(to_json(read_fields<TrialResult>(json)).at("connections") == json.at("connections"));
    CHECK_THAT(to_text(result),
               Contains("TLS, 4 connections at once") &&
                   Contains("1 not opened: the TLS handshake failed") &&
                   Contains("5 full TLS handshakes, 4 resumed TLS handshakes") &&
                   Contains("TLS         TLSv1.3 a cipher, ALPN dot: 9 connections\n") &&
                   Contains("TLS full    median 6 ns") && !Contains("TLS resumed ") &&
                   Contains("server's name dns.test, certificate not checked") &&
                   Contains("failed first for this reason: a reason"));
}

TEST_CASE("a trial over HTTPS tells its requests and other responses than replies")
{
    TrialResult result = some_trial();
    result.transport = Transport::doh;
    result.connections = ConnectionSummary{.at_once = 4,
                                           .counts = {.opened = 4, .lost_http_status = 3},
                                           .tls = TlsSummary(),
                                           .http = HttpSummary{.method = HttpMethod::get,
                                                               .url = "https://dns.test/q",
                                                               .statuses = {{"404", 1}, {"503", 2}},
                                                               .failure = "a reason"}};
    const auto json = to_json(result);
    CHECK(json.at("transport") == "doh");
    const auto &http = json.at("connections").at("http");
    CHECK(http.at("method") == "get");
    CHECK(http.at("statuses").at("503") == 2);
    const auto again = to_json(read_fields<TrialResult>(json));
    CHECK(again.at("connections").at("http").at("url") == http.at("url"));
    CHECK(again.at("connections").at("lost_http_status") == 3);
    CHECK_THAT(to_text(result),
               Contains("HTTPS, 4 connections at once") &&
                   Contains("3 lost: an HTTP status other than 200") &&
                   Contains("HTTP        GET https://dns.test/q; responses by status: 404 1, 503 "
                            "2\n") &&
                   Contains("failed first for this reason: a reason"));
}

TEST_CASE("a trial over QUIC tells what became of its streams")
{
    TrialResult result = some_trial();
    result.transport = Transport::doq;
    result.connections = ConnectionSummary{.at_once = 4, .counts = {.opened = 9}};
    CHECK_FALSE(to_json(result).at("connections").contains("quic"));
    result.connections->quic = QuicCounts{.datagrams_sent = 20, .lost_reset = 3};
    const auto json = to_json(result);
    CHECK(json.at("transport") == "doq");
    CHECK(json.at("connections").at("quic").at("lost_reset") == 3);
    CHECK(to_json(read_fields<TrialResult>(json)).at("connections") == json.at("connections"));
    CHECK_THAT(to_text(result),
               Contains("QUIC, 4 connections at once") &&
                   Contains("20 datagrams sent, 3 lost: the server reset their stream"));
}

TEST_CASE("a trial's text and its object have the hints, with the figures they come from")
{
    TrialResult result = some_trial();
    CHECK_FALSE(to_json(result).contains("hints"));
    CHECK_THAT(to_text(result), !Contains("hint"));
    result.hints = {{.kind = "nagle", .text = "a sentence", .figures = {{"held_ns", 7}}}};
    const auto json = to_json(result);
    CHECK(json.at("hints").at(0).at("figures").dump() == R"({"held_ns":7})");
    CHECK(to_json(read_fields<TrialResult>(json)).at("hints") == json.at("hints"));
    CHECK_THAT(to_text(result), Contains("  hint        a sentence\n"));
}

TEST_CASE("without a valid reply there is no RTT: null, not zero")
{
    TrialResult result = some_trial();
    result.rtt = {};
    CHECK(to_json(result).at("rtt_ns").at("p50").is_null());
    CHECK(to_json(result).at("rtt_ns").at("count") == 0);
    CHECK_THAT(to_text(result), !Contains("RTT"));
}

TEST_CASE("a trial's object has the whole histogram of its RTTs, without empty rows")
{
    TrialResult result = some_trial();
    result.rtt.histogram = {{.from = 1, .to = 1, .count = 20}, {.from = 6, .to = 7, .count = 40}};
    const auto json = to_json(result);
    CHECK(json.at("rtt_histogram_ns").dump() == "[[1,1,20],[6,7,40]]");
    CHECK(json.at("rtt_hardware_histogram_ns").dump() == "[]");
}

TEST_CASE("a trial's text names each reason, and marks what RFC 8219 does not allow")
{
    const std::string text = to_text(some_trial());
    CHECK_THAT(text, Contains("4 wrong question") && Contains("6 malformed"));
    CHECK_THAT(text, Contains("not compliant with RFC 8219: accepts 99.9 %\n"));
    TrialResult compliant = some_trial();
    compliant.caveats.deviations.clear();
    CHECK_THAT(to_text(compliant), !Contains("RFC 8219"));
}

TEST_CASE("a trial's text has the RCODEs where one of them was wrong")
{
    TrialResult result = some_trial();
    CHECK_THAT(to_text(result),
               Contains("RCODEs      NOERROR 80, SERVFAIL 1, BADVERS 2, RCODE31+ 3\n"));
    result.queries.invalid.rcode = 0;
    CHECK_THAT(to_text(result), !Contains("RCODEs"));
}

TEST_CASE("a trial's text tells which share of its CPUs others had")
{
    using namespace std::chrono_literals;
    TrialResult result = some_trial();
    CpuUse sender;
    sender.sends = true;
    sender.elapsed = 1s;
    sender.sender_waited = 12ms;
    sender.others = 30ms;
    sender.unseen = 1ms;
    CpuUse server;
    server.cpu = 1;
    server.receives = true;
    server.elapsed = 1s;
    server.server_ran = 500ms;
    server.steal = 7ms;
    result.cpus = {sender, server};
    CHECK_THAT(to_text(result), !Contains("the server waited"));
    CHECK(to_json(result)["cpus"][1]["absence"].is_null());
    result.cpus[1].absence = {.longest = 2400us, .process = 17, .name = "make"};
    CHECK_THAT(to_text(result), Contains("the hypervisor 0.70 %; the server waited for make (17) "
                                         "2.40 ms at most\n"));
    CHECK(read_list<CpuUse>(to_json(result)["cpus"])[1].absence->name == "make");
    result.cpus[1].absence = {.longest = 4ms};
    CHECK_THAT(to_text(result),
               Contains("0.70 %; the server waited for the hypervisor 4.00 ms at most\n"));
    result.cpus[1].absence = {};
    CHECK_THAT(to_text(result),
               Contains("CPU 0       sends; others had 3.10 %, the hypervisor 0.00 "
                        "%, and the sender waited for 1.20 %") &&
                   Contains("CPU 1       receives, runs the server; others had "
                            "0.00 %, the hypervisor 0.70 %\n"));
}

TEST_CASE("whether absences were recorded can be read back, and may be missing")
{
    Circumstances with;
    with.server_absences = "recorded";
    const nlohmann::ordered_json json = written(with);
    CHECK(read_fields<Circumstances>(json).server_absences == "recorded");
    with.server_absences.clear();
    CHECK_FALSE(written(with).contains("server_absences"));
    CHECK(read_fields<Circumstances>(written(with)).server_absences.empty());
}

TEST_CASE("a trial's text says where absences of the server's CPU were not recorded")
{
    TrialResult result = some_trial();
    result.stalls.emplace();
    result.circumstances.server_absences = "recorded";
    CHECK_THAT(to_text(result), !Contains("stalls"));
    result.circumstances.server_absences = "not recorded: the kernel is too old";
    CHECK_THAT(to_text(result), Contains("  stalls      of the server's CPU: not recorded: the "
                                         "kernel is too old\n"));
}

TEST_CASE("a trial's text says why the sender of each Tester has its CPU")
{
    TrialResult result = some_trial();
    CHECK_THAT(to_text(result), !Contains("sender "));
    result.circumstances.sender_cpus = {2, 3};
    result.circumstances.sender_cpus_why = "it was idle";
    CHECK_THAT(to_text(result), Contains("  sender      CPU 2,3: it was idle\n"));
    result.testers.resize(3);
    for (std::uint32_t rank = 0; rank < 3; rank++)
        result.testers[rank].rank = rank;
    result.testers[0].trial = some_trial(); // its options name the CPU
    result.testers[2].trial = some_trial();
    result.testers[2].trial->circumstances = result.circumstances;
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("  sender      Tester 2: CPU 2,3: it was idle\n"));
    CHECK_THAT(text, !Contains("sender      CPU") && !Contains("sender      Tester 0"));
}

TEST_CASE("a trial's object says whether it is RFC 8219's, and why not")
{
    TrialResult result = some_trial();
    CHECK(to_json(result).at("rfc8219") ==
          nlohmann::ordered_json{{"compliant", false}, {"deviations", {"accepts 99.9 %"}}});
    result.caveats.deviations.clear();
    CHECK(to_json(result).at("rfc8219").dump() == R"({"compliant":true,"deviations":[]})");
}

TEST_CASE("results stand side by side, a column each")
{
    const auto one = to_json(some_trial());
    const std::string text = compare({{"first", &one}, {"second", &one}});
    CHECK_THAT(text, Contains("first") && Contains("second") && Contains("198.18.0.2"));
    // There is no row where all results are the same, or as usual.
    CHECK_THAT(text, !Contains("timeout") && !Contains("self-test") && !Contains("doubt"));
    auto doubtful = one;
    doubtful["doubts"] = {"others had CPU 1"};
    CHECK_THAT(compare({{"first", &one}, {"second", &doubtful}}),
               Contains("second, doubt: others had CPU 1."));
    auto broken = one;
    broken.erase("sent");
    CHECK_THROWS_AS(compare({{"broken", &broken}}), nlohmann::json::exception);
    auto forged = one;
    forged["verdict"] = "fail\rpass";
    CHECK_THROWS_WITH(compare({{"forged", &forged}}), Contains(R"("fail\rpass")"));
}

TEST_CASE("results side by side say what was judged, what stalls cost and how names were ordered")
{
    TrialResult result = some_trial();
    result.judged = {.rules = {"owner"}, .accepted = {}};
    result.stalls.emplace();
    const auto usual = to_json(result);
    CHECK(usual["name_order"] == "ascending");
    auto older = usual;
    CHECK(usual["catch_up"].is_null());
    for (const char *field : {"judged", "stalls", "name_order", "catch_up"})
        older.erase(field);
    const std::string plain = compare({{"a", &usual}, {"b", &older}});
    for (const char *row :
         {"loosened rules", "by stalls", "order of names", "catching up", "transport"})
        CHECK_THAT(plain, !Contains(row));
    result.judged.accepted = {"aa", "extra"};
    result.stalls->tester.lost = 200;
    result.stalls->server.lost = 20;
    result.stalls->server.late = 3;
    result.name_order = NameOrder::random;
    result.catch_up = 1.5;
    result.transport = Transport::tcp;
    const auto other = to_json(result);
    CHECK(other["name_order"] == "random");
    CHECK(other["catch_up"] == 1.5);
    CHECK_THAT(compare({{"a", &usual}, {"b", &other}}),
               Matches("[^]*transport +udp +tcp\n[^]*") &&
                   Matches("[^]*order of names +ascending +random\n[^]*") &&
                   Matches("[^]*catching up +at 1.5 times the rate\n[^]*") &&
                   Matches("[^]*loosened rules +aa, extra\n[^]*") &&
                   Matches("[^]*of these by stalls +220 lost, 3 late\n[^]*"));
}

TEST_CASE("results side by side tell each stage of a probe")
{
    TrialResult result = some_trial();
    const auto without = to_json(result);
    CHECK_THAT(compare({{"a", &without}, {"b", &without}}), !Contains("stage"));
    result.probe.emplace();
    result.probe->server = {.count = 9, .p50 = 11'000, .p99 = 90'000};
    const auto probed = to_json(result);
    const std::string text = compare({{"a", &probed}, {"b", &without}});
    CHECK_THAT(text, Matches("[^]*stage server median +11.0 us +-\n[^]*") &&
                         Matches("[^]*stage server p99 +90.0 us +-\n[^]*"));
    CHECK_THAT(text, !Contains("stage queue") && !Contains("stage wire"));
    TrialResult sighted = result;
    sighted.probe->wire = sighted.probe->server;
    const auto with_wire = to_json(sighted);
    CHECK_THAT(compare({{"a", &probed}, {"b", &with_wire}}),
               Matches("[^]*stage wire median +- +11.0 us\n[^]*"));

    result.verdict = Verdict::pass;
    RepeatedTrials repeated{.trials = {result, result, result}};
    repeated.trials[1].probe->server.p50 = 12'000;
    repeated.trials[2].probe->server.p50 = 13'000;
    const auto three = to_json(sum_up(repeated));
    CHECK_THAT(compare({{"a", &three}}, TableForm::csv),
               Contains("stage server median,12.0 us (11.0 us to 13.0 us)"));
    repeated.trials[0].verdict = Verdict::invalid;
    repeated.trials[2].probe.reset();
    const auto one = to_json(sum_up(repeated));
    CHECK_THAT(compare({{"a", &one}}), Matches("[^]*stage server median +12.0 us\n[^]*"));
}

TEST_CASE("results side by side tell what a probe saw become of queries")
{
    TrialResult result = some_trial();
    const auto without = to_json(result);
    result.probe =
        ProbeResult{.arrived = 9, .followed = 9, .dropped = {{"no_socket", 1}}, .left = 8};
    const auto probed = to_json(result);
    result.probe = ProbeResult{
        .arrived = 7, .followed = 7, .unanswered = 2, .dropped_replies = {{"qdisc_drop", 5}}};
    result.probe->late = {.queue = 3};
    const auto other = to_json(result);
    const std::string text =
        compare({{"a", &without}, {"b", &probed}, {"c", &other}}, TableForm::csv);
    CHECK_THAT(text, Contains("\nfollowed,-,9,7\r\ndropped: no_socket,-,1,0\r\nunanswered,-,0,2\r\n"
                              "reply dropped: qdisc_drop,-,0,5\r\nreply left,-,8,0\r\n"
                              "late: queue,-,-,3\r\n"));
    CHECK_THAT(text, !Contains("unread") && !Contains("late: server"));
    CHECK_THAT(compare({{"a", &without}}), !Contains("followed"));

    const auto alone = written(ProbeRecord{.probe = *result.probe});
    CHECK_THAT(compare({{"a", &alone}}), Matches("[^]*arrived +7\nfollowed +7\n[^]*"));
}

TEST_CASE("results side by side say what is no result of RFC 8219, or stands on another timeout")
{
    TrialResult result = some_trial();
    const auto lenient = to_json(result);
    result.accept_percent = 100;
    result.caveats.deviations.clear();
    const auto good = to_json(result);
    const std::string plain = compare({{"a", &good}, {"b", &good}});
    for (const char *row : {"timeout", "accepted", "RFC 8219", "self-test"})
        CHECK_THAT(plain, !Contains(row));

    const std::string text = compare({{"a", &good}, {"b", &lenient}, {"c", &lenient}});
    CHECK_THAT(text, Matches("[^]*accepted +100 % +99.9 % +99.9 %\n[^]*") &&
                         Matches("[^]*RFC 8219 +not compliant +not compliant\n[^]*") &&
                         Contains("\nb, c: not compliant with RFC 8219: accepts 99.9 %.\n"));

    result.timeout = std::chrono::seconds(1);
    result.caveats.selftest.emplace();
    result.caveats.selftest->why_not = "none was made";
    const auto beyond = to_json(result);
    result.caveats.selftest->why_not.clear();
    result.caveats.selftest->finished = "2026-11-21T14:00:00Z";
    const auto covered = to_json(result);
    CHECK_THAT(compare({{"a", &good}, {"b", &beyond}, {"c", &covered}}),
               Matches("[^]*timeout +0.25 s +1 s +1 s\n[^]*") &&
                   Matches("[^]*self-test +beyond +covered\n[^]*"));
}

TEST_CASE("searches and self-tests stand side by side, too, in every form of a table")
{
    using Json = nlohmann::ordered_json;
    const Json search =
        Json::parse(R"({"schema": "dnsgauge/series/1", "kind": "search", "server": "198.18.0.2",
        "min_rate": 1, "max_rate": 50000, "resolution": 1, "accept_percent": 100, "repeat": 20,
        "statistics": {"count": 20, "median": 40100.5, "p1": 40000, "p99": 41000,
                       "dispersion_percent": 2.49}, "at_least": null, "trials_made": 350,
        "invalid_trials": 0, "end": "complete", "selftest": null,
        "rfc8219": {"compliant": true, "deviations": []}})");
    Json bound = search;
    bound["at_least"] = 50000U;
    const std::string text = compare({{"a", &search}, {"b", &bound}});
    CHECK_THAT(text, Matches("[^]*median +40100.5 +>= 50000\n[^]*") &&
                         Matches("[^]*searches +20 of 20 +20 of 20\n[^]*") && !Contains("invalid"));
    CHECK_THAT(compare({{"a", &search}, {"b", &bound}}, TableForm::csv),
               Contains("median,40100.5,>= 50000"));
    CHECK_THAT(compare({{"a", &search}}, TableForm::markdown), Contains("| median"));
    Json cut = search;
    cut["statistics"]["median"] = nullptr;
    cut["repetitions"] = Json::parse(R"([{"highest_passed": 28750, "lowest_failed": 31718}])");
    CHECK_THAT(compare({{"a", &cut}, {"b", &bound}}), Matches("[^]*median +28750..31718 [^]*"));
    cut["repetitions"][0]["lowest_failed"] = nullptr;
    CHECK_THAT(compare({{"a", &cut}, {"b", &bound}}), Matches("[^]*median +>= 28750 [^]*"));
    cut["repetitions"][0]["highest_passed"] = nullptr;
    CHECK_THAT(compare({{"a", &cut}, {"b", &bound}}), Matches("[^]*median +- [^]*"));

    const Json selftest = Json::parse(R"({"schema": "dnsgauge/selftest/1", "server": "198.18.0.2",
        "min_rate": 1000, "max_rate": 1000, "allowed_rate": 1000, "passed_rate": null,
        "timeout_s": 0.25, "duration_s": 60, "end": "complete",
        "rfc8219": {"compliant": true, "deviations": []}})");
    CHECK_THAT(compare({{"a", &selftest}, {"b", &selftest}}),
               Matches("[^]*allowed +1000 +1000\n[^]*") && Matches("[^]*passed +- +-\n[^]*"));
    CHECK_THROWS_WITH(compare({{"a", &search}, {"b", &selftest}}),
                      Contains("a is the result of a search, b the result of a self-test"));
}

TEST_CASE("a result of an older version is compared, and of its compliance nothing is made up")
{
    TrialResult result = some_trial();
    auto lenient = to_json(result);
    lenient.erase("rfc8219");
    lenient.erase("selftest");
    result.accept_percent = 100;
    auto other = to_json(result);
    other.erase("rfc8219");
    CHECK_THAT(compare({{"a", &lenient}, {"b", &other}}),
               Matches("[^]*RFC 8219 +not compliant +not told\n[^]*"));
}

TEST_CASE("waiting is told in no more digits than matter")
{
    CHECK(waiting_text(0.4) == "0 s");
    CHECK(waiting_text(89) == "89 s");
    CHECK(waiting_text(90) == "2 min");
    CHECK(waiting_text(59.4 * 60) == "59 min");
    CHECK(waiting_text(59.6 * 60) == "1 h 0 min");
    CHECK(waiting_text(5 * 3600 + 12 * 60) == "5 h 12 min");
    CHECK(waiting_text(50 * 3600) == "2 d 2 h");
}
