// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/pref64_text.h"

#include "userland/ip_address.h"
#include "userland/number_text.h"
#include "userland/setup_error.h"

#include <algorithm>
#include <span>

namespace dnsgauge
{

namespace
{

constexpr std::size_t octet_u = 8;

pref64 read_prefix(std::string_view text)
{
    const std::size_t slash = text.find('/');
    if (slash != std::string_view::npos) {
        const auto address = read_ip_address(text.substr(0, slash));
        const auto length = read_number(text.substr(slash + 1), 128);
        if (address && address->is_ipv6 && length) {
            pref64 prefix{};
            std::ranges::copy(address->bytes, prefix.bytes);
            prefix.length = *length;
            return prefix;
        }
    }
    throw SetupError("\"" + std::string(text) +
                     "\" is no IPv6 prefix: write it like 2001:db8::/96");
}

} // namespace

pref64 parse_pref64(std::string_view text)
{
    const pref64 given = read_prefix(text);
    const std::string quoted = "\"" + std::string(text) + "\"";
    if (pref64_length_ok(given.length) == 0)
        throw SetupError(quoted + " cannot hold IPv4 addresses: RFC 6052 has prefix lengths 32, "
                                  "40, 48, 56, 64 and 96");

    pref64 prefix = given;
    std::ranges::fill(std::span(prefix.bytes).subspan(prefix.length / 8), std::uint8_t{0});
    if (!std::ranges::equal(prefix.bytes, given.bytes))
        throw SetupError(quoted + " has bits set behind its prefix: did you mean " +
                         to_string(prefix) + "?");
    if (std::span(prefix.bytes)[octet_u] != 0)
        throw SetupError(quoted + " has bits 64 to 71 set: RFC 6052 section 2.2 wants them zero");
    return prefix;
}

std::string to_string(const pref64 &prefix)
{
    IpAddress address{.bytes = {}, .is_ipv6 = true};
    std::ranges::copy(prefix.bytes, address.bytes.begin());
    return to_string(address) + "/" + std::to_string(prefix.length);
}

} // namespace dnsgauge
