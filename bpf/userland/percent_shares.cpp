// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/percent_shares.h"

#include "userland/number_text.h"

#include <algorithm>

namespace dnsgauge
{

std::optional<std::vector<PercentShare>> read_percent_shares(std::string_view text)
{
    constexpr unsigned together = 100;
    std::vector<PercentShare> shares;
    unsigned sum = 0;
    while (!text.empty() && sum <= together) {
        const std::string_view item = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), item.size() + 1));
        const std::size_t sign = item.find('=');
        if (sign == 0 || sign == std::string_view::npos)
            return std::nullopt;
        const auto percent = read_number(item.substr(sign + 1), together);
        if (!percent)
            return std::nullopt;
        shares.push_back({.name = item.substr(0, sign), .percent = *percent});
        sum += *percent;
    }
    return sum == together ? std::optional(std::move(shares)) : std::nullopt;
}

} // namespace dnsgauge
