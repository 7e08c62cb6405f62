// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers as people write them.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace dnsgauge
{

[[nodiscard]] constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns whether the text is an optional sign, a 0, and another digit. Some programs read 010 as
// ten, others, CLI11 among them, as eight.
[[nodiscard]] constexpr bool has_leading_zero(std::string_view text)
{
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

// Returns the decimal number; nothing unless all of `text` is a number up to `most`.
template <class Number = std::uint32_t>
[[nodiscard]] std::optional<Number>
read_number(std::string_view text,
            std::type_identity_t<Number> most = std::numeric_limits<Number>::max())
{
    Number number{};
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > most)
        return std::nullopt;
    return number;
}

// Returns the octets of pairs of hexadecimal digits with `between` between two pairs, such as
// "0a1B"; nothing if `text` has another form.
[[nodiscard]] inline std::optional<std::vector<std::uint8_t>>
read_octets(std::string_view text, std::string_view between = "")
{
    std::vector<std::uint8_t> octets;
    while (!text.empty()) {
        if (!octets.empty() && !text.starts_with(between))
            return std::nullopt;
        const std::string_view pair = text.substr(octets.empty() ? 0 : between.size()).substr(0, 2);
        std::uint8_t octet = 0;
        const auto [end, error] = std::from_chars(pair.begin(), pair.end(), octet, 16);
        if (pair.size() != 2 || error != std::errc{} || end != pair.end())
            return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(pair.end() - text.begin()));
        octets.push_back(octet);
    }
    return octets;
}

} // namespace dnsgauge
