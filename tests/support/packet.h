// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Frames and DNS messages for tests, built in the order in which they lie on the wire:
//
//     Bytes frame = Ethernet{} / Ipv4{.ttl = 1} / Udp{.target_port = 53} / Payload{message};
//
// A layer fills in the lengths, protocol numbers and checksums that follow from its payload. A
// std::optional field that a test sets is written as it is, right or wrong.
//
// Tests compare bpf/wire with this reference, which therefore shares no code with bpf/wire: nothing
// here includes "wire/...", and the checksum is the plainest loop over 16-bit words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dnsgauge::testing
{

using Bytes = std::vector<std::uint8_t>;
using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::array<std::uint8_t, 4>;
using Ipv6Address = std::array<std::uint8_t, 16>;

struct Ethernet {
    MacAddress target = {0x02, 0, 0, 0, 0, 0x53};
    MacAddress source = {0x02, 0, 0, 0, 0, 0x01};
    std::optional<std::uint16_t> type = std::nullopt;
};

// One 802.1Q tag.
struct Vlan {
    std::uint16_t tag = 100;
    std::optional<std::uint16_t> type = std::nullopt;
};

// Addresses of RFC 5737.
struct Ipv4 {
    std::uint8_t version_and_words = 0x45;
    std::uint8_t traffic_class = 0;
    std::optional<std::uint16_t> length = std::nullopt;
    std::uint16_t id = 0;
    std::uint16_t fragment = 0x4000; // don't fragment
    std::uint8_t ttl = 64;
    std::optional<std::uint8_t> protocol = std::nullopt;
    std::optional<std::uint16_t> checksum = std::nullopt;
    Ipv4Address source = {192, 0, 2, 1};
    Ipv4Address target = {192, 0, 2, 53};
};

// Addresses of RFC 3849.
struct Ipv6 {
    std::uint32_t version_class_and_flow = 0x60000000;
    std::optional<std::uint16_t> length = std::nullopt;
    std::optional<std::uint8_t> next_header = std::nullopt;
    std::uint8_t hop_limit = 64;
    Ipv6Address source = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01};
    Ipv6Address target = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x53};
};

struct Udp {
    std::uint16_t source_port = 40000;
    std::uint16_t target_port = 53;
    std::optional<std::uint16_t> length = std::nullopt;
    std::optional<std::uint16_t> checksum = std::nullopt;
};

struct Payload {
    Bytes bytes;
};

using Layer = std::variant<Ethernet, Vlan, Ipv4, Ipv6, Udp, Payload>;

// Layers, outermost first.
struct Packet {
    std::vector<Layer> layers;

    Bytes bytes() const;
    operator Bytes() const { return bytes(); } // NOLINT(google-explicit-constructor)
};

Packet operator/(Layer outer, Layer inner);
Packet operator/(Packet outer, Layer inner);

// Returns the Internet checksum of `bytes` (RFC 1071), complemented, as a number. `sum` is the sum
// so far. An odd last byte is padded with a zero.
std::uint16_t reference_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);

// Returns the sum of the pseudo header's words (RFC 768, RFC 8200 section 8.1), for
// reference_checksum().
std::uint32_t reference_pseudo_sum(std::span<const std::uint8_t> source,
                                   std::span<const std::uint8_t> target, std::size_t udp_length);

// Returns "a.example" in wire form; "" and "." are the root. Has no escapes and no limits: tests
// need bad names.
Bytes dns_name(std::string_view text);

struct DnsQuestion {
    Bytes name;
    std::uint16_t type = 1;
    std::uint16_t dns_class = 1;
};

struct DnsRecord {
    Bytes owner = {0xc0, 0x0c}; // the question's name
    std::uint16_t type = 1;
    std::uint16_t dns_class = 1;
    std::uint32_t ttl = 3600;
    Bytes data = {};
    std::optional<std::uint16_t> length = std::nullopt;
};

// A count that a test does not set is the number of records in its section.
struct DnsMessage {
    std::uint16_t id = 0x1234;
    std::uint16_t flags = 0x0100; // a query, recursion desired
    std::vector<DnsQuestion> questions = {};
    std::vector<DnsRecord> answers = {};
    std::vector<DnsRecord> authorities = {};
    std::vector<DnsRecord> additionals = {};
    std::optional<std::uint16_t> question_count = std::nullopt;
    std::optional<std::uint16_t> answer_count = std::nullopt;
    std::optional<std::uint16_t> authority_count = std::nullopt;
    std::optional<std::uint16_t> additional_count = std::nullopt;

    Bytes bytes() const;
    operator Bytes() const { return bytes(); } // NOLINT(google-explicit-constructor)
};

// Returns an OPT record (RFC 6891 section 6.1.2); `ttl` is extended RCODE, version and flags.
DnsRecord dns_opt(std::uint32_t ttl = 0, Bytes options = {}, std::uint16_t udp_size = 1232);

// Returns the bytes in hexadecimal, sixteen a line, with offsets, for the messages of failing
// tests.
std::string hexdump(std::span<const std::uint8_t> bytes);

// Returns the bytes of "12 34 ab" or "1234ab"; ignores white space and lines that start with '#'.
Bytes from_hex(std::string_view text);

} // namespace dnsgauge::testing
