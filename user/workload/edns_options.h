// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of the OPT record that queries have (RFC 6891 section 6.1.2).
#pragma once

#include "dns/ip_address.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct EdnsOptions {
    std::string text{};                 // as it was given
    std::vector<std::uint8_t> octets{}; // the options as they are sent, without the padding
    std::uint16_t padding_block = 0;    // queries are padded to a multiple of this size; 0 for none
    bool keepalive = false;             // the octets have edns-tcp-keepalive

    // So many bits of a captured client's address are its subnet. If unset, queries have no such
    // option.
    struct ClientSubnet {
        unsigned ipv4 = 24; // RFC 7871 section 11.1 recommends both
        unsigned ipv6 = 56;
    };
    std::optional<ClientSubnet> client_subnet{};

    [[nodiscard]] bool empty() const { return text.empty(); }
};

// Reads options with commas between them: nsid, cookie (8 random octets), cookie=HEX (8 octets),
// padding (to 128 octets), padding=BLOCK, keepalive, subnet=PREFIX, subnet=client,
// subnet=client/BITS/BITS (of IPv4 and IPv6), CODE:HEX. Throws SetupError.
[[nodiscard]] EdnsOptions parse_edns_options(std::string_view text);

// Returns `query`, which has one whole uncompressed question, with the options: in its OPT record
// instead of those with the same codes, or in a new OPT record that offers 1232 octets. `client`
// asked the query. Returns nothing if the query has other records than one OPT record.
[[nodiscard]] std::optional<std::vector<std::uint8_t>>
with_options(std::span<const std::uint8_t> query, const EdnsOptions &options,
             const IpAddress &client);

// Appends the options to `message`, which ends with an OPT record without any.
void put_options(const EdnsOptions &options, std::vector<std::uint8_t> &message);

[[nodiscard]] std::string to_string(const EdnsOptions &options);

} // namespace dnsgauge
