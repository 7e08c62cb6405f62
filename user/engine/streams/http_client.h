// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// HTTP/2 for the connections of one lane, by nghttp2, which sees no socket: octets come in, and
// octets go out. Each query is a request on a stream of its own (RFC 8484).
//
// All connections share the memory for outgoing octets and for outcomes of streams. The caller must
// take both away before a call for another connection.
#pragma once

#include "result/connections.h"
#include "result/trial_result.h"
#include "system/freed_by.h"

#include <boost/intrusive/list.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct nghttp2_option;
struct nghttp2_session;
struct nghttp2_session_callbacks;

extern "C" {
void nghttp2_option_del(nghttp2_option *option);
void nghttp2_session_callbacks_del(nghttp2_session_callbacks *callbacks);
void nghttp2_session_del(nghttp2_session *session);
}

namespace dnsgauge
{

// What requests are to be.
struct HttpPlan {
    std::string authority{}; // the server's name or address
    std::string path = "/dns-query";
    HttpMethod method = HttpMethod::post;
};

// A query's stream.
struct HttpStream : boost::intrusive::list_base_hook<> {
    std::uint16_t id = 0; // the query's
    std::int32_t number = 0;
    bool is_awaited = true;
    unsigned status = 0;              // of the response; 0 if there is none yet
    bool is_message = false;          // by its content type
    std::size_t fields = 0;           // octets of its header fields
    std::vector<std::uint8_t> body{}; // of the response
};

using HttpStreams = boost::intrusive::list<HttpStream>;

class HttpClient;

// One connection's HTTP/2.
struct HttpSession {
    explicit HttpSession(HttpClient &its_client) : client(its_client) {}
    ~HttpSession();

    HttpClient &client;
    std::unique_ptr<nghttp2_session, FreedBy<nghttp2_session_del>> session{};
    HttpStreams open{};        // in the order of asking; streams that nobody awaits come last
    bool has_settings = false; // the server's
    std::uint64_t leaves = 0;  // how often the server said that it takes no more requests
    bool is_broken = false;
};

class HttpClient
{
public:
    // Throws SetupError.
    explicit HttpClient(const HttpPlan &plan);
    HttpClient &operator=(HttpClient &&) = delete;

    // Returns the HTTP/2 of a new connection; null if there is no memory.
    [[nodiscard]] std::unique_ptr<HttpSession> begin();

    // How a stream ended.
    struct Outcome {
        std::uint16_t id = 0; // the query's
        unsigned status = 0;  // of the response; 0 if there was none
        // Why the stream brought no reply; null if it brought one.
        std::uint64_t ConnectionCounts::*cause = nullptr;
        std::span<const std::uint8_t> message{};
    };

    // Hands in octets that a connection received. Returns false if the connection is of no more
    // use.
    [[nodiscard]] bool take_in(HttpSession &connection, std::span<const std::uint8_t> octets);
    // Returns how awaited streams ended since forget_outcomes(): in take_in() and answer().
    [[nodiscard]] std::span<const Outcome> outcomes() const { return outcomes_; }
    void forget_outcomes();

    // Returns whether a request with a message of `size` octets may be made now.
    [[nodiscard]] bool may_ask(const HttpSession &connection, std::size_t size) const;
    // Makes a request, which may be made. Returns false if the connection is of no more use.
    [[nodiscard]] bool ask(HttpSession &connection, std::span<const std::uint8_t> message);
    // Makes the frames that HTTP/2 itself has to send. Returns false as ask() does.
    [[nodiscard]] bool answer(HttpSession &connection);
    // Gives up the query with this ID, if it was asked: nobody awaits its reply any more.
    void give_up(HttpSession &connection, std::uint16_t id);

    // Returns the octets to send.
    [[nodiscard]] std::vector<std::uint8_t> &outgoing() { return outgoing_; }

    // Returns how many streams the server lets be open at once.
    [[nodiscard]] static std::uint32_t most_streams(const HttpSession &connection);
    // Returns why the last connection became useless.
    [[nodiscard]] const std::string &failure() const { return failure_; }

private:
    friend struct HttpSession;
    friend struct HttpCallbacks;

    [[nodiscard]] HttpStream &new_stream(HttpSession &connection, std::uint16_t id);
    void end_stream(HttpSession &connection, HttpStream &stream, std::uint32_t error);
    void keep(HttpSession &connection, HttpStream &stream, std::span<const std::uint8_t> octets);
    void cancel(HttpSession &connection, HttpStream &stream);
    void free(HttpStream &stream);

    HttpPlan plan_;
    std::unique_ptr<nghttp2_option, FreedBy<nghttp2_option_del>> option_;
    std::unique_ptr<nghttp2_session_callbacks, FreedBy<nghttp2_session_callbacks_del>> callbacks_;
    std::deque<HttpStream> streams_;
    HttpStreams free_;
    HttpStreams ended_; // the streams of outcomes_
    std::vector<Outcome> outcomes_;
    std::size_t kept_ = 0;                    // octets of all streams' bodies
    std::span<const std::uint8_t> request_{}; // the octets of the request being made
    std::string path_;                        // with a query, by GET
    std::vector<std::uint8_t> outgoing_;
    std::string failure_;
};

} // namespace dnsgauge
