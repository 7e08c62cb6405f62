// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/query_mix.h"

#include "common/setup_error.h"
#include "wire/test_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>

namespace dnsgauge
{

namespace
{

constexpr unsigned hundred = 100;

// Each factor has an inverse modulo 100, so that an attribute goes through all hundred numbers.
// They are far from 0 and 100, so that neighbours are far apart.
constexpr unsigned dnssec_ok_step = 61;
constexpr unsigned existence_step = 37;
constexpr unsigned type_step = 73;

[[noreturn]] void refuse(std::string_view text)
{
    throw SetupError(
        fmt::format("\"{}\" are no types with shares: write A=60,AAAA=30,MX=10, percent "
                    "that are 100 together",
                    text));
}

TypeShare read_share(std::string_view word, std::string_view text)
{
    const std::size_t sign = word.find('=');
    if (sign == 0 || sign == std::string_view::npos)
        refuse(text);
    TypeShare share;
    for (const char c : word.substr(0, sign))
        share.type += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string_view digits = word.substr(sign + 1);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), share.percent);
    const bool is_type = std::ranges::all_of(
        share.type, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
    if (error != std::errc() || end != digits.end() || share.percent > hundred || !is_type)
        refuse(text);
    // Servers choose what they put into answers to these, or have such records of their own.
    for (const char *type : {"ANY", "TYPE255", "RRSIG", "TYPE46", "NSEC", "TYPE47"})
        if (share.type == type)
            throw SetupError(fmt::format("nobody knows how many records answer a query for {}: "
                                         "leave the type out",
                                         share.type));
    return share;
}

std::size_t type_at(const QueryMix &mix, std::uint64_t percent)
{
    std::size_t type = 0;
    for (; type + 1 < mix.types.size() && percent >= mix.types[type].percent; type++)
        percent -= mix.types[type].percent;
    return type;
}

// Returns how many records of the type a name that exists owns.
unsigned records_of(const QueryMix &mix, const std::string &type, std::uint32_t address)
{
    if (type == "A" || type == "TYPE1")
        return 1;
    const bool is_aaaa = type == "AAAA" || type == "TYPE28";
    return is_aaaa && test_name_has_aaaa(address, mix.aaaa_share) ? 1 : 0;
}

} // namespace

std::vector<TypeShare> parse_type_shares(std::string_view text)
{
    std::vector<TypeShare> shares;
    std::string_view rest = text;
    while (true) {
        const std::size_t comma = rest.find(',');
        shares.push_back(read_share(rest.substr(0, comma), text));
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
    }
    const unsigned sum =
        std::accumulate(shares.begin(), shares.end(), 0U,
                        [](unsigned total, const TypeShare &one) { return total + one.percent; });
    if (sum != hundred)
        refuse(text);
    return shares;
}

// In each hundred queries every attribute takes all remainders modulo 100 once. From one hundred to
// the next the second attribute moves one step against the first, and from one ten thousand to the
// next the third attribute moves one step against both: so every combination occurs.
MixedQuery mixed_query(const QueryMix &mix, std::uint64_t index)
{
    const std::uint64_t block = index / hundred;
    const std::uint64_t blocks = block / hundred;
    return {.dnssec_ok = index * dnssec_ok_step % hundred < mix.dnssec_ok,
            .exists = (index * existence_step + block) % hundred >= mix.nxdomain,
            .type = type_at(mix, (index * type_step + block * 7 + blocks) % hundred)};
}

std::string to_string(const std::vector<TypeShare> &types)
{
    std::string text;
    for (const TypeShare &share : types)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", share.type, share.percent);
    return text;
}

std::string mixed_line(const QueryMix &mix, const MixedQuery &query, std::uint32_t address)
{
    std::array<std::uint8_t, TEST_NAME_LABEL> label{};
    test_name_write(label.data(), address);
    const std::string &type = mix.types[query.type].type;
    const unsigned records = query.exists ? records_of(mix, type, address) : 0;
    const bool has_signature = mix.is_signed && query.dnssec_ok && records != 0;
    return fmt::format("{}{}.{} {}{} {} answers={} aa{}", query.exists ? "" : missing_prefix,
                       std::string_view(reinterpret_cast<const char *>(label.data()), label.size()),
                       mix.zone.text, type, query.dnssec_ok ? " D" : "",
                       query.exists ? "rcode=NOERROR" : "rcode=NXDOMAIN",
                       records + (has_signature ? 1 : 0), has_signature ? " rrsig" : "");
}

void write_query_mix(const QueryMix &mix, std::uint64_t queries, OutputFile &output)
{
    for (std::uint64_t i = 0; i < queries; i++)
        output.write(mixed_line(mix, mixed_query(mix, i), mixed_address(mix, i)) + '\n');
}

} // namespace dnsgauge
