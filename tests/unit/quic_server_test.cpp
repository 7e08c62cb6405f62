// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests FakeDNS' answers over QUIC against dnsgauge's client, in memory: no socket, and no clock
// but the test's.
#include "base/quic_server.h"
#include "streams/quic_client.h"

#include "support/packet.h"

#include "dns/ip_address.h"
#include "wire/bytes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;

namespace
{

constexpr std::uint16_t server_port = 853;
constexpr std::uint16_t client_port = 5353;
constexpr std::uint16_t length_size = 2;
constexpr std::uint16_t header_size = 12;
constexpr std::uint16_t number_size = 2;

// Answers each query with itself and QR, at once or later.
class Mirror : public MessageAnswerer
{
public:
    explicit Mirror(std::uint64_t delay_ns) : delay_ns_(delay_ns) {}

    [[nodiscard]] std::size_t room(std::size_t query_length) const override { return query_length; }
    std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) override
    {
        buffer[2] |= 0x80;
        if (delay_ns_ == 0)
            return query_length;
        held_.waiting.push(held_.arrived_ns + delay_ns_,
                           {held_.request, {buffer.begin(), buffer.end()}});
        return 0;
    }
    [[nodiscard]] HeldAnswers *held() override { return &held_; }
    void add_unsent(std::size_t /*answers*/) override {}

private:
    std::uint64_t delay_ns_;
    HeldAnswers held_;
};

// A query, as far as the server looks at it, with a number after its header.
Bytes query_of(std::uint16_t number)
{
    Bytes query(length_size + header_size + number_size, 0);
    wire_put16(query.data(), header_size + number_size);
    wire_put16(&query[length_size], number);
    wire_put16(&query[length_size + header_size], number);
    return query;
}

class Listener : public QuicListener
{
public:
    void replied(QuicConnection & /*connection*/, std::span<const std::uint8_t> message,
                 std::size_t size) override
    {
        if (size == header_size + number_size)
            replies.emplace_back(wire_get16(message.data()), wire_get16(&message[header_size]));
    }

    std::vector<std::pair<unsigned, unsigned>> replies; // ID, and the number after the header
};

// A server, and a client's lane of one connection at a time.
class Pair
{
public:
    explicit Pair(ConnectionFault fault = ConnectionFault::none, std::uint32_t number = 0,
                  std::uint64_t delay_ns = 0)
        : fault_{.kind = fault, .number = number, .counts = &fault_count}, delay_ns_(delay_ns)
    {
        connect();
    }

    // Begins a connection in place of the one that is there.
    void connect()
    {
        client_.reset();
        served_.reset();
        client_.emplace(lane_, 0U, SocketAddress(IpAddress{}, client_port),
                        SocketAddress(IpAddress{}, server_port), now_);
        exchange();
    }

    // Lets datagrams go to and fro until both sides are silent.
    void exchange()
    {
        for (bool goes_on = true; goes_on;) {
            goes_on = to_server();
            goes_on = to_client() || goes_on;
        }
    }

    // Lets time pass.
    void pass(std::chrono::nanoseconds time)
    {
        for (const std::int64_t until = now_ + time.count(); now_ < until;) {
            std::int64_t next = std::min(until, client_->timer_ns());
            if (served_)
                next = std::min({next, served_->timer_ns(), served_->first_due_ns()});
            now_ = std::max(now_ + 1, next);
            client_->handle_timer(now_);
            if (served_)
                served_->handle_timer(now_);
            exchange();
        }
    }

    void ask(unsigned first, unsigned count)
    {
        for (unsigned i = first; i < first + count; i++)
            REQUIRE(client_->ask(query_of(static_cast<std::uint16_t>(i)), now_));
        exchange();
    }

    [[nodiscard]] QuicConnection &client() { return *client_; }
    [[nodiscard]] QuicServerConnection *served() { return served_.get(); }
    [[nodiscard]] std::int64_t now() const { return now_; }

    QuicServer server{{.is_self_signed = true}, 10s};
    QuicCounts counts;
    Listener listener;
    ConnectionFaultCount fault_count;

private:
    bool to_server()
    {
        bool has_any = false;
        std::array<std::uint8_t, quic_datagram_most> room{};
        for (;;) {
            const auto datagram = client_->next_datagram(room, now_);
            if (datagram.empty())
                return has_any;
            has_any = true;
            const QuicHead head = QuicServer::head_of(datagram);
            const SocketAddress here(IpAddress{}, server_port);
            const SocketAddress there(IpAddress{}, client_port);
            const ngtcp2_path path{
                .local = {.addr = const_cast<sockaddr *>(here.get()), .addrlen = here.size},
                .remote = {.addr = const_cast<sockaddr *>(there.get()), .addrlen = there.size},
                .user_data = nullptr};
            if (server.find(head) == nullptr && head.kind == QuicHead::Kind::first)
                served_ = std::make_unique<QuicServerConnection>(
                    server, head, path, std::make_unique<Mirror>(delay_ns_), fault_, now_);
            if (auto *const served = server.find(head))
                served->take_in(head, path, datagram, now_, now_);
        }
    }

    bool to_client()
    {
        bool has_any = false;
        std::array<std::uint8_t, quic_datagram_most> room{};
        ngtcp2_path_storage path;
        ngtcp2_path_storage_zero(&path);
        while (served_) {
            const auto datagram = served_->next_datagram(room, path, now_);
            if (datagram.empty())
                break;
            has_any = true;
            client_->take_in(datagram, now_);
        }
        return has_any;
    }

    Misconduct fault_;
    std::uint64_t delay_ns_;
    std::int64_t now_ = 1'000'000'000;
    QuicClient lane_{{.reuses_tickets = true}, 1s, counts, listener};
    std::unique_ptr<QuicServerConnection> served_;
    std::optional<QuicConnection> client_;
};

} // namespace

TEST_CASE("thousands of streams of one connection are answered")
{
    Pair pair;
    REQUIRE(pair.client().is_open());
    for (unsigned first = 0; first < 5000; first += 500) {
        pair.ask(first, 500);
        pair.pass(50ms);
    }
    CHECK(pair.listener.replies.size() == 5000);
    CHECK(std::ranges::all_of(pair.listener.replies,
                              [](const auto &reply) { return reply.first == reply.second; }));
    CHECK(pair.server.counts().full == 1);
    CHECK(pair.counts.streams_denied == 0);
}

TEST_CASE("a client has a limited number of streams at a time")
{
    Pair pair(ConnectionFault::stall);
    for (unsigned i = 0; i < QuicServerConnection::most_streams; i++)
        REQUIRE(pair.client().ask(query_of(1), pair.now()));
    CHECK_FALSE(pair.client().ask(query_of(1), pair.now()));
}

TEST_CASE("a ticket resumes a session, unless the fault forbids it")
{
    const bool forbids = GENERATE(false, true);
    Pair pair(forbids ? ConnectionFault::no_resumption : ConnectionFault::none);
    pair.pass(1ms);
    pair.connect();
    REQUIRE(pair.client().is_open());
    CHECK(pair.client().is_resumed() != forbids);
    CHECK(pair.server.counts().resumed == (forbids ? 0 : 1));
}

TEST_CASE("answers that wait leave when they are due")
{
    Pair pair(ConnectionFault::none, 0, 5'000'000);
    pair.ask(0, 3);
    CHECK(pair.served()->unsent() == 3);
    pair.pass(4'999'999ns);
    CHECK(pair.listener.replies.empty());
    pair.pass(1ns);
    CHECK(pair.listener.replies.size() == 3);
}

TEST_CASE("a connection on which nothing comes ends")
{
    Pair pair;
    pair.pass(11s);
    CHECK(pair.served()->is_over());
    CHECK(pair.client().end() == QuicEnd::timed_out);
}

TEST_CASE("what is no query breaks the rules of DoQ")
{
    Pair pair;
    const Bytes query =
        GENERATE(Bytes{0, 3, 0, 0, 0}, Bytes{0, 12, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                 Bytes{0, 20, 0, 0, 0}, Bytes{0, 2, 0, 0, 0});
    REQUIRE(pair.client().ask(query, pair.now()));
    pair.exchange();
    CHECK(pair.counts.protocol_error == 1);
    CHECK(pair.client().end() == QuicEnd::closed_by_server);
}

TEST_CASE("faults of handshakes")
{
    const auto [fault, end] = GENERATE(
        table<ConnectionFault, QuicEnd>({{ConnectionFault::refuse, QuicEnd::refused},
                                         {ConnectionFault::close_handshake, QuicEnd::tls_failed},
                                         {ConnectionFault::stall_handshake, QuicEnd::unanswered}}));
    Pair pair(fault);
    pair.pass(11s);
    CHECK_FALSE(pair.client().is_open());
    CHECK(pair.client().end() == end);
}

TEST_CASE("faults of open connections begin after N queries")
{
    const auto [fault, end] = GENERATE(table<ConnectionFault, std::optional<QuicEnd>>(
        {{ConnectionFault::close, QuicEnd::closed_by_server},
         {ConnectionFault::reset, QuicEnd::reset_by_server},
         {ConnectionFault::stall, std::nullopt},
         {ConnectionFault::reset_stream, std::nullopt}}));
    Pair pair(fault, 3);
    pair.ask(0, 3);
    CHECK(pair.listener.replies.size() == 3);
    CHECK_FALSE(pair.client().end());
    pair.ask(3, 1);
    CHECK(pair.listener.replies.size() == 3);
    CHECK(pair.client().end() == end);
    CHECK(pair.counts.lost_reset == (fault == ConnectionFault::reset_stream ? 1 : 0));
    CHECK(pair.counts.no_error == (fault == ConnectionFault::close ? 1 : 0));
    CHECK(pair.fault_count.connections == 1);
    CHECK(pair.fault_count.queries == 1);
}

TEST_CASE("faults of answers that are right")
{
    using Replies = std::vector<std::pair<unsigned, unsigned>>;
    const auto [fault, replies] =
        GENERATE(table<ConnectionFault, Replies>({{ConnectionFault::swap, {{1, 1}, {0, 0}}},
                                                  {ConnectionFault::wrong_stream, {{0, 1}, {1, 0}}},
                                                  {ConnectionFault::split, {{0, 0}, {1, 1}}},
                                                  {ConnectionFault::coalesce, {{0, 0}, {1, 1}}}}));
    Pair pair(fault, 2);
    pair.ask(0, 2);
    CHECK(pair.listener.replies == replies);
    CHECK(pair.fault_count.queries == 2);
}

TEST_CASE("a connection that ended says no more than three times what it gets")
{
    Pair pair(ConnectionFault::close_handshake);
    REQUIRE(pair.served()->is_over());
    const auto answer_to = [&pair](std::size_t size) {
        std::array<std::uint8_t, quic_datagram_most> room{};
        ngtcp2_path_storage path;
        ngtcp2_path_storage_zero(&path);
        pair.served()->take_in({}, path.path, Bytes(size, 0), pair.now(), pair.now());
        return pair.served()->next_datagram(room, path, pair.now()).size();
    };
    const std::size_t whole = answer_to(1200);
    REQUIRE(whole > 30);
    CHECK(answer_to(10) == 0);
    CHECK(answer_to((whole + 2) / 3) == whole);
}

TEST_CASE("a message takes memory for the octets that have come")
{
    Bytes message;
    CHECK(append_to_message(message, Bytes{0xff, 0xff, 1}) == 3);
    CHECK(message.capacity() < 100);
    CHECK_FALSE(is_whole_message(message));
}

TEST_CASE("a stranger's datagram gets no longer answer")
{
    QuicServer server({.is_self_signed = true}, 10s);
    std::array<std::uint8_t, quic_datagram_most> room{};
    Bytes unknown(GENERATE(22U, 30U, 1200U), 0x40);
    const auto reset = server.answer_stranger(unknown.size(), QuicServer::head_of(unknown), room);
    CHECK_FALSE(reset.empty());
    CHECK(reset.size() < unknown.size());

    Bytes other(1200, 0);
    other[0] = 0xc0;
    wire_put32(&other[1], 0x1a2a3a4a);
    const QuicHead head = QuicServer::head_of(other);
    CHECK(head.kind == QuicHead::Kind::other_version);
    CHECK_FALSE(server.answer_stranger(other.size(), head, room).empty());
    CHECK(server.answer_stranger(other.size() - 1, head, room).empty());
    CHECK(QuicServer::head_of(Bytes{0xc0, 0}).kind == QuicHead::Kind::broken);
}
