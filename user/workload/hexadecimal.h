// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Octets as hexadecimal digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns the octets that "0a1B" is, two digits each; nothing if the text is something else.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> parse_hexadecimal(std::string_view text);

} // namespace dnsgauge
