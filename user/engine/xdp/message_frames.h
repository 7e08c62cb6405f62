// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Frames of arbitrary DNS messages. The headers are written beforehand; each query changes message,
// lengths, source address and checksums.
#pragma once

#include "workload/query.h"
#include "xdp/frame_headers.h"

#include "wire/packet.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace dnsgauge
{

class MessageFrames
{
public:
    static constexpr std::size_t longest_message = longest_query;

    // Makes frames between `ends`, for messages of at least two and at most `longest` octets.
    // Throws SetupError if `longest` is above longest_message.
    MessageFrames(const FrameEnds &ends, std::size_t longest);

    // Returns the length of the longest frame.
    [[nodiscard]] std::uint32_t length() const { return length_; }

    // Makes `frame` ready for write().
    void prepare(std::uint8_t *frame) const
    {
        std::memcpy(frame, headers_.data(), headers_.size());
    }

    // Writes `query`, from its own port or from `port`, with `id`, into `frame`, which was prepared
    // or holds an earlier query. Returns the frame's length.
    std::uint32_t write(std::uint8_t *frame, std::uint16_t port, std::uint16_t id,
                        const Query &query) const
    {
        const std::size_t size = query.message.size();
        const wire_cursor cursor{frame, frame + headers_.size() + size};
        std::uint8_t *message = frame + headers_.size();

        if (query.source.is_ipv6)
            std::memcpy(frame + addresses_, query.source.bytes.data(), 16);
        else
            std::memcpy(frame + addresses_, query.source.bytes.data(), 4);
        wire_put16(frame + layout_.udp_offset, query.port != 0 ? query.port : port);
        std::memcpy(message, query.message.data(), size);
        wire_put16(message, id);
        // The frame holds all headers, so it is never too short.
        static_cast<void>(packet_complete(cursor, &layout_, static_cast<std::uint32_t>(size), 0,
                                          PACKET_DATAGRAM_MAX));
        return static_cast<std::uint32_t>(headers_.size() + size);
    }

private:
    std::vector<std::uint8_t> headers_;
    std::size_t addresses_ = 0;
    packet layout_{};
    std::uint32_t length_ = 0;
};

} // namespace dnsgauge
