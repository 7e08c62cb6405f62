// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A client's HTTP/2 and a server's, in memory.
#include "streams/http_client.h"
#include "support/http_layer.h"

#include <catch2/catch.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;

namespace
{

using Octets = HttpLayer::Octets;
using Cause = std::uint64_t ConnectionCounts::*;

// Returns some octets after an ID.
Octets message_of(std::uint16_t id, std::size_t size = 40)
{
    Octets message(size, 0xfb);
    message[0] = static_cast<std::uint8_t>(id >> 8U);
    message[1] = static_cast<std::uint8_t>(id);
    return message;
}

struct Ended {
    std::uint16_t id = 0;
    unsigned status = 0;
    Cause cause = nullptr;
    Octets message{};
};

// A client with one connection to the server.
struct Pair {
    explicit Pair(const HttpPlan &plan = {.authority = "dns.test"},
                  std::uint32_t most_streams = 100, std::uint32_t stream_window = 65'535)
        : server({}, most_streams, stream_window), client(plan), connection(client.begin())
    {
        REQUIRE(connection);
        is_well = client.answer(*connection);
        talk();
    }

    // Hands the client what the server says. Collects what became of streams.
    void hear(const Octets &octets)
    {
        is_well = client.take_in(*connection, octets) && client.answer(*connection) && is_well;
        for (const HttpClient::Outcome &one : client.outcomes())
            ended.push_back(
                {one.id, one.status, one.cause, {one.message.begin(), one.message.end()}});
        client.forget_outcomes();
    }
    // Each hears the other until both are silent.
    void talk()
    {
        while (!client.outgoing().empty()) {
            const Octets said = std::exchange(client.outgoing(), {});
            ServedLayer::Unwrapped came = server.unwrap(said);
            messages.insert(messages.end(), came.octets.begin(), came.octets.end());
            hear(came.reply);
        }
    }
    void ask(std::uint16_t id, std::size_t size = 40)
    {
        REQUIRE(client.may_ask(*connection, size));
        is_well = client.ask(*connection, message_of(id, size)) && is_well;
        talk();
    }
    void respond(std::uint16_t id, const HttpLayer::Response &response)
    {
        hear(server.respond(id, response));
        talk();
    }

    HttpLayer server;
    HttpClient client;
    std::unique_ptr<HttpSession> connection;
    bool is_well = true;
    Octets messages{}; // that the server got
    std::vector<Ended> ended{};
};

} // namespace

TEST_CASE("a query is the body of a POST request")
{
    Pair pair({.authority = "dns.test:8443", .path = "/q"});
    pair.ask(0x1234);
    const HttpLayer::Request &request = pair.server.requests().at(0);
    CHECK(request.body == message_of(0x1234));
    CHECK(request.fields ==
          std::map<std::string, std::string>{{":method", "POST"},
                                             {":scheme", "https"},
                                             {":authority", "dns.test:8443"},
                                             {":path", "/q"},
                                             {"accept", "application/dns-message"},
                                             {"content-type", "application/dns-message"},
                                             {"content-length", "40"}});
}

TEST_CASE("a query is in the path of a GET request, by base64url without padding")
{
    // 0xfb 0xff 0xbf is "-_-_"; RFC 4648 section 10 has the others.
    const auto &[tail, text] = GENERATE(std::pair<std::string, std::string>{"\xfb\xff\xbf", "-_-_"},
                                        std::pair<std::string, std::string>{"f", "Zg"},
                                        std::pair<std::string, std::string>{"fo", "Zm8"},
                                        std::pair<std::string, std::string>{"foobar", "Zm9vYmFy"});
    Pair pair({.authority = "dns.test", .method = HttpMethod::get});
    Octets message = {'f', 'o', 'o'};
    message.insert(message.end(), tail.begin(), tail.end());
    REQUIRE(pair.client.ask(*pair.connection, message));
    pair.talk();
    const HttpLayer::Request &request = pair.server.requests().at(0);
    CHECK(request.body.empty());
    CHECK(request.fields ==
          std::map<std::string, std::string>{{":method", "GET"},
                                             {":scheme", "https"},
                                             {":authority", "dns.test"},
                                             {":path", "/dns-query?dns=Zm9v" + text},
                                             {"accept", "application/dns-message"}});
}

TEST_CASE("replies belong to their streams, in any order")
{
    Pair pair;
    for (std::uint16_t id = 1; id <= 5; id++)
        pair.ask(id);
    for (std::uint16_t id = 5; id >= 1; id--)
        pair.respond(id, {.body = message_of(static_cast<std::uint16_t>(100 + id), 60)});
    REQUIRE(pair.ended.size() == 5);
    for (std::uint16_t i = 0; i < 5; i++) {
        CHECK(pair.ended[i].id == 5 - i);
        CHECK(pair.ended[i].cause == nullptr);
        CHECK(pair.ended[i].message == message_of(static_cast<std::uint16_t>(105 - i), 60));
    }
    CHECK(pair.connection->open.empty());
    CHECK(pair.is_well);
}

TEST_CASE("octets may come in any pieces")
{
    Pair pair;
    pair.ask(7);
    for (const std::uint8_t octet : pair.server.respond(7, {.body = message_of(7, 3000)}))
        pair.hear({octet});
    REQUIRE(pair.ended.size() == 1);
    CHECK(pair.ended[0].message == message_of(7, 3000));
}

TEST_CASE("a response may have 65,535 octets, and no more")
{
    const std::size_t size = GENERATE(0U, 1U, 65'535U, 65'536U, 200'000U);
    Pair pair;
    for (std::uint16_t id = 1; id <= 40; id++) {
        pair.ask(id);
        pair.respond(id, {.body = Octets(size, 'x')});
        pair.respond(id, {.body = Octets(size, 'x')});
        REQUIRE(pair.ended.size() == id);
        CHECK(pair.ended.back().cause ==
              (size > 65'535 ? &ConnectionCounts::lost_http_long : nullptr));
        CHECK(pair.ended.back().message.size() == (size > 65'535 ? 0 : size));
        CHECK(pair.connection->open.empty());
    }
    // All of a slightly longer one may have come before the client can say so.
    CHECK(pair.server.requests().back().was_reset == (size == 200'000));
    CHECK(pair.is_well);
}

TEST_CASE("a stream that brings no reply says why")
{
    Pair pair;
    pair.ask(1);
    SECTION("another status")
    {
        const std::string status = GENERATE("404", "500", "301");
        pair.respond(1, {.status = status, .body = message_of(1)});
        CHECK(pair.ended.at(0).cause == &ConnectionCounts::lost_http_status);
        CHECK(std::to_string(pair.ended[0].status) == status);
    }
    SECTION("another content type")
    {
        const std::string type =
            GENERATE("", "text/html", "application/dns-message2", "application/dns");
        pair.respond(1, {.type = type, .body = message_of(1)});
        CHECK(pair.ended.at(0).cause == &ConnectionCounts::lost_http_type);
    }
    SECTION("a reset")
    {
        const std::uint32_t error =
            GENERATE(NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM, NGHTTP2_INTERNAL_ERROR);
        pair.hear(pair.server.reset(1, error));
        CHECK(pair.ended.at(0).cause == &ConnectionCounts::lost_stream_reset);
    }
    SECTION("a response that is not HTTP")
    {
        pair.respond(1, {.body = message_of(1), .more = {{"connection", "close"}}});
        CHECK(pair.ended.at(0).cause == &ConnectionCounts::lost_stream_reset);
    }
    CHECK(pair.ended.size() == 1);
    CHECK(pair.connection->open.empty());
    // The connection goes on.
    pair.ask(2);
    pair.respond(2, {.type = "Application/DNS-Message; x=y", .body = message_of(2)});
    CHECK(pair.ended.back().cause == nullptr);
    CHECK(pair.is_well);
}

TEST_CASE("a query that is given up resets its stream, and its reply is dropped")
{
    Pair pair;
    for (std::uint16_t id = 1; id <= 3; id++)
        pair.ask(id);
    pair.client.give_up(*pair.connection, 2);
    pair.client.give_up(*pair.connection, 9);
    SECTION("before the reply comes") {}
    SECTION("while it is on its way")
    {
        pair.respond(2, {.body = message_of(2)});
    }
    REQUIRE(pair.client.answer(*pair.connection));
    pair.talk();
    CHECK(pair.connection->open.size() == 2);
    for (const std::uint16_t id : {std::uint16_t{3}, std::uint16_t{1}})
        pair.respond(id, {.body = message_of(id)});
    REQUIRE(pair.ended.size() == 2);
    CHECK(pair.ended[0].id == 3);
    CHECK(pair.ended[1].id == 1);
}

TEST_CASE("no more streams are open than the server lets be open")
{
    Pair pair({.authority = "dns.test"}, 3);
    CHECK(HttpClient::most_streams(*pair.connection) == 3);
    for (std::uint16_t id = 1; id <= 3; id++)
        pair.ask(id);
    CHECK_FALSE(pair.client.may_ask(*pair.connection, 40));
    pair.respond(2, {.body = message_of(2)});
    pair.ask(4);
    CHECK_FALSE(pair.client.may_ask(*pair.connection, 40));
    pair.client.give_up(*pair.connection, 1);
    CHECK_FALSE(pair.client.may_ask(*pair.connection, 40));
    REQUIRE(pair.client.answer(*pair.connection));
    pair.talk();
    pair.ask(5);
    CHECK(pair.server.most_open() == 3);
}

TEST_CASE("a request leaves whole, or waits for the server's flow control")
{
    SECTION("of a stream")
    {
        Pair pair({.authority = "dns.test"}, 100, 39);
        CHECK(pair.client.may_ask(*pair.connection, 39));
        CHECK_FALSE(pair.client.may_ask(*pair.connection, 40));
    }
    SECTION("none is needed for GET")
    {
        const Pair pair({.authority = "dns.test", .method = HttpMethod::get}, 100, 0);
        CHECK(pair.client.may_ask(*pair.connection, 40));
    }
    SECTION("of a connection")
    {
        Pair pair;
        std::uint16_t id = 0;
        // Nothing of the server's is heard meanwhile.
        while (pair.client.may_ask(*pair.connection, 1000))
            REQUIRE(pair.client.ask(*pair.connection, message_of(++id, 1000)));
        CHECK(id == 65);
        pair.talk();
        CHECK(pair.client.may_ask(*pair.connection, 1000));
    }
}

TEST_CASE("a server that leaves answers what it took, and takes no more")
{
    Pair pair;
    for (std::uint16_t id = 1; id <= 3; id++)
        pair.ask(id);
    const bool is_angry = GENERATE(false, true);
    pair.hear(pair.server.leave(2, is_angry ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_NO_ERROR));
    CHECK(pair.connection->leaves == 1);
    CHECK(pair.client.failure() == (is_angry ? "the server sent GOAWAY: ENHANCE_YOUR_CALM" : ""));
    CHECK_FALSE(pair.client.may_ask(*pair.connection, 40));
    REQUIRE(pair.ended.size() == 1);
    CHECK(pair.ended[0].id == 3);
    CHECK(pair.ended[0].cause == &ConnectionCounts::lost_goaway);
    pair.respond(1, {.body = message_of(1)});
    pair.respond(2, {.body = message_of(2)});
    CHECK(pair.ended.size() == 3);
    CHECK(pair.ended[2].cause == nullptr);
    CHECK(pair.is_well);
}

namespace
{

// Returns a frame.
Octets frame(std::uint8_t type, std::uint8_t flags, std::uint8_t stream, const Octets &payload)
{
    Octets all{static_cast<std::uint8_t>(payload.size() >> 16U),
               static_cast<std::uint8_t>(payload.size() >> 8U),
               static_cast<std::uint8_t>(payload.size()),
               type,
               flags,
               0,
               0,
               0,
               stream};
    all.insert(all.end(), payload.begin(), payload.end());
    return all;
}

} // namespace

TEST_CASE("a hostile server costs bounded memory, and its connection ends for one reason")
{
    Pair pair;
    pair.ask(1);
    const auto hear_until_end = [&](const Octets &octets, std::size_t times) {
        for (; pair.is_well && times != 0; times--)
            pair.hear(octets);
    };
    SECTION("no HTTP/2")
    {
        pair.hear(Octets(100, 'x'));
        CHECK_THAT(pair.client.failure(), Contains("not HTTP/2"));
    }
    SECTION("a field that HPACK makes large")
    {
        // The first field goes into the table; an octet for each repetition makes 4 kB.
        Octets fields{0x88, 0x40, 0x01, 'a', 0x7f, 0x81, 0x1e};
        fields.insert(fields.end(), 4000, 'x');
        fields.insert(fields.end(), 10'000, 0x80 | 62);
        pair.hear(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, fields));
        CHECK_THAT(pair.client.failure(), Contains("65,536 octets of header fields"));
    }
    SECTION("header fields without an end")
    {
        const Octets some = [] {
            Octets fields;
            for (int i = 0; i < 1000; i++)
                fields.insert(fields.end(), {0x00, 0x01, 'a', 0x01, 'b'});
            return fields;
        }();
        pair.hear(frame(NGHTTP2_HEADERS, 0, 1, {0x88}));
        hear_until_end(frame(NGHTTP2_CONTINUATION, 0, 1, some), 1000);
        CHECK(!pair.client.failure().empty());
    }
    SECTION("responses without an end before the response")
    {
        // 103, a literal after the name of the table's entry 8.
        hear_until_end(frame(NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1,
                             {0x08, 0x03, '1', '0', '3', 0x00, 0x01, 'a', 0x01, 'b'}),
                       10'000);
        CHECK_THAT(pair.client.failure(), Contains("65,536 octets of header fields"));
    }
    SECTION("a pushed response")
    {
        pair.hear(frame(NGHTTP2_PUSH_PROMISE, NGHTTP2_FLAG_END_HEADERS, 1, {0, 0, 0, 2, 0x82}));
        CHECK_THAT(pair.client.failure(), Contains("PROTOCOL_ERROR"));
    }
    SECTION("pings that nobody answers")
    {
        Octets pings;
        const Octets ping = frame(NGHTTP2_PING, 0, 0, Octets(8, 0));
        for (int i = 0; i < 2000; i++)
            pings.insert(pings.end(), ping.begin(), ping.end());
        pair.hear(pings);
        CHECK(!pair.client.failure().empty());
    }
    CHECK_FALSE(pair.is_well);
}

TEST_CASE("connections share streams that have ended")
{
    Pair pair;
    auto other = pair.client.begin();
    pair.client.outgoing().clear();
    pair.ask(1);
    pair.connection.reset();
    REQUIRE(pair.client.answer(*other));
    REQUIRE(pair.client.ask(*other, message_of(1)));
    CHECK(other->open.size() == 1);
    CHECK(other->open.front().status == 0);
}
