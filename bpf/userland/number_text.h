// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers as people write them.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dnsgauge
{

// Returns whether the text is an optional sign, a 0, and another digit. Some programs read 010 as
// ten, others, CLI11 among them, as eight.
[[nodiscard]] constexpr bool has_leading_zero(std::string_view text)
{
    if (text.starts_with('-') || text.starts_with('+'))
        text.remove_prefix(1);
    return text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

// Returns the decimal number; nothing unless all of `text` is a number up to `most`.
[[nodiscard]] inline std::optional<std::uint32_t> read_number(std::string_view text,
                                                              std::uint32_t most = UINT32_MAX)
{
    std::uint32_t number = 0;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || stop != end || number > most)
        return std::nullopt;
    return number;
}

} // namespace dnsgauge
