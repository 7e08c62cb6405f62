// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The frame of a query for a name of the test namespace. The template is built once; each query
// patches source port, transaction ID, name and checksum into a copy.
#pragma once

#include "workload/query.h"
#include "workload/query_message.h"
#include "xdp/frame_headers.h"

#include "wire/checksum.h"
#include "wire/dns.h"
#include "wire/packet.h"
#include "wire/test_name.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace dnsgauge
{

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
