// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/name_range.h"

#include "dns/ip_prefix.h"
#include "system/setup_error.h"
#include "wire/bytes.h"

#include <bit>

namespace dnsgauge
{

NameRange parse_name_range(std::string_view text)
{
    const std::optional<IpPrefix> prefix = read_ip_prefix(text);
    if (!prefix || prefix->first.is_ipv6)
        throw SetupError("\"{}\" is no range of names: give an IPv4 prefix such as 10.0.0.0/8; a "
                         "file of names of your own is for dnsgauge trial --queries",
                         text);
    if (const IpPrefix meant = masked(*prefix); meant != *prefix)
        throw SetupError("\"{}\" has bits set after its prefix: did you mean {}?", text,
                         to_string(meant));
    return {wire_get32(prefix->first.bytes.data()), std::uint64_t{1} << (32U - prefix->length)};
}

std::string to_string(const NameRange &range)
{
    IpPrefix prefix{.first = {},
                    .length = 32U - static_cast<unsigned>(std::countr_zero(range.count))};
    wire_put32(prefix.first.bytes.data(), range.first);
    return to_string(prefix);
}

} // namespace dnsgauge
