// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/pref64_text.h"

#include "dns/ip_prefix.h"
#include "system/setup_error.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t octet_u = 8;

} // namespace

pref64 parse_pref64(std::string_view text)
{
    const std::optional<IpPrefix> given = read_ip_prefix(text);
    if (!given || !given->first.is_ipv6)
        throw SetupError("\"{}\" is no IPv6 prefix: write it like 2001:db8::/96", text);
    pref64 prefix{};
    prefix.length = given->length;
    std::ranges::copy(given->first.bytes, prefix.bytes);
    if (pref64_length_ok(prefix.length) == 0)
        throw SetupError("\"{}\" cannot hold IPv4 addresses: RFC 6052 has prefix lengths 32, 40, "
                         "48, 56, 64 and 96",
                         text);
    if (const IpPrefix meant = masked(*given); meant != *given)
        throw SetupError("\"{}\" has bits set after its prefix: did you mean {}?", text,
                         to_string(meant));
    if (given->first.bytes[octet_u] != 0)
        throw SetupError("\"{}\" has bits 64 to 71 set: RFC 6052 section 2.2 wants them zero",
                         text);
    return prefix;
}

std::string to_string(const pref64 &prefix)
{
    return to_string(IpPrefix{IpAddress::of(prefix.bytes), prefix.length});
}

} // namespace dnsgauge
