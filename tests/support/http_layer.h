// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DNS over HTTP/2 of a TcpServer (RFC 8484), by nghttp2: requests become messages after their
// lengths, and messages become responses.
#pragma once

#include "support/tcp_server.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct nghttp2_session;

namespace dnsgauge::testing
{

class HttpLayer final : public ServedLayer
{
public:
    using Octets = std::vector<std::uint8_t>;

    // `below` carries the octets of HTTP/2; null: nothing does. A client may have `most_streams`
    // open at once, and send `stream_window` octets on each.
    explicit HttpLayer(std::unique_ptr<ServedLayer> below = {}, std::uint32_t most_streams = 100,
                       std::uint32_t stream_window = 65'535);
    ~HttpLayer() override;

    // Answers the request whose message has the first message's ID, and so on.
    [[nodiscard]] Octets wrap(std::span<const std::uint8_t> messages) override;
    [[nodiscard]] Unwrapped unwrap(std::span<const std::uint8_t> octets) override;

    struct Response {
        std::string status = "200";
        std::string type = "application/dns-message";
        Octets body{};
        std::vector<std::pair<std::string, std::string>> more{}; // header fields
    };
    // Each returns what the socket is to send. `id` is the message's in the request.
    [[nodiscard]] Octets respond(std::uint16_t id, const Response &response);
    [[nodiscard]] Octets reset(std::uint16_t id, std::uint32_t error);
    // Requests up to the last one of `taken` are dealt with, and no others.
    [[nodiscard]] Octets leave(std::size_t taken, std::uint32_t error = 0);
    // These octets, in place of frames.
    [[nodiscard]] Octets say(std::span<const std::uint8_t> octets);

    struct Request {
        std::int32_t stream = 0;
        std::map<std::string, std::string> fields{};
        Octets body{};
        bool was_reset = false;
    };
    // Returns the requests so far.
    [[nodiscard]] const std::deque<Request> &requests() const { return requests_; }
    // Returns the largest number of requests that were open at once.
    [[nodiscard]] std::size_t most_open() const { return most_open_; }

private:
    friend struct HttpLayerCallbacks;

    [[nodiscard]] Octets outgoing();
    [[nodiscard]] std::int32_t stream_of(std::uint16_t id) const;

    std::unique_ptr<ServedLayer> below_;
    nghttp2_session *session_ = nullptr;
    std::deque<Request> requests_;
    std::map<std::int32_t, Octets> bodies_; // of responses
    bool is_begun_ = false;
    std::size_t open_ = 0;
    std::size_t most_open_ = 0;
    Octets messages_; // of requests that came whole, each after its length
};

} // namespace dnsgauge::testing
