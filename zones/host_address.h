// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An IPv4 or IPv6 address that a server listens on, or that its name resolves to.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct HostAddress {
    bool is_ipv6 = false;
    std::string text; // in the usual notation

    auto operator<=>(const HostAddress &) const = default;

    // Is it 0.0.0.0 or ::, every address of the host?
    [[nodiscard]] bool is_any() const { return text == "0.0.0.0" || text == "::"; }
};

// Reads an address in the usual notation. Throws SetupError.
[[nodiscard]] HostAddress parse_host_address(std::string_view text);

// Returns format(address) of every address, joined.
template <class Format>
[[nodiscard]] std::string joined(const std::vector<HostAddress> &addresses, Format format,
                                 std::string_view separator)
{
    std::string text;
    for (const HostAddress &address : addresses) {
        if (!text.empty())
            text += separator;
        text += format(address);
    }
    return text;
}

} // namespace dnsgauge
