// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/name_range.h"

#include "userland/ip_address.h"
#include "userland/number_text.h"
#include "userland/setup_error.h"
#include "wire/bytes.h"

#include <bit>

namespace dnsgauge
{

NameRange parse_name_range(std::string_view text)
{
    const std::size_t slash = text.find('/');
    std::optional<IpAddress> first;
    std::optional<std::uint32_t> length;
    if (slash != std::string_view::npos) {
        first = read_ip_address(text.substr(0, slash));
        length = read_number(text.substr(slash + 1), 32);
    }
    if (!first || first->is_ipv6 || !length)
        throw SetupError(
            "\"" + std::string(text) +
            "\" is no range of names: give an IPv4 prefix such as 10.0.0.0/8; a file of "
            "names of your own is for dnsgauge trial --queries");

    const NameRange range{wire_get32(first->bytes.data()), std::uint64_t{1} << (32U - *length)};
    if (const std::uint64_t host_bits = range.first & (range.count - 1); host_bits != 0)
        throw SetupError(
            "\"" + std::string(text) + "\" has bits set behind its prefix: did you mean " +
            to_string(NameRange{static_cast<std::uint32_t>(range.first - host_bits), range.count}) +
            "?");
    return range;
}

std::string to_string(const NameRange &range)
{
    IpAddress first;
    wire_put32(first.bytes.data(), range.first);
    return to_string(first) + "/" + std::to_string(32 - std::countr_zero(range.count));
}

} // namespace dnsgauge
