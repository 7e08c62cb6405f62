// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/query_type.h"

#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace dnsgauge
{

namespace
{

// IANA's registry of resource record types, without the types for private use.
constexpr std::array<std::pair<std::string_view, std::uint16_t>, 66> types{{
    {"A", 1},           {"NS", 2},      {"MD", 3},      {"MF", 4},        {"CNAME", 5},
    {"SOA", 6},         {"MB", 7},      {"MG", 8},      {"MR", 9},        {"NULL", 10},
    {"WKS", 11},        {"PTR", 12},    {"HINFO", 13},  {"MINFO", 14},    {"MX", 15},
    {"TXT", 16},        {"RP", 17},     {"AFSDB", 18},  {"X25", 19},      {"ISDN", 20},
    {"RT", 21},         {"NSAP", 22},   {"SIG", 24},    {"KEY", 25},      {"PX", 26},
    {"GPOS", 27},       {"AAAA", 28},   {"LOC", 29},    {"NXT", 30},      {"SRV", 33},
    {"NAPTR", 35},      {"KX", 36},     {"CERT", 37},   {"A6", 38},       {"DNAME", 39},
    {"APL", 42},        {"DS", 43},     {"SSHFP", 44},  {"IPSECKEY", 45}, {"RRSIG", 46},
    {"NSEC", 47},       {"DNSKEY", 48}, {"DHCID", 49},  {"NSEC3", 50},    {"NSEC3PARAM", 51},
    {"TLSA", 52},       {"SMIMEA", 53}, {"HIP", 55},    {"CDS", 59},      {"CDNSKEY", 60},
    {"OPENPGPKEY", 61}, {"CSYNC", 62},  {"ZONEMD", 63}, {"SVCB", 64},     {"HTTPS", 65},
    {"SPF", 99},        {"NID", 104},   {"L32", 105},   {"L64", 106},     {"LP", 107},
    {"EUI48", 108},     {"EUI64", 109}, {"ANY", 255},   {"URI", 256},     {"CAA", 257},
    {"DLV", 32769},
}};

constexpr std::string_view by_number = "TYPE";

char upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - ('a' - 'A')) : c;
}

bool same_letters(std::string_view text, std::string_view capitals)
{
    return std::ranges::equal(text, capitals, {}, upper);
}

} // namespace

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

std::vector<TypeShare> parse_type_shares(std::string_view text)
{
    const auto is_of_type = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; };
    const auto read = read_percent_shares(text);
    if (!read || !std::ranges::all_of(*read, [&](const PercentShare &share) {
            return std::ranges::all_of(share.name, is_of_type);
        }))
        throw SetupError("\"{}\" are no types with shares: write A=60,AAAA=30,MX=10, percent "
                         "that are 100 together",
                         text);
    std::vector<TypeShare> shares;
    for (const PercentShare &share : *read) {
        shares.push_back({.type = std::string(share.name), .percent = share.percent});
        std::ranges::transform(share.name, shares.back().type.begin(), upper);
    }
    return shares;
}

std::string to_string(const std::vector<TypeShare> &shares)
{
    return joined(
        shares,
        [](const TypeShare &share) { return fmt::format("{}={}", share.type, share.percent); },
        ",");
}

std::optional<std::uint16_t> parse_query_type(std::string_view text)
{
    for (const auto &[mnemonic, number] : types)
        if (same_letters(text, mnemonic))
            return number;
    if (!same_letters(text.substr(0, by_number.size()), by_number))
        return std::nullopt;
    return read_number(text.substr(by_number.size()), UINT16_MAX);
}

std::vector<std::pair<std::uint16_t, unsigned>> numbered(const std::vector<TypeShare> &shares)
{
    std::vector<std::pair<std::uint16_t, unsigned>> numbers;
    for (const TypeShare &share : shares) {
        const std::optional<std::uint16_t> number = parse_query_type(share.type);
        if (!number)
            throw SetupError("{} is no type: write a mnemonic, or TYPE123", share.type);
        numbers.emplace_back(*number, share.percent);
    }
    return numbers;
}

std::string query_type_text(std::uint16_t type)
{
    for (const auto &[mnemonic, number] : types)
        if (number == type)
            return std::string(mnemonic);
    return std::string(by_number) + std::to_string(type);
}

} // namespace dnsgauge
