// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_log.h"
#include "machine/findings.h"
#include "probe/probe_log.h"
#include "probe/probe_witness.h"
#include "probe/shared_address.h"
#include "probe/tracepoints.h"
#include "record/probe_fields.h"
#include "system/setup_error.h"
#include "text/lines.h"
#include "text/probe_text.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

// Returns a probe that saw 1,000 queries, of which each fate took some.
ProbeResult many_fates()
{
    ProbeResult probe{.interface = "d0", .port = 53, .arrived = 1'000, .followed = 1'000};
    probe.dropped = {{"socket_rcvbuff", 30}, {"netfilter_drop", 20}};
    probe.unread = 5;
    probe.unanswered = 7;
    probe.dropped_replies = {{"qdisc_drop", 3}};
    probe.left = 935;
    probe.server = {.count = 935,
                    .mean = 12'500.5,
                    .p50 = 11'000,
                    .p90 = 20'000,
                    .p99 = 90'000,
                    .p99_9 = 99'000,
                    .max = 100'000,
                    .histogram = {{.from = 10'000, .to = 100'000, .count = 935}}};
    probe.by_time = {{.queries = 900, .sums = {1, 2, 3, 9'900'000, 5}},
                     {.queries = 35, .sums = {10, 20, 30, 1'787'967, 50}}};
    probe.threads = {{.process = 7,
                      .thread = 8,
                      .name = "nsd",
                      .queries = 942,
                      .calls = 314,
                      .wakeups = 471,
                      .migrations = 1,
                      .ran = Nanoseconds(942'000),
                      .waited = Nanoseconds(5'000)}};
    probe.sockets = {{.inode = 99,
                      .process = 7,
                      .name = "nsd",
                      .thread = 8,
                      .reader = "nsd: server 2",
                      .drops = 30,
                      .buffer = 212'992,
                      .waiting = 277}};
    return probe;
}

} // namespace

TEST_CASE("every lost query of a trial has a fate")
{
    // 1,010 sent, 10 never arrived, 5 replies went lost on the way back.
    const auto fates = fates_of_lost(many_fates(), 1'010, 930);
    std::uint64_t sum = 0;
    for (const Fate &fate : fates)
        sum += fate.count;
    CHECK(sum == 1'010 - 930);
    CHECK(fates.front().count == 10);
    CHECK_THAT(fates.front().text, Contains("never reached the server's network stack"));
    CHECK(fates.back().count == 5);
    CHECK(fates.back().text == "answered, and the reply lost on the way back");
}

TEST_CASE("a fate names the sockets that were full, by those who read them")
{
    ProbeResult probe = many_fates();
    const auto told = [&probe] { return fates_of_lost(probe, 1'010, 930).at(1).text; };
    const std::string full =
        "dropped before the server: a full socket buffer (net.core.rmem_max, SO_RCVBUF)";
    CHECK(told() == full + " of nsd: server 2 (8)");
    ProbedSocket other{.inode = 98, .process = 7, .name = "nsd", .drops = 9, .buffer = 4'096};
    probe.sockets.push_back(other);
    CHECK(told() == full + " of 2 sockets: 30 of nsd: server 2 (8) and 9 of nsd (7)");
    other.process = 0;
    probe.sockets = {other};
    CHECK(told() == full + " of nsd");
    other.name.clear();
    probe.sockets = {other, other, other, other, other};
    CHECK_THAT(told(), Contains("of 5 sockets: 9 of an unknown process and 9 of") &&
                           Contains("process and others"));
    probe.sockets.clear();
    CHECK(told() == full);
}

TEST_CASE("the text of a trial tells what the stages leave of the RTT")
{
    ProbeResult probe = many_fates();
    const auto text = [&probe](const RttSummary &rtt) {
        Lines lines;
        add_probe(lines, probe, &rtt);
        return lines.take();
    };
    RttSummary rtt{.count = 935, .mean = 20'000.5};
    CHECK_THAT(text(rtt), Contains("rest            7.5 us"));
    CHECK_THAT(text(rtt), Contains("of the mean RTT: the way to and fro, and the Tester"));
    // Two thirds of the queries were seen on their way into the socket, too.
    probe.queue = probe.stack = probe.server;
    probe.queue.mean = 1'000;
    probe.stack.mean = 3'000;
    probe.stack.count = 623;
    CHECK_THAT(text(rtt), Contains("rest            4.5 us"));
    CHECK_THAT(text(rtt), Contains("`stack` lacks 312 queries"));
    probe.queue = probe.stack = {};
    // The RTTs are of other queries, too; the clocks disagree.
    rtt.count = 936;
    CHECK_THAT(text(rtt), !Contains("of the mean RTT"));
    rtt = {.count = 935, .mean = 12'000};
    CHECK_THAT(text(rtt), !Contains("of the mean RTT"));
}

TEST_CASE("replies that left too late are the server's, and were not lost on the way back")
{
    ProbeResult probe = many_fates();
    probe.too_late = 3;
    const auto fates = fates_of_lost(probe, 1'010, 930);
    REQUIRE(fates.size() == 8);
    CHECK(fates[6].count == 3);
    CHECK_THAT(fates[6].text, Contains("after twice the timeout"));
    CHECK(fates[7].count == 2);
    CHECK_THAT(fates[7].text, Contains("lost on the way back"));
    const auto places = places_of_lost(probe, 1'010, 930);
    REQUIRE(places);
    CHECK(places->at_server == 68);
    CHECK(places->behind_server == 2);
    // More left too late than have no reply: the others were counted as they came.
    probe.too_late = 9;
    CHECK(places_of_lost(probe, 1'010, 930)->behind_server == 0);
    CHECK(fates_of_lost(probe, 1'010, 930).back().count == 5);
}

TEST_CASE("each late query was somewhere for longest")
{
    ProbeResult probe = many_fates();
    probe.late = {.queue = 5, .wakeup = 1, .server = 20, .leave = 2, .way = 4};
    const auto sum = [](const LatePlaces &places) {
        std::uint64_t all = 0;
        for (const LatePlace &place : late_places)
            all += places.*place.count;
        return all;
    };
    const auto places = [&] { return places_of_late(probe, 1'010, 930, 40); };
    CHECK(sum(places()) == 40);
    CHECK(places().way == 4);
    CHECK(places().unknown == 8);
    const auto texts = texts_of(places());
    REQUIRE(texts.size() == 6);
    CHECK(texts[2].count == 20);
    CHECK(texts[2].text == "in server");
    CHECK(texts_of(LatePlaces{}).empty());
    // The probe may have missed stages of these queries: their times may be longer than it says.
    for (const auto count :
         {&ProbeResult::unlogged, &ProbeResult::forgotten, &ProbeResult::repeated,
          &ProbeResult::taken, &ProbeResult::xdp_sent, &ProbeResult::arrived}) {
        probe.*count += 1;
        CHECK(places().way == 0);
        CHECK(sum(places()) == 40);
        probe.*count -= 1;
    }
    // A part was followed, and all came to the network stack.
    probe.followed = 100;
    CHECK(places().way == 0);
    probe.arrived = 1'010;
    CHECK(places().way == 4);
}

TEST_CASE("the places of lost queries are known where the probe saw all of them")
{
    ProbeResult probe = many_fates();
    const auto places = places_of_lost(probe, 1'010, 930);
    REQUIRE(places);
    CHECK(places->before_server == 10);
    CHECK(places->at_server == 65);
    CHECK(places->behind_server == 5);
    // More arrived than was sent, and more replies came than left.
    CHECK_FALSE(places_of_lost(probe, 999, 930));
    CHECK_FALSE(places_of_lost(probe, 1'010, 936));
    const auto is_known = [&probe](std::uint64_t ProbeResult::*count) {
        ProbeResult other = probe;
        other.*count += 1;
        return places_of_lost(other, 1'010, 930).has_value();
    };
    CHECK_FALSE(is_known(&ProbeResult::arrived));
    CHECK_FALSE(is_known(&ProbeResult::unreadable));
    CHECK_FALSE(is_known(&ProbeResult::unread));
    CHECK_FALSE(is_known(&ProbeResult::taken));
    CHECK_FALSE(is_known(&ProbeResult::refused));
    CHECK_FALSE(is_known(&ProbeResult::xdp_sent));
    CHECK_FALSE(is_known(&ProbeResult::xdp_dropped));
    CHECK_FALSE(places_of_lost({}, 10, 0));
    probe.unanswered--;
    probe.forgotten++;
    CHECK_FALSE(places_of_lost(probe, 1'010, 930));
}

TEST_CASE("nothing is said of fates that no query had")
{
    const ProbeResult probe{.arrived = 10, .followed = 10, .left = 10};
    CHECK(fates_of_lost(probe, 10, 10).empty());
}

TEST_CASE("a probe that cannot have seen all says nothing of fates")
{
    ProbeResult probe{.arrived = 10, .followed = 10, .left = 10};
    CHECK_FALSE(sees_all(probe, 30, 11));
    CHECK_FALSE(sees_all(probe, 9, 9));
    CHECK(fates_of_lost(probe, 30, 11).empty());
    probe.followed = 5;
    CHECK_FALSE(sees_all(probe, 10, 10));
}

TEST_CASE("the followed queries of a sample have fates")
{
    ProbeResult probe{.arrived = 100,
                      .followed = 10,
                      .dropped = {{"no_socket", 3}},
                      .unanswered = 2,
                      .left = 5,
                      .too_late = 1};
    const auto fates = fates_in_sample(probe);
    REQUIRE(fates.size() == 3);
    CHECK(fates[0].count == 3);
    CHECK_THAT(fates[0].text, Contains("no socket at the port"));
    CHECK(fates[1].count == 2);
    CHECK(fates[2].count == 1);
    CHECK_THAT(fates[2].text, Contains("after twice the timeout"));
    probe.arrived = 10;
    CHECK(fates_in_sample(probe).empty());
}

TEST_CASE("queries that AF_XDP took or refused have fates, too")
{
    const ProbeResult probe{.taken = 90, .refused = 7};
    const auto fates = fates_of_lost(probe, 100, 85);
    REQUIRE(fates.size() == 3);
    CHECK(fates[0].count == 3);
    CHECK(fates[1].count == 7);
    CHECK_THAT(fates[1].text, Contains("AF_XDP socket, which had no room"));
    CHECK(fates[2].count == 5);
    CHECK_THAT(fates[2].text, Contains("taken by the server's AF_XDP socket"));
}

TEST_CASE("what XDP programs sent or lost on the way out has fates, too")
{
    const ProbeResult probe{.xdp_sent = 90, .xdp_dropped = 7};
    const auto fates = fates_of_lost(probe, 100, 85);
    REQUIRE(fates.size() == 3);
    CHECK(fates[0].count == 3);
    CHECK_THAT(fates[0].text, Contains("never reached"));
    CHECK(fates[1].count == 7);
    CHECK_THAT(fates[1].text, Contains("dropped on the way out of the server's interface"));
    CHECK(fates[2].count == 5);
    CHECK_THAT(fates[2].text, Contains("sent back by an XDP program, and no reply"));
    // The programs sent other packets, too.
    CHECK_FALSE(sees_all(probe, 96, 85));
    CHECK(fates_of_lost(probe, 96, 85).empty());
    CHECK_FALSE(sees_all(probe, 100, 91));
    const std::string text = to_text(probe);
    CHECK_THAT(text, Contains("XDP                   97   packets before these that a program sent "
                              "back; 7 were dropped on the way out\n"));
    const auto json = written(probe);
    CHECK(json.at("xdp_sent") == 90);
    CHECK(written(read_fields<ProbeResult>(json)) == json);
}

TEST_CASE("reasons for drops are said in words, or as the kernel calls them")
{
    CHECK_THAT(reason_text("socket_rcvbuff"), Contains("full socket buffer"));
    CHECK(reason_text("psp_input") == "psp_input");
}

TEST_CASE("a probe is read as it was written")
{
    const auto json = written(many_fates());
    CHECK(written(read_fields<ProbeResult>(json)) == json);
    CHECK(json.at("dropped").at("netfilter_drop") == 20);
    CHECK(json.at("server_ns").at("histogram").at(0) ==
          nlohmann::ordered_json({10'000, 100'000, 935}));
    CHECK(json.at("queue_ns").at("p50").is_null());
    CHECK(json.at("by_time").at(1).at("server_ns") == 1'787'967);
}

TEST_CASE("queries that took about as long are merged into 100 rows at most")
{
    // Most queries are fast.
    std::vector<AlikeQueries> ranges;
    AlikeQueries whole;
    for (std::uint64_t i = 0; i < 400; i++) {
        const std::uint64_t queries = 1 + 4'000'000 / (i * i + 1);
        ranges.push_back({queries, {queries * i, 2 * i, 3, queries * (i + 7), i}});
    }
    const auto add = [](AlikeQueries &sum, const AlikeQueries &row) {
        sum.queries += row.queries;
        for (std::size_t stage = 0; stage < row.sums.size(); stage++)
            sum.sums[stage] += row.sums[stage];
    };
    for (const AlikeQueries &range : ranges)
        add(whole, range);
    const std::vector<AlikeQueries> rows = merged(ranges);
    CHECK(rows.size() <= 100);
    CHECK(rows.size() >= 50);
    // Each row is a run of ranges, and nothing is lost.
    AlikeQueries told, taken;
    auto range = ranges.begin();
    for (const AlikeQueries &row : rows) {
        add(told, row);
        while (taken.queries < told.queries)
            add(taken, *range++);
        CHECK(taken.queries == told.queries);
        CHECK(taken.sums == told.sums);
        const double slower = static_cast<double>(whole.queries - told.queries + row.queries);
        const double left = static_cast<double>(whole.queries - told.queries);
        // A row is narrow, unless its last range is wide.
        CHECK(((row.queries == std::prev(range)->queries) || slower / (left + 1) < 2));
    }
    CHECK(range == ranges.end());
    CHECK(told.sums == whole.sums);
    CHECK(merged({}).empty());
    CHECK(merged({whole}).size() == 1);
}

TEST_CASE("the text tells what the interface lost")
{
    ProbeResult probe = many_fates();
    CHECK_THAT(to_text(probe), !Contains("interface   lost"));
    probe.interface_drops = {{"driver.rx_missed", 3}, {"rx_dropped", 5}};
    CHECK_THAT(to_text(probe), Contains("need not be queries: driver.rx_missed 3, rx_dropped 5\n"));
    const auto json = written(probe);
    CHECK(json.at("interface_drops").at("rx_dropped") == 5);
    CHECK(written(read_fields<ProbeResult>(json)) == json);
}

TEST_CASE("what the interface dropped is named beside queries that never arrived")
{
    ProbeResult probe = many_fates();
    const auto told = [&probe] { return fates_of_lost(probe, 1'010, 930).front().text; };
    const std::string never = "never reached the server's network stack";
    CHECK(told() == never);
    // The kernel's counter has the driver's drops, too.
    probe.interface_drops = {{"driver.rx_queue_0_drops", 10}, {"rx_dropped", 10}};
    CHECK(told() == never + " (its interface dropped as many packets: driver.rx_queue_0_drops 10, "
                            "rx_dropped 10)");
    probe.interface_drops.back().second = 12;
    CHECK_THAT(told(), Contains("(its interface dropped 12 packets of any kind: "));
    // Packets that AF_XDP refused, and queries that an XDP program dropped, have other fates.
    probe.refused = 2;
    probe.interface_drops.emplace_back("driver.rx_queue_0_xdp_drops", 30);
    probe.dropped.emplace_back("xdp", 30);
    CHECK(drops_without_fate(probe) == 10);
    probe.refused = 12;
    CHECK(drops_without_fate(probe) == 0);
}

TEST_CASE("the first sight is told where there is one, and is missing elsewhere")
{
    ProbeResult probe = many_fates();
    CHECK_FALSE(written(probe).contains("wire_ns"));
    CHECK_FALSE(written(probe).contains("sighted"));
    CHECK_THAT(to_text(probe), !Contains("wire"));
    probe.sighted = 1'000;
    probe.wire = probe.server;
    probe.wire->mean = 2'000;
    const auto json = written(probe);
    CHECK(json.at("wire_ns").at("count") == 935);
    CHECK(json.at("sighted") == 1'000);
    CHECK(written(read_fields<ProbeResult>(json)) == json);
    CHECK_THAT(to_text(probe), Contains("wire            2.0 us"));
    const RttSummary rtt{.count = 935, .mean = 20'000.5};
    Lines lines;
    add_probe(lines, probe, &rtt);
    // Lost queries have a first sight, too: its mean is not the mean of the answered ones.
    CHECK_THAT(lines.take(),
               Contains("rest            7.5 us") && Contains("which includes `wire`"));
}

TEST_CASE("a result of an older version has no stack")
{
    auto json = written(many_fates());
    json.erase("stack_ns");
    json.erase("by_time");
    CHECK(read_fields<ProbeResult>(json).stack.count == 0);
    CHECK(read_fields<ProbeResult>(json).by_time.empty());
    CHECK(read_fields<ProbeResult>(json).server.count == 935);
}

namespace
{

const ServerSocket one{.address = parse_ip_address("198.18.0.2"), .port = 53, .inode = "101"};

// Returns the socket at another address or port, or with another client.
ServerSocket other(const char *inode, const char *address, std::uint16_t port = 53,
                   bool is_connected = false)
{
    return {.address = parse_ip_address(address),
            .port = port,
            .inode = inode,
            .is_connected = is_connected};
}

} // namespace

TEST_CASE("sockets share an address if one of several was read")
{
    const std::vector<ServerSocket> sockets{
        one,
        other("102", "198.18.0.2"),
        other("103", "0.0.0.0"),
        other("104", "198.18.0.2", 54),
        other("105", "198.18.0.2", 53, true),
        other("106", "198.18.0.3"),
        other("107", "198.18.0.3"),
        other("108", "::"),
    };
    const SharingSocket read{.queries = 30, .thread = 8, .reader = "nsd: server 2"};
    const auto sharing = sharing_sockets(sockets, 53, {{102, read}, {103, read}, {108, read}});
    REQUIRE(sharing.size() == 2);
    CHECK(sharing[0].inode == 102);
    CHECK(sharing[0].address == "198.18.0.2");
    CHECK(sharing[0].queries == 30);
    CHECK(sharing[0].reader == "nsd: server 2");
    CHECK(sharing[1].inode == 101);
    CHECK(sharing[1].queries == 0);
    CHECK(sharing_sockets(sockets, 54, {{102, read}}).empty());
    CHECK(sharing_sockets(sockets, 53, {}).empty());
}

TEST_CASE("the text tells which part of the queries each socket had, and which had none")
{
    ProbeResult probe{.arrived = 100, .followed = 100, .left = 100};
    CHECK_FALSE(written(probe).contains("sharing"));
    const std::string address = "198.18.0.2";
    probe.sharing = {
        {.inode = 1, .address = address, .queries = 75, .thread = 8, .reader = "nsd: server 1"},
        {.inode = 2, .address = address, .queries = 25, .thread = 9, .reader = "nsd: server 2"}};
    CHECK_THAT(to_text(probe), Contains("2 share 198.18.0.2; of the queries read there: 75.0 % "
                                        "nsd: server 1 (8), 25.0 % nsd: server 2 (9)\n"));
    const auto json = written(probe);
    CHECK(written(read_fields<ProbeResult>(json)) == json);
    probe.sharing.push_back({.inode = 3, .address = address});
    CHECK_THAT(to_text(probe), Contains("; none from 1 socket: the kernel chooses a socket by the "
                                        "client's address and port, so ask from more ports"));
    // Perhaps that socket has them.
    probe.unread = 1;
    CHECK_THAT(to_text(probe), Contains("; none from 1 socket\n"));
}

TEST_CASE("a probe's load is the time of sending, or all of its own time")
{
    ProbeResult probe = many_fates();
    probe.duration = Nanoseconds(9);
    nlohmann::ordered_json result{{"probe", written(probe)}};
    CHECK(probe_in(result).load == Nanoseconds(9));
    result["sending"]["duration_ns"] = 5;
    CHECK(probe_in(result).load == Nanoseconds(5));
    CHECK(probe_in(result).probe.left == 935);
    result["sending"].erase("duration_ns");
    CHECK_THROWS_AS(probe_in(result), nlohmann::json::exception);
    CHECK_THROWS_AS(probe_in({{"probe", nullptr}}), nlohmann::json::exception);
    CHECK_THROWS_AS(probe_in({}), nlohmann::json::exception);
}

TEST_CASE("the probe of the worst trial counts")
{
    using Json = nlohmann::ordered_json;
    const auto trial = [](const char *verdict, std::uint64_t answered, double rate,
                          std::uint64_t left) {
        ProbeResult probe = many_fates();
        probe.left = left;
        return Json{{"verdict", verdict}, {"sent", 1000},      {"answered", answered},
                    {"rate", rate},       {"duration_s", 0.5}, {"probe", written(probe)}};
    };
    Json result{{"trials", {trial("pass", 1000, 10, 1), trial("pass", 1000, 20, 2)}}};
    CHECK(probe_in(result).probe.left == 2);
    CHECK(probe_in(result).load == std::chrono::milliseconds(500));
    result["trials"].push_back(trial("fail", 900, 5, 3));
    result["trials"].push_back(trial("invalid", 0, 50, 4));
    CHECK(probe_in(result).probe.left == 3);
    CHECK(probe_in(result).trial ==
          "trial 3 of 4, at 5 queries/s: 10 % of its queries were not answered right in time");
    CHECK_THAT(probe_findings(probe_in(result)).front().seen, Contains("the worst: trial 3 of 4"));
    result["trials"] = Json::array();
    result["trials"].push_back(trial("invalid", 0, 50, 4));
    CHECK(probe_in(result).probe.left == 4);
    result["trials"][0]["probe"] = nullptr;
    CHECK_THROWS_AS(probe_in(result), nlohmann::json::exception);
}

TEST_CASE("a line of the log has the client, the ID, the fate and the stages")
{
    const ReasonName reason_name = [](std::uint64_t reason) {
        return "reason_" + std::to_string(reason);
    };
    const auto line = [&](const probe_record &record) {
        return log_line(record, 1'000, reason_name);
    };
    // A reply over IPv4 from 198.18.0.2, port 53, to 198.18.0.1, port 40000, with the ID 4660.
    probe_record record{.slot = {.tag = 1,
                                 .arrived_ns = 6'000,
                                 .queued_ns = 30,
                                 .read_ns = 500,
                                 .replied_ns = 900,
                                 .wakeup_ns = 100,
                                 .wire_ns = 0,
                                 .dropped = 0,
                                 .port = 0},
                        .left_ns = 950,
                        .reason = 0,
                        .head = {0x45}};
    const std::array<std::uint8_t, 8> ends{198, 18, 0, 2, 198, 18, 0, 1};
    std::ranges::copy(ends, record.head + PACKET_IPV4_SOURCE);
    const std::array<std::uint8_t, 4> ports{0, 53, 0x9c, 0x40};
    std::ranges::copy(ports, record.head + PACKET_IPV4_SIZE);
    record.head[PACKET_IPV4_SIZE + PACKET_UDP_SIZE] = 0x12;
    record.head[PACKET_IPV4_SIZE + PACKET_UDP_SIZE + 1] = 0x34;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;;30;370;100;400;50\n");
    record.slot.wire_ns = 70;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;70;30;370;100;400;50\n");
    record.slot.wire_ns = 0;
    // The kernel told of the queue when the reader had the query already.
    record.slot.queued_ns = 450;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;;400;0;100;400;50\n");
    record.slot.queued_ns = 0;
    // A sample does not know when the reply came to the interface.
    record.slot.replied_ns = 0;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;;;400;100;450;\n");
    // Nor does every kernel tell of wake-ups.
    record.slot.wakeup_ns = PROBE_UNTOLD;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;;;500;;450;\n");
    record.slot.read_ns = 0;
    CHECK(line(record) == "5000;198.18.0.1;40000;4660;left;;;;;;\n");
    // The same octets as a query that was dropped: its client is the source.
    record.left_ns = 0;
    record.reason = 7;
    CHECK(line(record) == "5000;198.18.0.2;53;4660;reason_7;;;;;;\n");

    probe_record over_ipv6{.slot = {}, .left_ns = 0, .reason = 6, .head = {0x60}};
    over_ipv6.slot.arrived_ns = 1'000;
    over_ipv6.slot.wire_ns = 5;
    over_ipv6.head[PACKET_IPV6_SOURCE] = 0x20;
    over_ipv6.head[PACKET_IPV6_SOURCE + 15] = 1;
    over_ipv6.head[PACKET_IPV6_SIZE + 1] = 9;
    over_ipv6.head[PACKET_IPV6_SIZE + PACKET_UDP_SIZE + 1] = 8;
    CHECK(line(over_ipv6) == "0;2000::1;9;8;reason_6;5;;;;;\n");
}

namespace
{

constexpr PortAndId sent_from{.port = 40'000, .id = 7};

// Returns what the Tester knows of a late query that it sent at 1 us.
QueryRecord late_record()
{
    return {.sent_ns = 1'000, .rtt_ns = 2'000'000, .state = QUERY_LATE};
}

// Returns what the probe knows of the same query: 900 us in the queue, 50 us in the server.
probe_record seen_record()
{
    return {.slot = {.tag = 1U << 16U | sent_from.id,
                     .arrived_ns = 3'000,
                     .queued_ns = 0,
                     .read_ns = 900'000,
                     .replied_ns = 950'000,
                     .wakeup_ns = 0,
                     .wire_ns = 0,
                     .dropped = 0,
                     .port = sent_from.port},
            .left_ns = 951'000,
            .reason = 0,
            .head = {}};
}

ProbeWitness witness_of(bool logs_all, std::uint32_t share = PROBE_ALL, probe_bucket open = {})
{
    return {share, logs_all, std::chrono::milliseconds(1), [open](std::uint16_t) { return open; },
            [](std::uint64_t reason) { return "reason_" + std::to_string(reason); }};
}

} // namespace

TEST_CASE("a witness finds a query again by port, ID and time, and once")
{
    auto witness = witness_of(true);
    CHECK_FALSE(witness.judge(late_record(), sent_from));
    witness.take(seen_record());
    CHECK_FALSE(witness.judge(late_record(), {.port = 40'001, .id = 7}));
    CHECK_FALSE(witness.judge(late_record(), {.port = 40'000, .id = 8}));
    QueryRecord other = late_record();
    other.sent_ns = 3'001; // after the arrival
    CHECK_FALSE(witness.judge(other, sent_from));
    probe_record later = seen_record();
    later.slot.arrived_ns = 1'000 + 2'000'001;
    witness.take(later);
    CHECK(witness.judge(late_record(), sent_from) == ";left;;;900000;0;50000;1000");
    CHECK_FALSE(witness.judge(late_record(), sent_from));
}

TEST_CASE("a late query counts where it stayed longest")
{
    auto witness = witness_of(true);
    const auto judge = [&](const probe_record &seen) {
        witness.take(seen);
        return witness.judge(late_record(), sent_from).has_value();
    };
    // The way took longer than the queue.
    CHECK(judge(seen_record()));
    CHECK(witness.late().way == 1);
    probe_record seen = seen_record();
    seen.slot.read_ns = 1'500'000;
    seen.slot.replied_ns = 1'600'000;
    seen.left_ns = 1'601'000;
    CHECK(judge(seen));
    CHECK(witness.late().queue == 1);
    seen.slot.queued_ns = 1'499'000;
    CHECK(judge(seen));
    CHECK(witness.late().stack == 1);
    seen.slot.wakeup_ns = 1'400'000;
    CHECK(judge(seen));
    CHECK(witness.late().wakeup == 1);
    seen.slot.read_ns = seen.slot.wakeup_ns = 100;
    CHECK(judge(seen));
    CHECK(witness.late().server == 1);
    seen.slot.replied_ns = 200;
    CHECK(judge(seen));
    CHECK(witness.late().leave == 1);
    // The read was not seen; a time is too long for its place.
    seen.slot.read_ns = 0;
    CHECK(judge(seen));
    seen.slot.read_ns = 100;
    seen.left_ns = 0xffff'ffff;
    CHECK(judge(seen));
    CHECK(witness.late().way + witness.late().queue + witness.late().server == 3);
    CHECK(witness.late().unknown == 0);
}

TEST_CASE("a late query without a record was on the way if slow ones alone are logged")
{
    auto witness = witness_of(false);
    CHECK(witness.judge(late_record(), sent_from) == ";;;;;;;");
    CHECK(witness.late().way == 1);
    auto of_all = witness_of(true);
    of_all.finish();
    CHECK(of_all.judge(late_record(), sent_from) == ";;;;;;;");
    CHECK(of_all.late().way == 0);
    // The probe does not follow this ID.
    auto of_none = witness_of(false, 0);
    CHECK(of_none.judge(late_record(), sent_from) == ";;;;;;;");
    CHECK(of_none.late().way == 0);
}

TEST_CASE("a query without a reply has its fate, in the end from the table of open queries")
{
    const QueryRecord lost{.sent_ns = 1'000, .state = QUERY_OUTSTANDING};
    probe_record record = seen_record();
    const auto fate = [&](std::uint32_t reason) {
        auto witness = witness_of(true);
        record.left_ns = 0;
        record.reason = reason;
        witness.take(record);
        return witness.judge(lost, sent_from).value_or("nothing");
    };
    CHECK(fate(6) == ";reason_6;;;;;;");
    CHECK(fate(0) == ";unanswered;;;;;;");
    record.slot.dropped = 9;
    CHECK(fate(0) == ";reply_reason_9;;;;;;");
    record.slot.read_ns = 0;
    CHECK(fate(0) == "nothing");

    probe_slot open = seen_record().slot;
    open.read_ns = 0;
    auto witness = witness_of(true, PROBE_ALL, {.slot = {{}, open, {}, {}}});
    CHECK_FALSE(witness.judge(lost, sent_from));
    witness.finish();
    CHECK(witness.judge(lost, sent_from) == ";unread;;;;;;");
    CHECK(witness.judge(lost, {.port = 1, .id = 7}) == ";;;;;;;");
}

TEST_CASE("the text has a resolver's questions")
{
    ProbeResult probe = many_fates();
    CHECK_THAT(to_text(probe), !Contains("questions"));
    probe.asked = 2'500;
    probe.others = {.count = 2'400, .mean = 31e6, .p50 = 30'000'000};
    probe.alone = {.count = 400, .mean = 41e3, .p50 = 40'000};
    const std::string text = to_text(probe);
    CHECK_THAT(text,
               Contains("2500   questions to other servers, 2.50 per query; 100 had no answer"));
    CHECK_THAT(text, Contains("31.00 ms   30.00 ms"));
    CHECK_THAT(text, Contains("of 400 queries, during which no other server's answer came"));
    ProbeResult quiet = probe;
    quiet.followed = 0;
    CHECK_THAT(to_text(quiet), Contains("questions to other servers; 100 had no answer"));
    const auto json = written(probe);
    CHECK(written(read_fields<ProbeResult>(json)) == json);
    CHECK(json.at("others_ns").at("p50") == 30'000'000);
}

TEST_CASE("the text has each fate with its share, the stages and the full sockets")
{
    const std::string text = to_text(many_fates());
    CHECK_THAT(text, Contains("30   3.0000 %   a full socket buffer"));
    CHECK_THAT(text, Contains("replies: the queueing discipline"));
    CHECK_THAT(text, Contains("935   93.5000 %   a reply reached the driver"));
    CHECK_THAT(text, Contains("3.0 read per call, 2.0 read per wake-up"));
    CHECK_THAT(text, Contains("of nsd: server 2 (8): 30 dropped, buffer of 212992 octets, in which "
                              "up to 277 datagrams waited"));
    CHECK_THAT(text, !Contains("a sample"));
    ProbeResult sample = many_fates();
    sample.share_percent = 10;
    CHECK_THAT(to_text(sample), Contains("a sample does not tell `stack` and `leave`"));
}

TEST_CASE("a sample's threads have the CPU time of all their queries")
{
    ProbeResult probe = many_fates();
    probe.share_percent = 10;
    probe.arrived = 10 * probe.followed;
    CHECK_THAT(to_text(probe), Contains("nsd (8): 942 followed queries, 100 ns of CPU each, 20.0 "
                                        "read per wake-up"));
}

namespace
{

// Returns what a probe uses on a kernel that lacks these tracepoints.
Tracepoints without(const std::set<std::string> &absent, bool is_sample = false)
{
    return tracepoints_of([&](const std::string &name) { return !absent.contains(name); },
                          is_sample);
}

} // namespace

TEST_CASE("a probe uses all tracepoints, and a sample some")
{
    const auto all = without({});
    CHECK(all.lacking.empty());
    CHECK(all.used.size() == 3 + optional_tracepoints.size());
    CHECK_FALSE(all.used.contains("sys_exit"));
    const auto sample = without({"net_dev_queue", "sk_data_ready"}, true);
    CHECK(sample.lacking.empty());
    CHECK_FALSE(sample.used.contains("net_dev_queue"));
    CHECK_FALSE(without({}, true).used.contains("sk_data_ready"));
    CHECK(sample.used.contains("kfree_skb"));
}

TEST_CASE("a probe does without what the kernel lacks, and names it")
{
    using Names = std::vector<std::string>;
    CHECK(without({"net_dev_queue"}).lacking == Names{"net_dev_queue"});
    // The two tell something together.
    const auto asleep = without({"sched_waking"});
    CHECK(asleep.lacking == Names{"sched_waking"});
    CHECK_FALSE(asleep.used.contains("sched_switch"));
    CHECK(without({"xdp_redirect", "xdp_redirect_err", "kfree_skb"}).lacking ==
          Names{"kfree_skb", "xdp_redirect", "xdp_redirect_err"});
    const auto old = without({"sock_recv_length"});
    CHECK(old.lacking.empty());
    CHECK(old.used.contains("sys_exit"));
}

TEST_CASE("a probe needs arrivals, a way of reading and a way of leaving")
{
    for (const char *needed : {"netif_receive_skb", "net_dev_start_xmit"})
        CHECK_THROWS_WITH(without({needed}), Contains(std::string("the tracepoint ") + needed));
    CHECK_THROWS_AS(without({"sock_recv_length", "sys_exit"}), UnsupportedError);
}

TEST_CASE("what a kernel does not tell is missing, and not zero")
{
    ProbeResult probe = many_fates();
    CHECK(lacks_text(probe).empty());
    CHECK_FALSE(written(probe).contains("lacks"));
    CHECK_THAT(to_text(probe), !Contains("lacks"));
    probe.lacks = {"sched_switch", "kfree_skb", "udp_fail_queue_rcv_skb", "xdp_redirect_err",
                   "xdp_bulk_tx"};
    probe.dropped.clear();
    probe.dropped_replies.clear();
    probe.sockets.clear();
    probe.unread = 55;
    probe.unanswered = 10;
    probe.threads[0].has_times = false;
    CHECK_FALSE(tells(probe, Telling::cpus));
    CHECK(tells(probe, Telling::leave));
    const auto json = written(probe);
    for (const char *name :
         {"dropped", "dropped_replies", "taken", "refused", "xdp_sent", "xdp_dropped", "sockets"})
        CHECK_FALSE(json.contains(name));
    for (const char *name : {"wakeups", "migrations", "ran_ns", "waited_ns"})
        CHECK_FALSE(json.at("threads").at(0).contains(name));
    CHECK(written(read_fields<ProbeResult>(json)) == json);
    CHECK(fates_of_lost(probe, 1'010, 930).empty());
    const std::string text = to_text(probe);
    CHECK_THAT(text, Contains("kernel      lacks sched_switch (missing: `wake-up`, and the CPU "
                              "times of threads), kfree_skb (missing: "));
    CHECK_THAT(text, Contains("no server has read them, or the kernel dropped a packet"));
    CHECK_THAT(text, Contains("nsd (8): 942 queries, 3.0 read per call\n"));
}

TEST_CASE("no place of lost queries is known where the kernel tells no drops, or not of AF_XDP")
{
    for (const char *lacking : {"kfree_skb", "xdp_redirect", "xdp_redirect_err"}) {
        ProbeResult probe = many_fates();
        probe.lacks = {lacking};
        CHECK_FALSE(places_of_lost(probe, 1'010, 930));
    }
    ProbeResult probe = many_fates();
    probe.lacks = {"sched_waking", "net_dev_queue"};
    CHECK(places_of_lost(probe, 1'010, 930));
}
