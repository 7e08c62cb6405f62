// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An IPv4 or IPv6 address that a server listens on, or that its name resolves to.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace dnsgauge
{

struct HostAddress {
    bool is_ipv6 = false;
    std::string text; // in the usual notation

    auto operator<=>(const HostAddress &) const = default;

    // 0.0.0.0 or ::, every address of the host
    [[nodiscard]] bool is_any() const { return text == "0.0.0.0" || text == "::"; }
};

// Throws SetupError.
[[nodiscard]] HostAddress parse_host_address(std::string_view text);

} // namespace dnsgauge
