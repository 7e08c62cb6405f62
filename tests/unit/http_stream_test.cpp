// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests FakeDNS' answers over HTTP/2 against nghttp2's own client, in memory.
#include "base/http_stream.h"
#include "server/responder.h"

#include "support/packet.h"
#include "support/program_configs.h"

#include "dns/fault_text.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Headers = std::vector<std::pair<std::string, std::string>>;

namespace
{

struct Reply {
    std::map<std::string, std::string> headers;
    Bytes body;
};

// nghttp2's client. Keeps what comes for each request.
class Client
{
public:
    explicit Client(const std::vector<nghttp2_settings_entry> &settings = {})
    {
        nghttp2_session_callbacks *callbacks = nullptr;
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
        nghttp2_session *session = nullptr;
        nghttp2_session_client_new(&session, callbacks, this);
        nghttp2_session_callbacks_del(callbacks);
        session_.reset(session);
        nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
    }

    // Begins a request, whose content is `body` if it is a POST, and ends it. Returns its number.
    int request(const Headers &more, const Bytes &body = {}, bool ends = true)
    {
        const bool is_post =
            std::ranges::find(more, std::pair<std::string, std::string>(":method", "POST")) !=
            more.end();
        Headers all{{":scheme", "https"}, {":authority", "dns.test"}};
        all.insert(all.end(), more.begin(), more.end());
        std::stable_partition(all.begin(), all.end(),
                              [](const auto &one) { return one.first[0] == ':'; });
        std::vector<nghttp2_nv> headers;
        for (auto &[name, value] : all)
            headers.push_back({reinterpret_cast<std::uint8_t *>(name.data()),
                               reinterpret_cast<std::uint8_t *>(value.data()), name.size(),
                               value.size(), NGHTTP2_NV_FLAG_NONE});
        bodies_.push_back(std::make_unique<Body>(Body{body, ends}));
        nghttp2_data_provider content{.source = {.ptr = bodies_.back().get()},
                                      .read_callback = read_body};
        return nghttp2_submit_request(session_.get(), nullptr, headers.data(), headers.size(),
                                      is_post ? &content : nullptr, nullptr);
    }
    int post(const Bytes &body, bool ends = true)
    {
        return request({{":method", "POST"},
                        {":path", "/dns-query"},
                        {"content-type", "application/dns-message"}},
                       body, ends);
    }
    int get(const std::string &path) { return request({{":method", "GET"}, {":path", path}}); }
    void give_up(int request)
    {
        nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, request, NGHTTP2_CANCEL);
    }
    void widen(int request, int octets)
    {
        nghttp2_submit_window_update(session_.get(), NGHTTP2_FLAG_NONE, request, octets);
    }

    // Moves octets both ways until none are left. The server gets, and sends, `piece` at a time.
    void talk(MessageStream &server, std::size_t piece = 100'000)
    {
        for (bool any = true; any;) {
            any = false;
            const std::uint8_t *octets = nullptr;
            while (const ssize_t size = nghttp2_session_mem_send(session_.get(), &octets)) {
                REQUIRE(size > 0);
                any = true;
                for (std::span<const std::uint8_t> rest(octets, static_cast<std::size_t>(size));
                     !rest.empty(); rest = rest.subspan(std::min(piece, rest.size())))
                    server.received(rest.first(std::min(piece, rest.size())));
            }
            while (!server.output().empty()) {
                any = true;
                const auto some = server.output().first(std::min(piece, server.output().size()));
                REQUIRE(nghttp2_session_mem_recv(session_.get(), some.data(), some.size()) ==
                        static_cast<ssize_t>(some.size()));
                server.sent(some.size());
            }
        }
    }

    [[nodiscard]] const Reply &reply(int request) { return replies_[request]; }
    [[nodiscard]] std::string status(int request) { return replies_[request].headers[":status"]; }
    [[nodiscard]] const std::vector<int> &ended() const
    {
        return ended_;
    } // requests, in this order

    std::vector<std::pair<int, unsigned>> goaways; // the last request, and why

private:
    static Client &self(void *user_data) { return *static_cast<Client *>(user_data); }
    static int on_header(nghttp2_session *, const nghttp2_frame *frame, const std::uint8_t *name,
                         std::size_t name_size, const std::uint8_t *value, std::size_t value_size,
                         std::uint8_t, void *user_data)
    {
        self(user_data).replies_[frame->hd.stream_id].headers.emplace(
            std::string(name, name + name_size), std::string(value, value + value_size));
        return 0;
    }
    static int on_data(nghttp2_session *, std::uint8_t, std::int32_t request,
                       const std::uint8_t *data, std::size_t size, void *user_data)
    {
        Bytes &body = self(user_data).replies_[request].body;
        body.insert(body.end(), data, data + size);
        return 0;
    }
    static int on_close(nghttp2_session *, std::int32_t request, std::uint32_t error,
                        void *user_data)
    {
        if (error == NGHTTP2_NO_ERROR)
            self(user_data).ended_.push_back(request);
        return 0;
    }
    static int on_frame(nghttp2_session *, const nghttp2_frame *frame, void *user_data)
    {
        if (frame->hd.type == NGHTTP2_GOAWAY)
            self(user_data).goaways.emplace_back(frame->goaway.last_stream_id,
                                                 frame->goaway.error_code);
        return 0;
    }
    static ssize_t read_body(nghttp2_session *, std::int32_t, std::uint8_t *room, std::size_t size,
                             std::uint32_t *flags, nghttp2_data_source *source, void *)
    {
        auto &[body, ends] = *static_cast<Body *>(source->ptr);
        const std::size_t count = std::min(size, body.size());
        std::copy_n(body.begin(), count, room);
        body.erase(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(count));
        if (body.empty() && ends)
            *flags |= NGHTTP2_DATA_FLAG_EOF;
        return count == 0 && !ends ? NGHTTP2_ERR_DEFERRED : static_cast<ssize_t>(count);
    }

    struct Body {
        Bytes octets;
        bool ends;
    };
    struct Deleter {
        void operator()(nghttp2_session *session) const { nghttp2_session_del(session); }
    };
    std::unique_ptr<nghttp2_session, Deleter> session_;
    std::vector<std::unique_ptr<Body>> bodies_;
    std::map<int, Reply> replies_;
    std::vector<int> ended_;
};

// A query for the A record of a test name, whose address ends in `number`.
Bytes query(unsigned number)
{
    return DnsMessage{
        .id = 0,
        .questions = {{.name = dns_name(fmt::format("010-000-000-{:03}.dns64perf.test", number))}}};
}

// query(7) in base64url.
constexpr const char *query_7 = "AAABAAABAAAAAAAADzAxMC0wMDAtMDAwLTAwNwlkbnM2NHBlcmYEdGVzdAAAAQAB";

// A server whose connection has a fault.
struct Server {
    explicit Server(ConnectionFault kind = ConnectionFault::none, std::uint32_t number = 0)
        : made(make_http_stream(answerer, {.kind = kind, .number = number, .counts = &counts}))
    {
    }

    const answer_zones zones = fakedns_test_config().zones;
    Counters counters;
    ConnectionFaultCount counts;
    ZoneAnswerer answerer{zones, counters};
    std::unique_ptr<MessageStream> made;
    MessageStream &stream = *made;
};

// Returns the last octet of the address in the answer.
unsigned number_in(const Bytes &answer)
{
    REQUIRE(answer.size() > DNS_HEADER_SIZE);
    return answer.back();
}

} // namespace

TEST_CASE("POST and GET have the same answer")
{
    const std::size_t piece = GENERATE(1U, 7U, 100'000U);
    Server server;
    Client client;
    const int post = client.post(query(7));
    const int get = client.get(std::string("/dns-query?dns=") + query_7);
    client.talk(server.stream, piece);
    for (const int request : {post, get}) {
        CHECK(client.status(request) == "200");
        CHECK(client.reply(request).headers.at("content-type") == "application/dns-message");
        CHECK(client.reply(request).headers.at("cache-control") == "max-age=3600");
        CHECK(number_in(client.reply(request).body) == 7);
    }
    CHECK(client.reply(post).body == client.reply(get).body);
    CHECK(server.counters.of(ANSWER_A) == 2);
    CHECK(server.stream.unsent() == 0);
    CHECK(!server.stream.is_over());
}

TEST_CASE("what is no request for a DNS message gets a status of its own")
{
    const std::string path = "/dns-query";
    const std::string right = path + "?dns=" + query_7;
    const Headers type{{"content-type", "application/dns-message"}};
    const auto request = [](const std::string &method, const std::string &where,
                            const Headers &more = {}) {
        Headers all{{":method", method}, {":path", where}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    struct Row {
        Headers headers;
        Bytes body;
        const char *status;
    };
    Bytes response = query(1);
    response[2] |= DNS_QR >> 8;
    const Row rows[] = {
        {request("GET", right), {}, "200"},
        {request("GET", path + "?x=1&dns=" + query_7 + "&y=2"), {}, "200"},
        {request("GET", "/"), {}, "404"},
        {request("GET", path + "/?dns=" + query_7), {}, "404"},
        {request("POST", "/dns-queries", type), query(1), "404"},
        {request("PUT", right), {}, "405"},
        {request("HEAD", right), {}, "405"},
        {request("POST", path), query(1), "415"},
        {request("POST", path, {{"content-type", "application/dns-json"}}), query(1), "415"},
        {request("GET", path), {}, "400"},
        {request("GET", path + "?dns="), {}, "400"},
        {request("GET", path + "?dnss=" + query_7), {}, "400"},
        {request("GET", right + "="), {}, "400"},
        {request("GET", path + "?dns=AAAB+AAB"), {}, "400"},
        {request("GET", path + "?dns=A"), {}, "400"},
        {request("POST", path, type), {}, "400"},
        {request("POST", path, type), Bytes(11, 0), "400"},
        {request("POST", path, type), response, "400"},
        {request("POST", path, type), Bytes(12, 0), "200"},
        {request("POST", path, type), Bytes(65'535, 0), "200"},
        {request("POST", path, type), Bytes(65'536, 0), "413"},
    };
    Server server;
    Client client;
    for (const Row &row : rows) {
        CAPTURE(row.headers, row.body.size());
        const int one = client.request(row.headers, row.body);
        client.talk(server.stream);
        CHECK(client.status(one) == row.status);
        CHECK(client.reply(one).body.empty() == (client.status(one) != "200"));
    }
    CHECK(client.ended().size() == std::size(rows));
    CHECK(server.counters.of(ANSWER_IGNORED) == 0);
}

TEST_CASE("answers without records are as fresh as their SOA says, or do not say")
{
    Server server;
    Client client;
    const int none = client.post(DnsMessage{.questions = {{dns_name("x.dns64perf.test")}}});
    const int refused = client.post(DnsMessage{.questions = {{dns_name("test")}}});
    client.talk(server.stream);
    CHECK(client.reply(none).headers.at("cache-control") == "max-age=300");
    CHECK(client.status(refused) == "200");
    CHECK(client.reply(refused).headers.count("cache-control") == 0);
}

namespace
{

// Asks for ten names at once. Returns the requests.
std::vector<int> ask_ten(Client &client)
{
    std::vector<int> requests;
    for (unsigned i = 0; i < 10; i++)
        requests.push_back(client.post(query(i)));
    return requests;
}

} // namespace

TEST_CASE("a connection that fails answers the first requests alone")
{
    const ConnectionFault kind = GENERATE(ConnectionFault::reset, ConnectionFault::close,
                                          ConnectionFault::stall, ConnectionFault::goaway);
    Server server(kind, 7);
    Client client;
    const std::vector<int> requests = ask_ten(client);
    client.talk(server.stream);
    CHECK(client.ended() == std::vector<int>(requests.begin(), requests.begin() + 7));
    CHECK(server.stream.shows(kind));
    CHECK(server.counts.connections == 1);
    CHECK(server.counts.queries == 3);
    CHECK(server.counters.of(ANSWER_A) == 7);
    if (kind == ConnectionFault::goaway)
        CHECK(client.goaways ==
              std::vector<std::pair<int, unsigned>>{{requests[6], NGHTTP2_NO_ERROR}});
    else
        CHECK(client.goaways.empty());
}

TEST_CASE("responses change places in pairs, or carry each other's answers")
{
    Server server(GENERATE(ConnectionFault::swap, ConnectionFault::wrong_stream));
    Client client;
    const std::vector<int> requests = ask_ten(client);
    client.talk(server.stream);
    REQUIRE(client.ended().size() == 10);
    for (unsigned i = 0; i < 10; i++) {
        const bool swaps = server.stream.shows(ConnectionFault::swap);
        CHECK(client.ended()[i] == requests[swaps ? i ^ 1 : i]);
        CHECK(number_in(client.reply(requests[i]).body) == (swaps ? i : i ^ 1));
    }
    CHECK(server.counts.queries == 10);
    const int last = client.post(query(10));
    client.talk(server.stream);
    CHECK(server.stream.unsent() == 1);
    server.stream.ended();
    client.talk(server.stream);
    CHECK(client.ended().back() == last);
    CHECK(server.counts.queries == 10);
    CHECK(server.counts.connections == 1);
}

TEST_CASE("responses have another content type, or another status")
{
    Server server(GENERATE(ConnectionFault::wrong_type, ConnectionFault::status), 503);
    Client client;
    const std::vector<int> requests = ask_ten(client);
    client.talk(server.stream);
    CHECK(client.ended() == requests);
    const Reply &reply = client.reply(requests[0]);
    if (server.stream.shows(ConnectionFault::status)) {
        CHECK(reply.headers.at(":status") == "503");
        CHECK(reply.body.empty());
    } else {
        CHECK(reply.headers.at("content-type") == "text/plain");
        CHECK(number_in(reply.body) == 0);
    }
    CHECK(server.counts.queries == 10);
    CHECK(server.stream.unsent() == 0);
}

TEST_CASE(
    "an answer is unsent until the client makes room for it; one to a closed request stays so")
{
    Server server;
    Client client({{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, 0}});
    const int first = client.post(query(1));
    const int second = client.post(query(2));
    client.talk(server.stream);
    CHECK(client.status(first) == "200");
    CHECK(server.stream.unsent() == 2);
    client.widen(first, 1000);
    client.talk(server.stream);
    CHECK(number_in(client.reply(first).body) == 1);
    CHECK(server.stream.unsent() == 1);
    CHECK(server.counters.of(COUNTER_UNSENT) == 0);
    client.give_up(second);
    client.talk(server.stream);
    CHECK(server.stream.unsent() == 0);
    CHECK(server.counters.of(COUNTER_UNSENT) == 1);
}

TEST_CASE("an answer that was held goes to its own request, once")
{
    const answer_zones zones = fakedns_test_config().zones;
    Counters counters;
    StreamFaults faults;
    parse_faults("delay=100%:1s", faults.plan);
    ZoneAnswerer answerer(zones, counters, {}, &faults);
    const auto made = make_http_stream(answerer);
    MessageStream &server = *made;
    Client client;
    const std::vector<int> requests = ask_ten(client);
    client.talk(server);
    CHECK(client.ended().empty());
    client.give_up(requests[3]);
    client.talk(server);
    auto &waiting = answerer.held()->waiting;
    REQUIRE(waiting.size() == 10);
    for (; !waiting.empty(); waiting.pop()) {
        server.add(waiting.top());
        if (waiting.top().request == requests[5])
            server.add(waiting.top());
    }
    client.talk(server);
    CHECK(client.ended().size() == 9);
    CHECK(number_in(client.reply(requests[9]).body) == 9);
    CHECK(counters.of(COUNTER_UNSENT) == 2);
}

TEST_CASE("endless headers, and what is no HTTP/2, end the connection")
{
    Server server;
    SECTION("many headers")
    {
        Client client;
        Headers many{{":method", "GET"}, {":path", "/dns-query"}};
        for (int i = 0; i < 500; i++)
            many.emplace_back("x-" + std::to_string(i), "y");
        client.request(many);
        client.talk(server.stream);
        REQUIRE(client.goaways.size() == 1);
        CHECK(client.goaways[0].second == NGHTTP2_ENHANCE_YOUR_CALM);
    }
    SECTION("few octets that stand for many")
    {
        Client client;
        Headers same{{":method", "GET"}, {":path", "/dns-query"}};
        for (int i = 0; i < 8; i++)
            same.emplace_back("x", std::string(3000, 'y'));
        client.request(same);
        client.talk(server.stream);
        REQUIRE(client.goaways.size() == 1);
        CHECK(client.goaways[0].second == NGHTTP2_ENHANCE_YOUR_CALM);
    }
    SECTION("HTTP/1.1")
    {
        const std::string text = "GET /dns-query HTTP/1.1\r\n\r\n";
        server.stream.received(
            std::span(reinterpret_cast<const std::uint8_t *>(text.data()), text.size()));
    }
    CHECK(server.stream.is_over());
    CHECK(server.counters.of(ANSWER_A) == 0);
}

TEST_CASE("queries that do not end are kept up to a limit")
{
    Server server;
    Client client;
    const int first = client.post(Bytes(60'000, 0), false);
    client.post(Bytes(60'000, 0), false);
    client.talk(server.stream);
    const int small = client.post(query(1));
    const int large = client.post(Bytes(20'000, 0));
    client.talk(server.stream);
    CHECK(client.status(small) == "200");
    CHECK(client.status(large) == "413");
    client.give_up(first);
    const int later = client.post(Bytes(20'000, 0));
    client.talk(server.stream);
    CHECK(client.status(later) == "200");
}
