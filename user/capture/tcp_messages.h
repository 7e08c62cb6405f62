// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The DNS messages in the TCP segments of a capture, each after its length (RFC 1035 section
// 4.2.2).
//
// Segments are read in the order in which they were captured. Octets that a stream has had are
// stepped over. After a gap, or if a capture lacks a stream's beginning, a segment is understood
// that holds whole messages and nothing else.
#pragma once

#include "capture/captured_frame.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

class TcpMessages
{
public:
    // Longer messages are stepped over: no datagram can carry them.
    static constexpr std::size_t longest_message = 65507;
    // All streams together keep no more of messages that are not whole, and there are no more
    // streams at once. If there is more, all streams are forgotten.
    static constexpr std::size_t kept_most = std::size_t{16} << 20U;
    static constexpr std::size_t streams_most = 65'536;

    // Queries go to `port`, and answers come from it.
    explicit TcpMessages(std::uint16_t port) : port_(port) {}

    // Takes a segment. Returns whether its data are messages, or parts of messages. If not, none of
    // them is given.
    [[nodiscard]] bool read(const CapturedFrame &segment);
    // Returns the next message that the last segment has completed. The message stays as it is
    // until the next read(), if the segment's data do.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next();

private:
    using Octets = std::span<const std::uint8_t>;

    struct Flow {
        Endpoint source;
        Endpoint target;
        bool operator==(const Flow &) const = default;
        friend std::size_t hash_value(const Flow &flow)
        {
            return boost::hash_value(std::pair(flow.source, flow.target));
        }
    };
    struct Stream {
        std::uint32_t next = 0;           // the number of its next octet
        std::vector<std::uint8_t> kept{}; // of a message that is not whole
    };
    using Streams = std::unordered_map<Flow, Stream, boost::hash<Flow>>;

    [[nodiscard]] bool read_data(const CapturedFrame &segment, const Flow &flow);
    [[nodiscard]] bool read_alone(Octets data, const Flow &flow, std::uint32_t sequence);
    // Takes whole messages from the beginning of `octets`. Returns the octets after them; nothing
    // if there are no messages.
    [[nodiscard]] std::optional<Octets> take_messages(Octets octets, const Flow &flow);
    void forget(Streams::iterator stream);

    std::uint16_t port_;
    Streams streams_;
    std::size_t kept_ = 0;             // octets of all streams
    std::vector<std::uint8_t> octets_; // of messages that came in several segments
    std::vector<Octets> messages_;
    std::size_t given_ = 0;    // of messages_
    bool is_too_long_ = false; // one of the last segment's messages
};

} // namespace dnsgauge
