// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/type_shares.h"

#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr unsigned together = 100;

// Reads "A=60".
std::optional<TypeShare> read_share(std::string_view item)
{
    const std::size_t sign = item.find('=');
    if (sign == 0 || sign == std::string_view::npos)
        return std::nullopt;
    TypeShare share;
    for (const char c : item.substr(0, sign))
        share.type += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string_view digits = item.substr(sign + 1);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), share.percent);
    const bool is_type = std::ranges::all_of(
        share.type, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
    if (error != std::errc() || end != digits.end() || share.percent > together || !is_type)
        return std::nullopt;
    return share;
}

} // namespace

std::vector<TypeShare> parse_type_shares(std::string_view text)
{
    std::vector<TypeShare> shares;
    unsigned sum = 0;
    std::string_view rest = text;
    while (!rest.empty() && sum <= together) {
        const std::string_view item = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), item.size() + 1));
        const std::optional<TypeShare> share = read_share(item);
        sum += share ? share->percent : together + 1;
        if (share)
            shares.push_back(*share);
    }
    if (sum != together)
        throw SetupError(
            fmt::format("\"{}\" are no types with shares: write A=60,AAAA=30,MX=10, percent "
                        "that are 100 together",
                        text));
    return shares;
}

std::string to_string(const std::vector<TypeShare> &types)
{
    std::string text;
    for (const TypeShare &share : types)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", share.type, share.percent);
    return text;
}

} // namespace dnsgauge
