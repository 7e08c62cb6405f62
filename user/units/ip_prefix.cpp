// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/ip_prefix.h"

#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

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

std::optional<unsigned> parse_length(std::string_view text, unsigned most)
{
    unsigned length = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), length);
    const bool is_number = error == std::errc{} && end == text.end();
    return is_number && length <= most ? std::optional(length) : std::nullopt;
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

IpPrefix parse_ip_prefix(std::string_view text)
{
    const std::size_t slash = text.find('/');
    IpPrefix prefix{.first = parse_ip_address(text.substr(0, slash))};
    const unsigned most = address_bits(prefix.first);
    prefix.length = most;
    if (slash == std::string_view::npos)
        return prefix;
    const std::optional<unsigned> length = parse_length(text.substr(slash + 1), most);
    if (!length)
        throw SetupError(fmt::format(
            "\"{}\" is not a prefix: a length of 0 to {} follows the slash", text, most));
    prefix.length = *length;
    const IpAddress given = prefix.first;
    for (std::size_t i = 0; i * 8 < most; i++)
        prefix.first.bytes[i] &= mask_of(i, prefix.length);
    if (given != prefix.first)
        throw SetupError(fmt::format("\"{}\" has bits set behind the prefix: write {}", text,
                                     to_string(prefix)));
    return prefix;
}

std::string to_string(const IpPrefix &prefix)
{
    return fmt::format("{}/{}", to_string(prefix.first), prefix.length);
}

} // namespace dnsgauge
