// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers as people write them.
#pragma once

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

} // namespace dnsgauge
