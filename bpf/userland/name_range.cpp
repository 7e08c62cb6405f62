// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/name_range.h"

#include "userland/setup_error.h"

#include <arpa/inet.h>

#include <array>
#include <bit>
#include <charconv>
#include <optional>

namespace dnsgauge
{

namespace
{

std::optional<std::uint32_t> read_address(const std::string &text)
{
    in_addr address{};
    if (text.find('\0') != std::string::npos || inet_pton(AF_INET, text.c_str(), &address) != 1)
        return std::nullopt;
    return ntohl(address.s_addr);
}

std::optional<unsigned> read_length(std::string_view text)
{
    unsigned length = 0;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, length);
    if (error != std::errc{} || stop != end || length > 32)
        return std::nullopt;
    return length;
}

} // namespace

NameRange parse_name_range(std::string_view text)
{
    const std::size_t slash = text.find('/');
    std::optional<std::uint32_t> first;
    std::optional<unsigned> length;
    if (slash != std::string_view::npos) {
        first = read_address(std::string(text.substr(0, slash)));
        length = read_length(text.substr(slash + 1));
    }
    if (!first || !length)
        throw SetupError(
            "\"" + std::string(text) +
            "\" is no range of names: give an IPv4 prefix such as 10.0.0.0/8; a file of "
            "names of your own is for dnsgauge trial --queries");

    const NameRange range{*first, std::uint64_t{1} << (32U - *length)};
    if (const std::uint64_t host_bits = range.first & (range.count - 1); host_bits != 0)
        throw SetupError(
            "\"" + std::string(text) + "\" has bits set behind its prefix: did you mean " +
            to_string(NameRange{static_cast<std::uint32_t>(range.first - host_bits), range.count}) +
            "?");
    return range;
}

std::string to_string(const NameRange &range)
{
    const in_addr address{htonl(range.first)};
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &address, text.data(), text.size());
    return std::string(text.data()) + "/" + std::to_string(32 - std::countr_zero(range.count));
}

} // namespace dnsgauge
