// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine asks a server on the loopback interface, which does what servers do right and wrong.
// All counts are exact.
#include "dns/socket_address.h"
#include "engine/cpu_share.h"
#include "streams/stream_engine.h"
#include "support/http_layer.h"
#include "support/program_configs.h"
#include "support/scratch_directory.h"
#include "support/tcp_server.h"
#include "support/tls_layer.h"
#include "workload/played_queries.h"
#include "workload/query_list.h"
#include "workload/query_message.h"

#include "wire/answer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <string>
#include <thread>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;
using namespace std::chrono_literals;

namespace
{

using Message = ServedConnection::Message;

struct Wish {
    std::uint64_t queries = 20;
    Rate rate{1000};
    std::uint32_t connections = 2;
    std::uint64_t queries_per_connection = 0;
    std::uint32_t pipeline = 0;
    Nanoseconds timeout = 1s;
    bool is_ipv6 = false;
    std::optional<std::string> log{};
    std::optional<TlsPlan> tls{};
    Nanoseconds bearable = Nanoseconds::max();
};

struct Outcome {
    QueryCounts queries;
    StrayCounts strays;
    TallySummary all;
    ConnectionCounts connections;
    std::uint64_t own_losses = 0;
};

unsigned lane_cpu()
{
    static const unsigned cpu = allowed_cpus().front();
    return cpu;
}

// The lane's thread never sleeps: the server's thread stays off its CPU.
class Server : private CpusKeptFree, public TcpServer
{
public:
    explicit Server(Script script, bool is_ipv6 = false, MakeLayer make_layer = {})
        : CpusKeptFree({lane_cpu()}), TcpServer(std::move(script), is_ipv6, std::move(make_layer))
    {
    }
};

NamesWorkload names_workload()
{
    NamesWorkload names;
    names.names = parse_name_range("10.0.0.0/8");
    return names;
}

JudgePlan judge_of_names()
{
    JudgePlan judge;
    judge.rule = reply_clock_test_config(false).rule;
    return judge;
}

// Returns the right answer to a query for a name: fakedns', with an AAAA record for all names.
Message answer_to(Message query)
{
    static const answer_zones zones = [] {
        answer_zones all = fakedns_test_config().zones;
        all.zone[0].aaaa_share = 100;
        return all;
    }();
    dns_query asked{};
    answer planned{};
    planned.kind =
        answer_plan({query.data(), query.data() + query.size()}, &zones, &asked, &planned);
    query.resize(answer_size(planned.kind, &asked));
    if (answer_write({query.data(), query.data() + query.size()}, planned.kind, &asked, &planned,
                     &zones) == 0)
        query.clear();
    return query;
}

void answer_all(ServedConnection &connection, const Message &query)
{
    connection.send_messages({answer_to(query)});
}

// Returns a right answer of more than 30,000 octets.
Message long_answer_to(const Message &query)
{
    constexpr std::size_t records = 1500; // TXT in the authority section, 20 octets each
    Message answer = answer_to(query);
    wire_put16(answer.data() + 8, static_cast<std::uint16_t>(records));
    const Message record = {0, 0, 16,  0,   1,   0,   0,   0,   0,   0,
                            9, 8, 'l', 'o', 'n', 'g', 't', 'e', 'x', 't'};
    for (std::size_t i = 0; i < records; i++)
        answer.insert(answer.end(), record.begin(), record.end());
    return answer;
}

StreamPlan plan_of(std::uint16_t port, const Wish &wish)
{
    const IpAddress loopback = parse_ip_address(wish.is_ipv6 ? "::1" : "127.0.0.1");
    const Nanoseconds duration = due_at(wish.rate, wish.queries);
    return {.run = {.cpus = {lane_cpu()},
                    .schedule = {.rate = wish.rate, .duration = duration},
                    .queries = wish.queries,
                    .timeout = wish.timeout,
                    .stall_limit = 10s,
                    .bearable = wish.bearable,
                    .intervals = {.length = 10ms, .run = duration},
                    .per_query_file = wish.log,
                    .per_query = {}},
            .judge = judge_of_names(),
            .server = loopback,
            .server_port = port,
            .source = loopback,
            .connections = wish.connections,
            .queries_per_connection = wish.queries_per_connection,
            .pipeline = wish.pipeline,
            .peak = wish.rate,
            .tls = wish.tls};
}

// When a run is stopped.
enum class Stop {
    at_once,
    when_answered, // soon after each query has a valid answer, if each gets one
    never,         // so that it listens for all of its timeout
};

Outcome run(const StreamPlan &plan, const Workload &workload, Stop when = Stop::when_answered)
{
    StreamEngine engine(plan, QuerySources(workload, {.schedule = plan.run.schedule,
                                                      .queries = plan.run.queries,
                                                      .source = plan.source}));
    std::atomic<bool> stop{when == Stop::at_once};
    const auto start = std::chrono::steady_clock::now().time_since_epoch() + 5ms;
    const Tally tally = engine.run(start, {.stop = stop,
                                           .progress =
                                               [&](const RunProgress &now) {
                                                   stop = stop || (when == Stop::when_answered &&
                                                                   now.valid == plan.run.queries);
                                               },
                                           .heard_all = [] {},
                                           .detached = [] {}});
    Outcome outcome;
    outcome.all = summarize(tally, plan.run.schedule, plan.run.queries);
    outcome.queries = outcome.all.queries;
    outcome.strays = outcome.all.strays;
    outcome.connections = outcome.all.connections.counts;
    for (const OwnLoss &loss : engine.losses(tally, {}).kinds)
        outcome.own_losses += loss.count;
    return outcome;
}

Outcome run(const TcpServer &server, const Wish &wish, Stop when = Stop::when_answered)
{
    return run(plan_of(server.port(), wish), names_workload(), when);
}

// Runs once more, at most five times, if the machine stood still: only otherwise is a connection
// idle between queries.
Outcome run_undisturbed(const StreamPlan &plan, const Workload &workload, Stop when)
{
    const auto stood_still = [](const Outcome &outcome) {
        const auto least = static_cast<std::uint64_t>(Nanoseconds(50ms).count());
        return outcome.queries.late + outcome.queries.lost != outcome.connections.lost_unopened ||
               outcome.all.sending.lateness.max >= least || outcome.all.rtt.max >= least;
    };
    Outcome outcome = run(plan, workload, when);
    for (unsigned more = 5; more != 0 && stood_still(outcome); more--)
        outcome = run(plan, workload, when);
    return outcome;
}

// Checks what holds of every run.
void check_sums(const Outcome &outcome, const Wish &wish)
{
    const QueryCounts &queries = outcome.queries;
    CHECK(queries.sent == wish.queries);
    CHECK(queries.sent == queries.valid + queries.late + queries.invalid.total() + queries.lost);
    CHECK(outcome.own_losses == 0);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(counts.opened == counts.closed + counts.closed_idle + counts.closed_by_server +
                               counts.reset_by_server + counts.broken + counts.tls_broken +
                               counts.http_broken + counts.left_open);
    CHECK(queries.lost >= counts.lost_unopened + counts.lost_closed + counts.lost_reset +
                              counts.lost_broken + counts.lost_untaken + counts.lost_waiting);
    QueryTally sum;
    for (const QueryTally &interval : outcome.all.intervals)
        sum.add(interval);
    const QueryCounts again = query_counts(sum);
    CHECK(again.sent == queries.sent);
    CHECK(again.valid == queries.valid);
    CHECK(again.lost == queries.lost);
}

} // namespace

TEST_CASE("a right server's answers are all valid, over both families")
{
    const Wish wish{.queries = 200, .connections = 3, .is_ipv6 = GENERATE(false, true)};
    const Server server(answer_all, wish.is_ipv6);
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.strays.duplicate + outcome.strays.unexpected == 0);
    CHECK(outcome.all.rtt.count == wish.queries);
    CHECK(outcome.connections.opened == 3);
    CHECK(outcome.connections.left_open == 3);
    CHECK(outcome.all.connections.handshakes.summary().count == 3);
    const std::size_t asked = name_message(name_format(names_workload())).size();
    CHECK(outcome.connections.octets_sent == wish.queries * (2 + asked));
    CHECK(outcome.all.replies.count == wish.queries);
    CHECK(outcome.all.replies.aa == wish.queries);
    CHECK(outcome.all.replies.mean_size * static_cast<double>(wish.queries) ==
          Approx(static_cast<double>(outcome.connections.octets_received - 2 * wish.queries)));
    CHECK(server.queries() == wish.queries);
    CHECK(server.accepted() == 3);
}

TEST_CASE("answers come in any order, in pieces, and many at once")
{
    const Wish wish{.queries = 40, .connections = 1};
    constexpr std::size_t together = 8;
    const bool in_pieces = GENERATE(false, true);
    const Server server([&](ServedConnection &connection, const Message &query) {
        Message answer = answer_to(query);
        if (in_pieces) {
            answer.insert(answer.begin(), {0, static_cast<std::uint8_t>(answer.size())});
            for (const std::uint8_t octet : answer)
                connection.send({octet});
            return;
        }
        connection.held.insert(connection.held.begin(), answer);
        if (connection.held.size() == together) {
            connection.send_messages(connection.held);
            connection.held.clear();
        }
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
}

TEST_CASE("a connection that carries a few queries is closed after their answers")
{
    const std::uint64_t each = GENERATE(1U, 5U);
    const Wish wish{.queries = 30, .connections = 3, .queries_per_connection = each};
    const Server server(answer_all);
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.opened == wish.queries / each + 3);
    CHECK(outcome.connections.closed == wish.queries / each);
    CHECK(outcome.connections.left_open == 3);
}

TEST_CASE("a lane that is behind looks for events before it begins another connection")
{
    // Nearly all queries are due at once.
    const Wish wish{.queries = 200,
                    .rate = Rate{10'000'000},
                    .connections = 4,
                    .queries_per_connection = GENERATE(0U, 1U)};
    const Server server(answer_all);
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    const bool is_one_by_one = outcome.all.sending.bursts.at(1) == wish.queries;
    CHECK(is_one_by_one == (wish.queries_per_connection == 1));
}

TEST_CASE("a connection is opened again at the next query if the server ends it")
{
    constexpr std::size_t answered = 4;
    const bool resets = GENERATE(false, true);
    const Wish wish{.queries = 20, .rate = Rate{100}, .connections = 1};
    const Server server([&](ServedConnection &connection, const Message &query) {
        if (connection.queries <= answered)
            answer_all(connection, query);
        else if (resets)
            connection.reset();
        else
            connection.close();
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    // A reset also takes the answers that the Tester has not read yet.
    CHECK(outcome.queries.valid >= 1);
    CHECK(outcome.queries.lost >= 1);
    CHECK(outcome.queries.lost == counts.lost_closed + counts.lost_reset);
    CHECK(counts.opened == server.accepted());
    // A server that closes before it has read all octets resets the connection.
    CHECK(counts.closed_by_server + counts.reset_by_server >= 1);
    if (resets)
        CHECK(counts.closed_by_server == 0);
}

TEST_CASE("a connection that was idle for the server's timeout gets no further query")
{
    const auto tenths = GENERATE(std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{200});
    const Wish wish{.queries = 3, .rate = Rate{5}, .connections = 1};
    const Server server([&](ServedConnection &connection, const Message &query) {
        Message answer = answer_to(query);
        answer[11] = 1;
        const Message opt{0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 6, 0, 11, 0, 2, 0, tenths};
        answer.insert(answer.end(), opt.begin(), opt.end());
        connection.send_messages({answer});
    });
    StreamPlan plan = plan_of(server.port(), wish);
    plan.heeds_keepalive = true;
    const Outcome outcome = run_undisturbed(plan, names_workload(), Stop::when_answered);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.opened == (tenths > 1 ? 1 : wish.queries));
    const RttSummary told = outcome.all.connections.keepalives.summary();
    CHECK(told.count == wish.queries);
    CHECK(told.min == tenths * 100'000'000ULL);
    CHECK(told.max == told.min);
}

TEST_CASE("a server that refuses connections is asked for a few")
{
    std::uint16_t port = 0;
    static_cast<void>(listen_on_loopback(false, 1, port));
    const Wish wish{.queries = 1000, .rate = Rate{10'000}, .connections = 2};
    const Outcome outcome = run(plan_of(port, wish), names_workload());
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.lost_unopened == wish.queries);
    CHECK(outcome.connections.opened == 0);
    CHECK(outcome.connections.refused >= 2);
    CHECK(outcome.connections.refused <= 100);
}

namespace
{

// A server whose listen queue is full.
struct FullListener {
    FullListener()
    {
        const SocketAddress address(parse_ip_address("127.0.0.1"), port);
        for (int i = 0; i < 3; i++) {
            others.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
            static_cast<void>(connect(others.back().get(), address.get(), address.size));
        }
    }

    std::uint16_t port = 0;
    UniqueFd listener = listen_on_loopback(false, 0, port);
    std::vector<UniqueFd> others{};
};

} // namespace

TEST_CASE("queries wait for a connection that the server does not let open")
{
    const FullListener listener;
    // TCP sends the SYN again after a second.
    const Wish wish{.connections = 1, .timeout = 600ms};
    const Outcome outcome = run(plan_of(listener.port, wish), names_workload());
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.waited_for_open == wish.queries);
    CHECK(outcome.connections.lost_unopened == wish.queries);
    CHECK(outcome.connections.left_opening == 1);
    CHECK(outcome.connections.syn_retransmissions >= 1);
    CHECK(outcome.connections.syn_retransmissions == outcome.connections.retransmissions);
}

TEST_CASE("a query beyond the pipeline waits for a reply on its connection")
{
    const Wish wish{.connections = 1, .pipeline = 1};
    std::atomic<unsigned> sent_early{0};
    const Server server([&](ServedConnection &connection, const Message &query) {
        if (connection.queries == 1)
            std::this_thread::sleep_for(10ms);
        std::array<std::uint8_t, 1> next{};
        if (recv(connection.fd(), next.data(), next.size(), MSG_PEEK | MSG_DONTWAIT) > 0)
            sent_early++;
        answer_all(connection, query);
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.waited_for_pipeline >= 5);
    CHECK(outcome.all.connections.waited.summary().count == 0);
    CHECK(sent_early == 0);
}

TEST_CASE("queries that wait for a silent server's reply are given up, and never sent")
{
    const Wish wish{.connections = 1, .pipeline = 3, .timeout = 100ms};
    const Server server([](ServedConnection & /*connection*/, const Message & /*query*/) {});
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.waited_for_pipeline == wish.queries - wish.pipeline);
    CHECK(outcome.connections.lost_waiting == wish.queries - wish.pipeline);
    CHECK(server.queries() == wish.pipeline);
    const Backlog &backlog = outcome.all.connections.backlog;
    CHECK(std::is_sorted(backlog.begin(), backlog.end()));
    CHECK(backlog.back() == wish.queries);
}

TEST_CASE("a query passes over a connection whose pipeline is full")
{
    const Wish wish{
        .queries = 10, .rate = Rate{100}, .connections = 2, .pipeline = 1, .timeout = 300ms};
    int silent = -1;
    const Server server([&](ServedConnection &connection, const Message &query) {
        if (silent < 0)
            silent = connection.fd();
        if (connection.fd() != silent)
            answer_all(connection, query);
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    // Taken in turn, the silent connection would have half of the queries.
    CHECK(outcome.queries.lost >= 1);
    CHECK(outcome.queries.lost < wish.queries / 2);
}

TEST_CASE("messages that no query expects decide nothing")
{
    const Wish wish{.queries = 6, .connections = 6};
    const std::string what = GENERATE("wrong ID", "no octets", "one octet", "the longest");
    const Server server([&](ServedConnection &connection, const Message &query) {
        Message other = answer_to(query);
        other[1] ^= 1U;
        if (what == "no octets")
            other.clear();
        else if (what == "one octet")
            other.resize(1);
        else if (what == "the longest")
            other.resize(65'535);
        connection.send_messages({other});
        if (what == "the longest")
            answer_all(connection, query);
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.strays.unexpected == wish.queries);
    CHECK(outcome.queries.valid == (what == "the longest" ? wish.queries : 0));
    CHECK(outcome.queries.lost == (what == "the longest" ? 0 : wish.queries));
}

TEST_CASE("an answer to another question is a misfit until the right one comes")
{
    const Wish wish{.queries = 6};
    const bool answers = GENERATE(false, true);
    const Server server([&](ServedConnection &connection, const Message &query) {
        Message other = query;
        std::uint8_t &digit = other[DNS_HEADER_SIZE + 1];
        digit = digit == '0' ? '1' : '0';
        connection.send_messages({answer_to(other)});
        if (answers)
            answer_all(connection, query);
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == (answers ? wish.queries : 0));
    CHECK(outcome.queries.invalid.wrong_question == (answers ? 0 : wish.queries));
    CHECK(outcome.strays.unexpected == (answers ? wish.queries : 0));
}

TEST_CASE("a long reply is read to its end")
{
    const bool is_whole = GENERATE(false, true);
    const Wish wish{.queries = 6};
    const Server server([&](ServedConnection &connection, const Message &query) {
        Message answer = long_answer_to(query);
        if (!is_whole)
            answer.pop_back();
        connection.send_messages({answer});
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == (is_whole ? wish.queries : 0));
    CHECK(outcome.queries.invalid.malformed == (is_whole ? 0 : wish.queries));
}

TEST_CASE("a second answer is a duplicate")
{
    const Wish wish;
    const Server server([](ServedConnection &connection, const Message &query) {
        connection.send_messages({answer_to(query), answer_to(query)});
    });
    const Outcome outcome = run(server, wish, Stop::never);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.strays.duplicate == wish.queries);
}

TEST_CASE("a wrong answer is invalid, by its reason")
{
    const Wish wish;
    const Server server([](ServedConnection &connection, const Message &query) {
        Message answer = answer_to(query);
        answer[3] |= DNS_RCODE_SERVFAIL;
        connection.send_messages({answer});
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.invalid.rcode == wish.queries);
    CHECK(outcome.all.rcodes[DNS_RCODE_SERVFAIL] == wish.queries);
}

TEST_CASE("a silent server loses all queries, and no connection")
{
    const Wish wish{.timeout = 100ms};
    const Server server([](ServedConnection & /*connection*/, const Message & /*query*/) {});
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.lost_unopened + outcome.connections.lost_closed == 0);
    CHECK(outcome.connections.left_open == 2);
    CHECK(outcome.all.misses.bins.size() >= 1);
}

TEST_CASE("a connection has more queries than there are IDs")
{
    constexpr std::size_t together = 50;
    const Wish wish{.queries = 70'000, .rate = Rate{100'000}, .connections = 1, .timeout = 3s};
    const bool answers = GENERATE(false, true);
    // The answers have no records, so that they cost the server little.
    const Server server([&](ServedConnection &connection, const Message &query) {
        if (!answers)
            return;
        connection.held.push_back(query);
        connection.held.back()[2] |= static_cast<std::uint8_t>((DNS_QR | DNS_AA) >> 8U);
        if (connection.held.size() == together) {
            connection.send_messages(connection.held);
            connection.held.clear();
        }
    });
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.invalid.no_answer + outcome.queries.lost == wish.queries);
    // A server that gets too little of its CPU answers too late.
    if (outcome.queries.lost == 0)
        CHECK(outcome.connections.opened == 1);
    // IDs of unanswered queries are used again only by another connection.
    if (!answers) {
        CHECK(outcome.queries.lost == wish.queries);
        CHECK(outcome.connections.opened == 2);
    }
}

namespace
{

// A query of a client, at a time in milliseconds.
struct Asked {
    std::int64_t at_ms;
    std::uint8_t client;
};

// Asks what the clients ask. Each has a connection of its own.
Outcome run_clients(std::uint16_t port, const std::vector<Asked> &asked, const char *idle_times,
                    std::uint64_t queries_per_connection = 0)
{
    const std::vector<std::uint8_t> message = name_message(name_format(names_workload()));
    std::size_t next = 0;
    CaptureWorkload workload;
    workload.queries =
        std::make_shared<const CapturedQueries>([&]() -> std::optional<CapturedMessage> {
            if (next == asked.size())
                return std::nullopt;
            const Asked &one = asked[next++];
            return CapturedMessage{
                .time_ns = one.at_ms * 1'000'000,
                .source = {IpAddress::of(std::array<std::uint8_t, 4>{192, 0, 2, one.client}), 5000},
                .target = {parse_ip_address("192.0.2.253"), 53},
                .message = message};
        });
    const Wish wish{.queries = asked.size(),
                    .rate = workload.queries->mean_rate(),
                    .queries_per_connection = queries_per_connection,
                    .timeout = 100ms};
    StreamPlan plan = plan_of(port, wish);
    plan.run.schedule.pace.kind = Pace::Kind::original;
    plan.run.schedule.duration = std::chrono::milliseconds(asked.back().at_ms + 10);
    plan.run.intervals.run = plan.run.schedule.duration;
    plan.judge = {.questions = workload.queries->key()};
    plan.peak = PlayedQueries(workload.queries).peak_rate(2 * wish.timeout);
    plan.clients =
        StreamClients{.numbers = 8, .most_open = 8, .idle_times = parse_idle_times(idle_times)};
    const Outcome outcome = run_undisturbed(plan, workload, Stop::never);
    check_sums(outcome, wish);
    return outcome;
}

// Returns NXDOMAIN, which answers a query of any client.
void deny_all(ServedConnection &connection, const Message &query)
{
    Message answer = query;
    answer[2] |= static_cast<std::uint8_t>(DNS_QR >> 8U);
    answer[3] |= DNS_RCODE_NXDOMAIN;
    connection.send_messages({answer});
}

} // namespace

TEST_CASE("each client has a connection, which is closed when the client does not use it")
{
    // Client 2 asks all the time, and client 1 with pauses.
    std::vector<Asked> asked;
    for (std::int64_t at = 0; at < 500; at += 20) {
        asked.push_back({at, 2});
        if (at % 240 == 0)
            asked.push_back({at + 5, 1});
    }
    const Server server(deny_all);
    SECTION("for a time between")
    {
        const Outcome outcome = run_clients(server.port(), asked, "0.15");
        CHECK(outcome.queries.valid + outcome.queries.late == asked.size());
        CHECK(outcome.connections.opened == 4);
        CHECK(outcome.connections.closed_idle == 2);
        CHECK(outcome.connections.left_open == 2);
    }
    SECTION("for longer than any pause")
    {
        const Outcome outcome = run_clients(server.port(), asked, "10");
        CHECK(outcome.queries.valid + outcome.queries.late == asked.size());
        CHECK(outcome.connections.opened == 2);
        CHECK(outcome.connections.left_open == 2);
    }
    SECTION("for no time at all")
    {
        const Outcome outcome = run_clients(server.port(), asked, "0");
        CHECK(outcome.queries.valid + outcome.queries.late == asked.size());
        // Queries that became due while the Tester stood still leave together.
        CHECK(outcome.connections.opened > 4);
        CHECK(outcome.connections.opened <= asked.size());
        CHECK(outcome.connections.closed_idle == outcome.connections.opened);
        CHECK(outcome.connections.waited_for_open >= outcome.connections.opened);
    }
    SECTION("after a few queries")
    {
        const Outcome outcome = run_clients(server.port(), asked, "10", 5);
        CHECK(outcome.queries.valid + outcome.queries.late == asked.size());
        CHECK(outcome.connections.opened == 6);
        CHECK(outcome.connections.closed == 5);
        CHECK(outcome.connections.left_open == 1);
    }
}

TEST_CASE("clients have idle times by their numbers")
{
    // The first of all clients has the time 0, and the next one has an hour.
    const Server server(deny_all);
    const Outcome outcome =
        run_clients(server.port(), {{0, 7}, {20, 8}, {60, 7}, {80, 8}}, "0=50,3600=50");
    CHECK(outcome.queries.valid == 4);
    CHECK(outcome.connections.opened == 3);
    CHECK(outcome.connections.closed_idle == 2);
    CHECK(outcome.connections.left_open == 1);
}

TEST_CASE("a client gives up a connection that does not open")
{
    const FullListener listener;
    const Outcome outcome = run_clients(listener.port, {{0, 1}, {500, 2}}, "10");
    CHECK(outcome.queries.lost == 2);
    CHECK(outcome.connections.lost_unopened == 2);
    CHECK(outcome.connections.unanswered + outcome.connections.left_opening == 2);
    CHECK(outcome.connections.unanswered >= 1);
}

TEST_CASE("a run that is stopped sends nothing more")
{
    const Server server(answer_all);
    const Wish wish{.queries = 100'000, .rate = Rate{10'000}, .timeout = 100ms};
    const Outcome outcome = run(plan_of(server.port(), wish), names_workload(), Stop::at_once);
    CHECK(outcome.queries.sent < wish.queries);
    CHECK(outcome.queries.sent >= server.queries());
}

TEST_CASE("each query has its line in the log")
{
    const ScratchDirectory scratch;
    const Wish wish{.log = scratch.file("queries.csv")};
    const Server server(answer_all);
    check_sums(run(server, wish), wish);
    std::ifstream file(*wish.log);
    std::string line;
    std::getline(file, line);
    for (std::uint64_t i = 0; i < wish.queries; i++) {
        REQUIRE(std::getline(file, line));
        CHECK(line.starts_with(std::to_string(i) + ";010-000-000-"));
        CHECK(line.find(";valid;") != std::string::npos);
    }
    CHECK(!std::getline(file, line));
}

TEST_CASE("replies to a list's queries are judged by their questions")
{
    auto list = std::make_shared<QueryList>("a list", MessageFormat());
    list->add_line("www.example.org A");
    list->add_line("example.org MX");
    list->finish();
    ListWorkload workload;
    workload.queries = list;
    const Server server([](ServedConnection &connection, const Message &query) {
        Message answer = query;
        answer[2] |= static_cast<std::uint8_t>(DNS_QR >> 8U);
        answer[3] |= DNS_RCODE_NXDOMAIN;
        connection.send_messages({answer});
    });
    const Wish wish{.timeout = 3s};
    StreamPlan plan = plan_of(server.port(), wish);
    plan.judge = {.questions = list->key()};
    const Outcome outcome = run(plan, workload);
    check_sums(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.all.rcodes[DNS_RCODE_NXDOMAIN] == wish.queries);
}

namespace
{

TlsLayer &tls_of(const ServedConnection &connection)
{
    return dynamic_cast<TlsLayer &>(*connection.layer());
}

// Says this in place of TLS whenever the client says something, or closes if this is empty.
class NoTls final : public ServedLayer
{
public:
    explicit NoTls(Message says) : says_(std::move(says)) {}

    [[nodiscard]] Message wrap(std::span<const std::uint8_t> octets) override
    {
        return {octets.begin(), octets.end()};
    }
    [[nodiscard]] Unwrapped unwrap(std::span<const std::uint8_t> /*octets*/) override
    {
        return {.reply = says_, .is_open = !says_.empty()};
    }

private:
    Message says_;
};

// Returns a record of TLS 1.2 with the beginning of a message of its handshake.
Message handshake_record(std::uint8_t type, std::uint32_t length, const Message &begin)
{
    const std::size_t size = begin.size() + 4;
    Message record = {22,
                      3,
                      3,
                      static_cast<std::uint8_t>(size >> 8U),
                      static_cast<std::uint8_t>(size),
                      type,
                      static_cast<std::uint8_t>(length >> 16U),
                      static_cast<std::uint8_t>(length >> 8U),
                      static_cast<std::uint8_t>(length)};
    record.insert(record.end(), begin.begin(), begin.end());
    return record;
}

// Checks what holds of every run over TLS.
void check_tls(const Outcome &outcome, const Wish &wish)
{
    check_sums(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(counts.tls_full + counts.tls_resumed == counts.opened);
    CHECK(counts.tls_octets_sent > counts.octets_sent);
    CHECK(outcome.all.connections.tls_full.summary().count == counts.tls_full);
    CHECK(outcome.all.connections.tls_resumed.summary().count == counts.tls_resumed);
    std::uint64_t connections = 0;
    for (const TlsSuite &suite : outcome.all.connections.tls_suites)
        connections += suite.connections;
    CHECK(connections == counts.opened);
}

} // namespace

TEST_CASE("a right server's answers are all valid over TLS", "[tls]")
{
    const bool is_tls12 = GENERATE(false, true);
    const TlsService service({.is_tls12 = is_tls12});
    const Wish wish{
        .queries = 200, .connections = 3, .is_ipv6 = GENERATE(false, true), .tls = TlsPlan()};
    const Server server(answer_all, wish.is_ipv6, service.layers());
    const Outcome outcome = run(server, wish);
    check_tls(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.opened == 3);
    CHECK(outcome.connections.left_open == 3);
    CHECK(outcome.connections.tls_full == 3);
    CHECK(outcome.connections.tls_octets_received > outcome.connections.octets_received);
    const std::vector<TlsSuite> &suites = outcome.all.connections.tls_suites;
    REQUIRE(suites.size() == 1);
    CHECK(suites[0].version == (is_tls12 ? "TLSv1.2" : "TLSv1.3"));
    CHECK(suites[0].alpn == "dot");
    CHECK(!suites[0].cipher.empty());
    CHECK(outcome.all.connections.tls_failure.empty());
    CHECK(server.queries() == wish.queries);
}

TEST_CASE("records may have any size, come in any pieces, and many at once", "[tls]")
{
    constexpr std::size_t together = 8;
    const std::string how = GENERATE("an octet each", "cut", "together", "keys and tickets",
                                     "16,384 records", "1,000 keys");
    const TlsService service;
    const Wish wish{.queries = 40, .connections = 1, .timeout = 20s, .tls = TlsPlan()};
    const Server server(
        [&](ServedConnection &connection, const Message &query) {
            Message answer = answer_to(query);
            answer.insert(answer.begin(), {0, static_cast<std::uint8_t>(answer.size())});
            TlsLayer &tls = tls_of(connection);
            if (how == "an octet each") {
                for (const std::uint8_t octet : answer)
                    connection.send({octet});
            } else if (how == "cut") {
                for (const std::uint8_t octet : tls.wrap(answer))
                    connection.send_raw({octet});
            } else if (how == "together") {
                connection.held.push_back(tls.wrap(answer));
                if (connection.held.size() != together)
                    return;
                Message all;
                for (const Message &record : connection.held)
                    all.insert(all.end(), record.begin(), record.end());
                connection.send_raw(all);
                connection.held.clear();
            } else if (how == "16,384 records") {
                // Messages without an octet follow the answer.
                Message all;
                answer.resize(answer.size() + (connection.queries == 1 ? 16'384 : 0));
                for (const std::uint8_t octet : answer) {
                    const Message record = tls.wrap(std::span(&octet, 1));
                    all.insert(all.end(), record.begin(), record.end());
                }
                connection.send_raw(all);
            } else if (how == "1,000 keys") {
                Message all;
                for (int i = 0; i < 1000 && connection.queries == 1; i++) {
                    const Message record = tls.update_keys();
                    all.insert(all.end(), record.begin(), record.end());
                }
                connection.send_raw(all);
                connection.send(answer);
            } else {
                connection.send_raw(connection.queries % 2 == 0 ? tls.update_keys()
                                                                : tls.send_ticket());
                connection.send(answer);
            }
        },
        false, service.layers());
    const Outcome outcome = run(server, wish);
    check_tls(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.opened == 1);
    CHECK(outcome.strays.unexpected == (how == "16,384 records" ? 16'384 / 2 : 0));
}

TEST_CASE("a reply may be longer than a record", "[tls]")
{
    const TlsService service;
    const Wish wish{.queries = 6, .tls = TlsPlan()};
    const Server server(
        [](ServedConnection &connection, const Message &query) {
            connection.send_messages({long_answer_to(query), answer_to(query)});
        },
        false, service.layers());
    const Outcome outcome = run(server, wish, Stop::never);
    check_tls(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.strays.duplicate == wish.queries);
}

TEST_CASE("handshakes are full, or go on from earlier connections where the server agrees", "[tls]")
{
    const bool reuses = GENERATE(false, true);
    const bool resumes = GENERATE(false, true);
    const TlsService service({.resumes = resumes});
    const Wish wish{.queries = 30,
                    .rate = Rate{100},
                    .connections = 1,
                    .queries_per_connection = 1,
                    .timeout = 3s,
                    .tls = TlsPlan{.reuses_tickets = reuses}};
    std::atomic<std::uint64_t> resumed = 0;
    const Server server(
        [&](ServedConnection &connection, const Message &query) {
            resumed += tls_of(connection).is_resumed() ? 1 : 0;
            answer_all(connection, query);
        },
        false, service.layers());
    const Outcome outcome = run(server, wish, Stop::never);
    check_tls(outcome, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.opened == wish.queries + 1);
    CHECK(outcome.connections.closed == wish.queries);
    if (reuses && resumes)
        CHECK(resumed >= wish.queries / 2);
    else
        CHECK(resumed == 0);
    // The last connection carries no query.
    CHECK(outcome.connections.tls_resumed >= resumed);
    CHECK(outcome.connections.tls_resumed <= resumed + 1);
}

TEST_CASE("a certificate is checked only if somebody asks for that", "[tls]")
{
    const ScratchDirectory scratch;
    const std::string what =
        GENERATE("unchecked", "right", "another name", "another root", "expired");
    const TlsService service({.intermediates = 1, .is_expired = what == "expired"});
    const TlsService other;
    const std::string file = scratch.file("root.pem");
    std::ofstream(file) << (what == "another root" ? other : service).root();
    TlsPlan tls{.name = what == "another name" ? "other.test" : "dns.test"};
    if (what != "unchecked")
        tls.ca_file = file;
    const Wish wish{.tls = tls};
    std::atomic<std::uint64_t> named = 0;
    const Server server(
        [&](ServedConnection &connection, const Message &query) {
            named += tls_of(connection).server_name() == "dns.test" ? 1 : 0;
            answer_all(connection, query);
        },
        false, service.layers());
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    if (what == "unchecked" || what == "right") {
        CHECK(outcome.queries.valid == wish.queries);
        CHECK(named == wish.queries);
        return;
    }
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.lost_unopened == wish.queries);
    CHECK(outcome.connections.opened == 0);
    CHECK(outcome.connections.tls_failed >= 2);
    CHECK_THAT(outcome.all.connections.tls_failure,
               Contains(what == "another name"   ? "hostname mismatch"
                        : what == "another root" ? "certificate signature failure"
                                                 : "expired"));
}

TEST_CASE("each connection's secrets are in the file of --key-log, or the run says that not",
          "[tls]")
{
    const bool is_full = GENERATE(false, true);
    const ScratchDirectory scratch;
    const std::string file = is_full ? "/dev/full" : scratch.file("keys");
    const TlsService service;
    const Wish wish{.connections = 3, .tls = TlsPlan{.keys = std::make_shared<KeyLog>(file)}};
    const Server server(answer_all, false, service.layers());
    const Outcome outcome = run(server, wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.all.faults.log_failed == is_full);
    if (is_full)
        return;
    const std::string keys = read_file(file);
    for (const char *label :
         {"CLIENT_HANDSHAKE_TRAFFIC_SECRET ", "SERVER_HANDSHAKE_TRAFFIC_SECRET ",
          "CLIENT_TRAFFIC_SECRET_0 ", "SERVER_TRAFFIC_SECRET_0 "}) {
        const std::regex line(fmt::format("(^|\n){}[0-9a-f]{{64}} [0-9a-f]+(?=\n)", label));
        CHECK(std::distance(std::sregex_iterator(keys.begin(), keys.end(), line), {}) == 3);
    }
    CHECK(std::filesystem::status(file).permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    KeyLog(file).add("more");
    CHECK(read_file(file) == keys + "more\n");
}

TEST_CASE("a file without certificates is refused", "[tls]")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("empty");
    std::ofstream(file) << "";
    const Wish wish{.tls = TlsPlan{.name = "dns.test", .ca_file = file}};
    CHECK_THROWS_WITH(run(plan_of(1, wish), names_workload()), Contains("--tls-ca " + file));
}

TEST_CASE("a server that does not speak TLS is asked for a few connections", "[tls]")
{
    const bool closes = GENERATE(false, true);
    const Server server(answer_all, false, [closes] {
        return std::make_unique<NoTls>(closes ? Message() : Message(100, 'x'));
    });
    const Wish wish{.queries = 200, .rate = Rate{1000}, .connections = 2, .tls = TlsPlan()};
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(counts.lost_unopened == wish.queries);
    CHECK(counts.opened == 0);
    CHECK(counts.tls_failed >= 2);
    CHECK(counts.tls_failed <= 100);
    CHECK(counts.tls_failed + counts.left_opening == server.accepted());
    CHECK(outcome.all.connections.tls_failure ==
          (closes ? "the server closed the connection in the handshake" : "wrong version number"));
}

TEST_CASE("a handshake that never ends, or says too much, opens nothing", "[tls]")
{
    constexpr std::uint8_t hello_request = 0;
    constexpr std::uint8_t server_hello = 2;
    constexpr std::uint8_t certificate = 11;
    const bool is_endless = GENERATE(false, true);
    Message says;
    if (is_endless) {
        const Message request = handshake_record(hello_request, 0, {});
        for (unsigned i = 0; i < 16'384; i++)
            says.insert(says.end(), request.begin(), request.end());
    } else {
        Message hello(35, 0); // version, random, no session
        hello[0] = hello[1] = 3;
        // ECDHE-RSA-AES128-GCM-SHA256, no compression, renegotiation_info
        const Message rest = {0xc0, 0x2f, 0, 0, 5, 0xff, 1, 0, 1, 0};
        hello.insert(hello.end(), rest.begin(), rest.end());
        says = handshake_record(server_hello, static_cast<std::uint32_t>(hello.size()), hello);
        const Message begin = handshake_record(certificate, 0xff'ff'ff, Message(16'000, 0));
        says.insert(says.end(), begin.begin(), begin.end());
    }
    const Server server(answer_all, false, [&says] { return std::make_unique<NoTls>(says); });
    const Wish wish{.queries = 20, .timeout = 200ms, .tls = TlsPlan()};
    const Outcome outcome = run(server, wish);
    check_sums(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(counts.lost_unopened == wish.queries);
    CHECK(counts.tls_failed + counts.left_opening == server.accepted());
    CHECK((counts.tls_failed == 0) == is_endless);
    CHECK(outcome.all.connections.tls_failure == (is_endless ? "" : "excessive message size"));
}

TEST_CASE("a server that wants to negotiate anew is told no", "[tls]")
{
    const TlsService service({.is_tls12 = true});
    const Wish wish{.queries = 20, .rate = Rate{100}, .connections = 1, .tls = TlsPlan()};
    const Server server(
        [](ServedConnection &connection, const Message &query) {
            // A later query may come together with the no, after which OpenSSL's server is of no
            // use.
            if (connection.queries != 1)
                return;
            connection.send_raw(tls_of(connection).renegotiate());
            answer_all(connection, query);
        },
        false, service.layers());
    const Outcome outcome = run(server, wish);
    check_tls(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(outcome.queries.valid >= 1);
    CHECK(outcome.queries.valid + outcome.queries.lost == wish.queries);
    CHECK(counts.opened == server.accepted());
    // OpenSSL's server takes the no for an error.
    CHECK(counts.tls_broken + counts.closed_by_server + counts.reset_by_server >= 1);
}

TEST_CASE("an end of TLS has its cause", "[tls]")
{
    constexpr std::size_t answered = 4;
    const std::string how = GENERATE("close_notify", "close", "garbage");
    const TlsService service;
    const Wish wish{.queries = 20, .rate = Rate{100}, .connections = 1, .tls = TlsPlan()};
    const Server server(
        [&](ServedConnection &connection, const Message &query) {
            if (connection.queries <= answered)
                return answer_all(connection, query);
            if (how == "garbage")
                return connection.send_raw(Message(100, 'x'));
            if (how == "close_notify")
                connection.send_raw(tls_of(connection).close_notify());
            connection.close();
        },
        false, service.layers());
    const Outcome outcome = run(server, wish);
    check_tls(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(outcome.queries.valid >= 1);
    CHECK(outcome.queries.lost >= 1);
    CHECK(counts.tls_failed == 0);
    CHECK(counts.opened == server.accepted());
    if (how == "garbage") {
        CHECK(counts.tls_broken >= 1);
        CHECK(counts.lost_broken == outcome.queries.lost);
        CHECK(!outcome.all.connections.tls_failure.empty());
    } else {
        CHECK(counts.closed_by_server + counts.reset_by_server >= 1);
        CHECK(counts.lost_closed + counts.lost_reset == outcome.queries.lost);
        CHECK(outcome.all.connections.tls_failure.empty());
    }
}

TEST_CASE("a Tester that is too slow with handshakes says so", "[tls]")
{
    // To check these signatures costs the Tester far more than the server's part costs the server.
    const ScratchDirectory scratch;
    const TlsService service({.intermediates = 30});
    const std::string file = scratch.file("root.pem");
    std::ofstream(file) << service.root();
    const std::uint64_t each = GENERATE(1U, 0U);
    const Wish wish{.queries = 60,
                    .rate = Rate{1000},
                    .connections = 2,
                    .queries_per_connection = each,
                    .timeout = 100ms,
                    .tls = TlsPlan{.name = "dns.test", .ca_file = file},
                    .bearable = 20ms};
    const Server server(answer_all, false, service.layers());
    const Outcome outcome = run(server, wish);
    CHECK(outcome.queries.sent == wish.queries);
    if (each == 0)
        CHECK(outcome.queries.valid == wish.queries);
    else
        CHECK(outcome.queries.valid < wish.queries);
    CHECK((outcome.own_losses != 0) == (each != 0));
}

TEST_CASE("handshakes alone are opened, known to the server, and closed", "[tls]")
{
    const std::string what = GENERATE("TCP", "TLS 1.2", "TLS 1.3");
    const TlsService service({.is_tls12 = what == "TLS 1.2"});
    const bool is_tls = what != "TCP";
    const Wish wish{.queries = 50,
                    .rate = Rate{500},
                    .connections = 0,
                    .queries_per_connection = 1,
                    .timeout = 5s,
                    .tls = is_tls ? std::optional(TlsPlan()) : std::nullopt};
    const Server server(answer_all, false, is_tls ? service.layers() : TcpServer::MakeLayer());
    StreamPlan plan = plan_of(server.port(), wish);
    plan.has_handshakes_alone = true;
    plan.clients = StreamClients{.idle_times = parse_idle_times("10")};
    const Outcome outcome = run(plan, HandshakesWorkload{.is_wanted = true});
    check_sums(outcome, wish);
    const ConnectionCounts &counts = outcome.connections;
    // A busy machine may open some late.
    CHECK(outcome.queries.valid + outcome.queries.late == wish.queries);
    CHECK(outcome.all.rtt.count == outcome.queries.valid);
    CHECK(counts.opened == wish.queries);
    CHECK(counts.closed + counts.left_open == wish.queries);
    // The run does not wait for tickets.
    if (what != "TLS 1.3")
        CHECK(counts.left_open == 0);
    CHECK(counts.tls_full == (is_tls ? wish.queries : 0));
    CHECK(server.accepted() == wish.queries);
    CHECK(server.queries() == 0);
}

TEST_CASE("handshakes that do not end are lost, each for itself", "[tls]")
{
    const bool is_refused = GENERATE(false, true);
    const Server server(answer_all, false, [] { return std::make_unique<NoTls>(Message(9, 0)); });
    std::uint16_t refusing = 0;
    static_cast<void>(listen_on_loopback(false, 1, refusing));
    const Wish wish{.queries = 50,
                    .rate = Rate{500},
                    .connections = 0,
                    .queries_per_connection = 1,
                    .timeout = 1s,
                    .tls = TlsPlan()};
    StreamPlan plan = plan_of(is_refused ? refusing : server.port(), wish);
    plan.has_handshakes_alone = true;
    plan.clients = StreamClients{.idle_times = parse_idle_times("10")};
    const Outcome outcome = run(plan, HandshakesWorkload{.is_wanted = true});
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.lost_unopened == wish.queries);
    CHECK((is_refused ? outcome.connections.refused : outcome.connections.tls_failed) ==
          wish.queries);
}

namespace
{

HttpLayer &http_of(const ServedConnection &connection)
{
    return dynamic_cast<HttpLayer &>(*connection.layer());
}

// A server of DNS over HTTPS, whose clients may have `most_streams` open.
class HttpsServer
{
public:
    explicit HttpsServer(const TcpServer::Script &script, bool is_ipv6 = false,
                         std::uint32_t most_streams = 100)
        : server_(script, is_ipv6, [this, most_streams] {
              return std::make_unique<HttpLayer>(layers_(), most_streams);
          })
    {
    }

    [[nodiscard]] Outcome run(const Wish &wish) const
    {
        StreamPlan plan = plan_of(server_.port(), wish);
        plan.tls = TlsPlan{.protocol = "h2"};
        plan.http = HttpPlan{.authority = "dns.test"};
        Outcome outcome = ::run(plan, names_workload());
        check_tls(outcome, wish);
        return outcome;
    }
    [[nodiscard]] const Server &server() const { return server_; }

private:
    TlsService service_{TlsWish{.protocol = "h2"}};
    TcpServer::MakeLayer layers_ = service_.layers();
    Server server_;
};

} // namespace

TEST_CASE("a right server's answers are all valid over HTTPS", "[tls]")
{
    const Wish wish{
        .queries = 200, .connections = 3, .timeout = 5s, .is_ipv6 = GENERATE(false, true)};
    const HttpsServer https(answer_all, wish.is_ipv6);
    const Outcome outcome = https.run(wish);
    CHECK(outcome.queries.valid == wish.queries);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(counts.opened == 3);
    CHECK(counts.left_open == 3);
    const std::size_t asked = name_message(name_format(names_workload())).size();
    CHECK(counts.octets_sent == wish.queries * asked);
    CHECK(counts.http_octets_sent > counts.octets_sent);
    CHECK(counts.tls_octets_sent > counts.http_octets_sent);
    CHECK(counts.http_octets_received > counts.octets_received);
    CHECK(outcome.all.connections.tls_suites.at(0).alpn == "h2");
    CHECK(outcome.all.connections.http_failure.empty());
    CHECK(https.server().queries() == wish.queries);
}

TEST_CASE("queries wait for streams over HTTPS", "[tls]")
{
    constexpr std::size_t together = 4;
    const Wish wish{.queries = 40, .rate = Rate{1'000'000}, .connections = 1, .timeout = 5s};
    const HttpsServer https(
        [&](ServedConnection &connection, const Message &query) {
            connection.held.insert(connection.held.begin(), answer_to(query));
            if (connection.held.size() != together)
                return;
            connection.send_messages(connection.held);
            connection.held.clear();
            CHECK(http_of(connection).most_open() == together);
        },
        false, together);
    const Outcome outcome = https.run(wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.waited_for_pipeline >= 1);
}

TEST_CASE("a connection carries a few queries over HTTPS, and makes room for another one", "[tls]")
{
    const Wish wish{.queries = 30, .connections = 3, .queries_per_connection = 5, .timeout = 5s};
    const Outcome outcome = HttpsServer(answer_all).run(wish);
    CHECK(outcome.queries.valid == wish.queries);
    CHECK(outcome.connections.closed == 6);
    CHECK(outcome.connections.opened == 9);
}

TEST_CASE("a stream's fate is its query's", "[tls]")
{
    constexpr std::uint64_t each = 5;
    const Wish wish{.queries = 6 * each, .connections = 1};
    const HttpsServer https([](ServedConnection &connection, const Message &query) {
        const std::uint16_t id = wire_get16(query.data());
        HttpLayer &http = http_of(connection);
        Message answer = answer_to(query);
        switch (connection.queries % 6) {
        case 0:
            return connection.send_messages({answer});
        case 1:
            return connection.send_raw(http.respond(id, {.status = "503", .body = answer}));
        case 2:
            return connection.send_raw(http.respond(id, {.type = "text/html", .body = answer}));
        case 3:
            return connection.send_raw(http.reset(id, 2));
        case 4:
            return connection.send_raw(http.respond(id, {.body = Message(70'000)}));
        default: // the reply to another query
            wire_put16(answer.data(), static_cast<std::uint16_t>(id + 1));
            connection.send_raw(http.respond(id, {.body = answer}));
        }
    });
    const Outcome outcome = https.run(wish);
    const ConnectionCounts &counts = outcome.connections;
    CHECK(outcome.queries.valid == each);
    CHECK(outcome.queries.lost == 5 * each);
    CHECK(counts.lost_http_status == each);
    CHECK(counts.lost_http_type == each);
    CHECK(counts.lost_stream_reset == each);
    CHECK(counts.lost_http_long == each);
    CHECK(counts.lost_wrong_stream == each);
    CHECK(outcome.strays.unexpected == each);
    CHECK(counts.opened == 1);
    CHECK(outcome.all.connections.http_statuses ==
          std::map<std::string, std::uint64_t>{{"503", each}});
}

TEST_CASE("a server that takes no more requests gets them on another connection", "[tls]")
{
    const Wish wish{.queries = 20, .rate = Rate{200}, .connections = 1};
    const HttpsServer https([](ServedConnection &connection, const Message &query) {
        if (connection.queries <= 4)
            return answer_all(connection, query);
        connection.send_raw(http_of(connection).leave(4));
    });
    const Outcome outcome = https.run(wish);
    CHECK(outcome.queries.valid >= 4);
    CHECK(outcome.queries.lost >= 1);
    CHECK(outcome.connections.goaways >= 1);
    CHECK(outcome.connections.lost_goaway == outcome.queries.lost);
    CHECK(outcome.connections.opened == https.server().accepted());
}

TEST_CASE("a server that does not speak HTTP/2 opens no connection for HTTPS", "[tls]")
{
    const std::string protocol = GENERATE("", "dot");
    const TlsService service({.protocol = protocol});
    const Server server(answer_all, false, service.layers());
    const Wish wish{};
    StreamPlan plan = plan_of(server.port(), wish);
    plan.tls = TlsPlan{.protocol = "h2"};
    plan.http = HttpPlan{.authority = "dns.test"};
    const Outcome outcome = run(plan, names_workload());
    check_sums(outcome, wish);
    CHECK(outcome.queries.lost == wish.queries);
    CHECK(outcome.connections.lost_unopened == wish.queries);
    CHECK(outcome.connections.tls_failed >= 2);
    CHECK(outcome.all.connections.tls_failure == (protocol.empty()
                                                      ? "the server does not speak HTTP/2 (ALPN h2)"
                                                      : "tlsv1 alert no application protocol"));
}

TEST_CASE("an error of HTTP/2 ends its connection", "[tls]")
{
    const Wish wish{.queries = 20, .rate = Rate{100}, .connections = 1};
    const HttpsServer https([](ServedConnection &connection, const Message &query) {
        if (connection.queries <= 4)
            return answer_all(connection, query);
        connection.send_raw(http_of(connection).say(Message(100, 'x')));
    });
    const Outcome outcome = https.run(wish);
    CHECK(outcome.queries.valid >= 1);
    CHECK(outcome.connections.http_broken >= 1);
    CHECK(outcome.connections.lost_broken == outcome.queries.lost);
    CHECK_THAT(outcome.all.connections.http_failure, Contains("not HTTP/2"));
}
