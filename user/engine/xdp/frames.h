// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writers of queries' frames: one for arbitrary DNS messages, one for names of the test namespace.
#pragma once

#include "dns/ip_address.h"
#include "workload/query.h"
#include "workload/query_message.h"

#include "wire/checksum.h"
#include "wire/dns.h"
#include "wire/packet.h"
#include "wire/test_name.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace dnsgauge
{

// The addresses that a query's frame comes from and goes to.
struct FrameEnds {
    MacAddress source_mac{};
    MacAddress target_mac{};
    std::optional<std::uint16_t> vlan; // IEEE 802.1Q identifier, 1..4094
    IpAddress source;
    IpAddress target; // of the same family
    std::uint16_t target_port = 53;
};

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
    packet layout_{};
    std::size_t addresses_ = 0; // the source's IP address; the target's follows
    std::uint32_t length_ = 0;
};

struct QueryFormat : FrameEnds, NameFormat {
};

class FrameTemplate
{
public:
    explicit FrameTemplate(const QueryFormat &format);

    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
    [[nodiscard]] std::uint32_t length() const { return static_cast<std::uint32_t>(bytes_.size()); }

    // Writes the template to `frame`, which has room for length() octets.
    void prepare(std::uint8_t *frame) const { std::memcpy(frame, bytes_.data(), bytes_.size()); }

    // Patches `query` into `frame`: see patch(). Returns the frame's length.
    std::uint32_t write(std::uint8_t *frame, std::uint16_t port, std::uint16_t id,
                        const NameQuery &query) const
    {
        patch(frame, port, id, query.expectation);
        return length();
    }

    // Patches `frame`, which was prepared or holds an earlier query, to be the query from `port`
    // with `id` for the name of `address`. The checksum covers the whole datagram: the constructor
    // has summed the octets that never change.
    void patch(std::uint8_t *frame, std::uint16_t port, std::uint16_t id,
               std::uint32_t address) const
    {
        std::uint8_t *udp = frame + udp_offset_;
        std::uint8_t *message = udp + PACKET_UDP_SIZE;
        std::uint8_t *name = message + DNS_HEADER_SIZE;

        wire_put16(udp, port);
        wire_put16(message, id);
        test_name_write(name + 1, address);
        const std::uint64_t sum =
            constant_sum_ + wire_raw16(udp) + wire_raw16(message) +
            checksum_add(0, wire_cursor{name, name + 1 + TEST_NAME_LABEL}, 1 + TEST_NAME_LABEL);
        const std::uint16_t field = checksum_udp_field(sum);
        udp[PACKET_UDP_CHECKSUM] = static_cast<std::uint8_t>(WIRE_BE16(field) >> 8U);
        udp[PACKET_UDP_CHECKSUM + 1] = static_cast<std::uint8_t>(WIRE_BE16(field));
    }

private:
    std::vector<std::uint8_t> bytes_;
    std::size_t udp_offset_ = 0;
    std::uint64_t constant_sum_ = 0;
};

} // namespace dnsgauge
