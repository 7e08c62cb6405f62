// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The name of a zone, as text and in wire form.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

struct ZoneName {
    std::array<std::uint8_t, 64> wire{}; // small letters, root included
    std::uint32_t length = 0;            // octets of `wire`
    std::string text;                    // small letters, without the last dot
};

// Reads "dns64perf.test", with or without a last dot. Throws SetupError if the text is not a host
// name, or if its wire form is longer than the 63 octets for which the programs have room.
[[nodiscard]] ZoneName parse_zone_name(std::string_view text);

} // namespace dnsgauge
