// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of one connection that speaks DNS over HTTPS (RFC 8484), by HTTP/2 (libnghttp2). The
// octets are those inside TLS. Each query is a request of its own: POST, or GET with ?dns=. What a
// client makes the server keep is bounded: headers, requests at a time, octets of queries.
#pragma once

#include "base/message_stream.h"

#include "userland/freed_by.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

struct nghttp2_session;

extern "C" void nghttp2_session_del(nghttp2_session *session);

namespace dnsgauge
{

class HttpStream : public MessageStream
{
public:
    static constexpr std::uint32_t most_requests = 1000; // at a time
    static constexpr std::uint32_t most_headers =
        16'384;                                       // octets of a request's, as RFC 9113 counts
    static constexpr std::size_t most_kept = 131'072; // octets of queries that have not come whole

    // Throws bad_alloc.
    explicit HttpStream(MessageAnswerer &answerer, const Misconduct &fault = {});

    bool received(std::span<const std::uint8_t> octets) override;
    // A request has one response: an answer to a request that has its response, or is closed,
    // counts as unsent.
    void add(const HeldAnswer &answer) override;
    void ended() override { release_all(); }
    [[nodiscard]] std::span<const std::uint8_t> output() const override;
    [[nodiscard]] std::size_t unsent() const override { return unsent_; }
    void sent(std::size_t count) override;
    [[nodiscard]] bool is_over() const override { return is_over_; }

private:
    struct Request {
        enum class Method : std::uint8_t { other, get, post };
        enum class State : std::uint8_t { asks, waits, is_answered, is_over };

        Method method = Method::other;
        State state = State::asks;
        bool is_for_us = false;            // its path is ours
        bool has_type = false;             // its content is a DNS message
        bool is_too_long = false;          // its query
        std::size_t headers = 0;           // octets
        std::size_t kept = 0;              // octets of its query, in kept_
        std::vector<std::uint8_t> message; // the query, later the answer
        std::size_t taken = 0;             // octets of the answer that nghttp2 has
    };
    struct Callbacks;

    [[nodiscard]] static unsigned status_of(Request &request);
    void take_header(Request &request, std::string_view name, std::string_view value);
    void keep(Request &request, std::span<const std::uint8_t> octets);
    void forget_query(Request &request);
    void close_request(std::int32_t number);
    void answer_one(std::int32_t number, Request &request);
    void release(std::int32_t number, Request &request);
    void release_all();
    void respond(std::int32_t number, Request &request, unsigned status);
    void go_away();
    void take_output();

    std::unique_ptr<nghttp2_session, FreedBy<nghttp2_session_del>> session_;
    std::unordered_map<std::int32_t, Request> requests_; // by the number of the HTTP/2 stream
    std::vector<std::int32_t> complete_; // requests that came whole, and are not answered
    std::vector<std::int32_t> group_;    // requests whose answers wait for others
    std::int32_t last_answered_ = 0;     // the highest number
    std::size_t kept_ = 0;               // octets of queries
    std::size_t unsent_ = 0;             // answers
    std::vector<std::uint8_t> out_;
    std::size_t out_begin_ = 0;             // of the octets not sent yet
    std::uint64_t made_ = 0;                // octets, ever
    std::deque<std::uint64_t> answer_ends_; // in these octets, of the answers not sent whole
    bool is_over_ = false;
};

} // namespace dnsgauge
