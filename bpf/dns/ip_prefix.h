// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Prefixes of addresses.
#pragma once

#include "dns/ip_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dnsgauge
{

struct IpPrefix {
    IpAddress first; // no bit is set after the prefix
    unsigned length = 0;

    bool operator==(const IpPrefix &) const = default;

    [[nodiscard]] bool contains(const IpAddress &address) const;
    // Returns how many addresses there are, at most 2^63.
    [[nodiscard]] std::uint64_t size() const;
    // Returns address number `index`, from 0 and below size().
    [[nodiscard]] IpAddress address(std::uint64_t index) const;
};

// Returns the address and the length of "192.0.2.0/24"; nothing if `text` has another form. Bits
// may be set after the prefix.
[[nodiscard]] std::optional<IpPrefix> read_ip_prefix(std::string_view text);

// Returns the prefix with all bits after it cleared.
[[nodiscard]] IpPrefix masked(IpPrefix prefix);

// Reads "192.0.2.0/24" or "2001:db8::/64"; an address alone is a prefix of one address. Throws
// SetupError if `text` has another form, or bits set after the prefix (the message then names the
// prefix that the user probably meant).
[[nodiscard]] IpPrefix parse_ip_prefix(std::string_view text);

// Returns the prefix in the form that parse_ip_prefix() reads.
[[nodiscard]] std::string to_string(const IpPrefix &prefix);

} // namespace dnsgauge
