// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/ip_prefix.h"

#include "system/number_text.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr unsigned size_bits_most = 63;

unsigned address_bits(const IpAddress &address)
{
    return address.is_ipv6 ? 128 : 32;
}

// Returns the octet's bits that lie within the first `length` bits of the address.
std::uint8_t mask_of(std::size_t octet, unsigned length)
{
    const unsigned before = static_cast<unsigned>(octet) * 8;
    if (length <= before)
        return 0;
    return static_cast<std::uint8_t>(0xff00U >> std::min(length - before, 8U));
}

} // namespace

bool IpPrefix::contains(const IpAddress &address) const
{
    if (address.is_ipv6 != first.is_ipv6)
        return false;
    for (std::size_t i = 0; i * 8 < length; i++)
        if (((address.bytes[i] ^ first.bytes[i]) & mask_of(i, length)) != 0)
            return false;
    return true;
}

std::uint64_t IpPrefix::size() const
{
    return std::uint64_t{1} << std::min(address_bits(first) - length, size_bits_most);
}

IpAddress IpPrefix::address(std::uint64_t index) const
{
    IpAddress found = first;
    for (std::size_t i = address_bits(first) / 8; i > 0 && index != 0; i--, index >>= 8U)
        found.bytes[i - 1] = static_cast<std::uint8_t>(found.bytes[i - 1] | (index & 0xffU));
    return found;
}

std::optional<IpPrefix> read_ip_prefix(std::string_view text)
{
    const std::size_t slash = std::min(text.find('/'), text.size());
    const auto first = read_ip_address(text.substr(0, slash));
    if (!first || slash == text.size())
        return std::nullopt;
    const auto length = read_number(text.substr(slash + 1), address_bits(*first));
    return length ? std::optional(IpPrefix{*first, *length}) : std::nullopt;
}

IpPrefix masked(IpPrefix prefix)
{
    for (std::size_t i = 0; i < prefix.first.bytes.size(); i++)
        prefix.first.bytes[i] &= mask_of(i, prefix.length);
    return prefix;
}

IpPrefix parse_ip_prefix(std::string_view text)
{
    const std::size_t slash = text.find('/');
    const IpAddress first = parse_ip_address(text.substr(0, slash));
    if (slash == std::string_view::npos)
        return {.first = first, .length = address_bits(first)};
    const std::optional<IpPrefix> given = read_ip_prefix(text);
    if (!given)
        throw SetupError("\"{}\" is not a prefix: a length of 0 to {} follows the slash", text,
                         address_bits(first));
    const IpPrefix prefix = masked(*given);
    if (prefix != *given)
        throw SetupError("\"{}\" has bits set after the prefix: write {}", text, to_string(prefix));
    return prefix;
}

std::string to_string(const IpPrefix &prefix)
{
    return fmt::format("{}/{}", to_string(prefix.first), prefix.length);
}

} // namespace dnsgauge
