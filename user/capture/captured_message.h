// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A DNS message as it was seen on a network: octets, time, addresses and ports.
#pragma once

#include "dns/ip_address.h"

#include "wire/dns.h"

#include <boost/functional/hash.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

struct Endpoint {
    IpAddress address;
    std::uint16_t port = 0;

    bool operator==(const Endpoint &) const = default;
};

// For boost::hash.
[[nodiscard]] inline std::size_t hash_value(const IpAddress &address)
{
    std::size_t hash = wire_raw64(address.bytes.data());
    boost::hash_combine(hash, wire_raw64(address.bytes.data() + 8));
    return hash;
}
[[nodiscard]] inline std::size_t hash_value(const Endpoint &end)
{
    std::size_t hash = hash_value(end.address);
    boost::hash_combine(hash, end.port);
    return hash;
}

struct CapturedMessage {
    std::int64_t time_ns = 0; // since 1970-01-01 UTC
    Endpoint source;
    Endpoint target;                       // of the source's family
    std::span<const std::uint8_t> message; // DNS, at least a header
    bool over_tcp = false;

    [[nodiscard]] bool is_answer() const { return (message[2] & (DNS_QR >> 8U)) != 0; }
    [[nodiscard]] const Endpoint &client() const { return is_answer() ? target : source; }
    [[nodiscard]] const Endpoint &server() const { return is_answer() ? source : target; }
    // Returns an answer's RCODE: the header's, with the upper bits of a readable OPT record.
    [[nodiscard]] std::uint32_t rcode() const;
};

// Returns a cursor over octets for reading alone.
[[nodiscard]] inline wire_cursor reading_cursor(std::span<const std::uint8_t> octets)
{
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
    auto *begin = const_cast<std::uint8_t *>(octets.data());
    return {.pos = begin, .end = begin + octets.size()};
}

} // namespace dnsgauge
