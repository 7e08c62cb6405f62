// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/hexadecimal.h"

#include <charconv>

namespace dnsgauge
{

std::optional<std::vector<std::uint8_t>> parse_hexadecimal(std::string_view text)
{
    std::vector<std::uint8_t> octets;
    for (std::size_t at = 0; at < text.size(); at += 2) {
        std::uint8_t octet = 0;
        const std::string_view pair = text.substr(at, 2);
        const auto [end, error] = std::from_chars(pair.begin(), pair.end(), octet, 16);
        if (pair.size() != 2 || error != std::errc() || end != pair.end())
            return std::nullopt;
        octets.push_back(octet);
    }
    return octets;
}

} // namespace dnsgauge
