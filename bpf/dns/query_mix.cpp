// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/query_mix.h"

#include "dns/ip_address.h"
#include "system/setup_error.h"
#include "wire/test_name.h"

#include <fmt/format.h>

#include <array>

namespace dnsgauge
{

namespace
{

constexpr unsigned hundred = 100;

// Each factor has an inverse modulo 100, so an attribute goes through all hundred numbers. The
// factors are far from 0 and 100, so neighbours are far apart.
constexpr unsigned dnssec_ok_step = 61;
constexpr unsigned existence_step = 37;
constexpr unsigned type_step = 73;

std::size_t type_at(const QueryMix &mix, std::uint64_t percent)
{
    std::size_t type = 0;
    for (; type + 1 < mix.types.size() && percent >= mix.types[type].percent; type++)
        percent -= mix.types[type].percent;
    return type;
}

bool is_a(const std::string &type)
{
    return type == "A" || type == "TYPE1";
}

// Returns how many records of the type a name that exists owns.
unsigned records_of(const QueryMix &mix, const std::string &type, std::uint32_t address)
{
    if (is_a(type))
        return 1;
    const bool is_aaaa = type == "AAAA" || type == "TYPE28";
    return is_aaaa && test_name_has_aaaa(address, mix.aaaa_share) ? 1 : 0;
}

// Returns the address in a record of a name: its A record's, or with a prefix its AAAA record's.
std::string data_of(std::uint32_t address, const pref64 *prefix)
{
    IpAddress data{.bytes = {}, .is_ipv6 = prefix != nullptr};
    if (prefix != nullptr)
        pref64_embed(prefix, address, data.bytes.data());
    else
        wire_put32(data.bytes.data(), address);
    return to_string(data);
}

// Returns what a line wants of the RCODE and of the answer section.
std::string wanted_answers(const MixedQuery &query, const std::string &type, unsigned records,
                           std::uint32_t address, const std::optional<pref64> &aaaa_prefix)
{
    if (aaaa_prefix && records != 0)
        return "data=" + data_of(address, is_a(type) ? nullptr : &*aaaa_prefix);
    return fmt::format("rcode={} answers={}", query.exists ? "NOERROR" : "NXDOMAIN", records);
}

} // namespace

std::vector<TypeShare> parse_mix_types(std::string_view text)
{
    std::vector<TypeShare> shares = parse_type_shares(text);
    // Servers choose what answers to these types hold, or have their own records of them.
    for (const TypeShare &share : shares)
        for (const char *type : {"ANY", "TYPE255", "RRSIG", "TYPE46", "NSEC", "TYPE47"})
            if (share.type == type)
                throw SetupError("the number of records that answer a query for {} is "
                                 "unknown: leave the type out",
                                 share.type);
    return shares;
}

// In each hundred queries every attribute takes all remainders modulo 100 once. With each hundred
// the second attribute moves one step against the first. With each ten thousand the third attribute
// moves one step against both. So every combination occurs.
MixedQuery mixed_query(const QueryMix &mix, std::uint64_t index)
{
    const std::uint64_t block = index / hundred;
    const std::uint64_t blocks = block / hundred;
    return {.dnssec_ok = index * dnssec_ok_step % hundred < mix.dnssec_ok,
            .exists = (index * existence_step + block) % hundred >= mix.nxdomain,
            .type = type_at(mix, (index * type_step + block * 7 + blocks) % hundred)};
}

std::string mixed_line(const QueryMix &mix, const MixedQuery &query, std::uint32_t address,
                       const std::optional<pref64> &aaaa_prefix)
{
    std::array<std::uint8_t, TEST_NAME_LABEL> label{};
    test_name_write(label.data(), address);
    const std::string &type = mix.types[query.type].type;
    unsigned records = query.exists ? records_of(mix, type, address) : 0;
    const bool has_signature = mix.is_signed && query.dnssec_ok && records != 0;
    records += has_signature ? 1 : 0;
    return fmt::format("{}{}.{} {}{} {} aa{}", query.exists ? "" : missing_prefix,
                       std::string_view(reinterpret_cast<const char *>(label.data()), label.size()),
                       mix.zone.text, type, query.dnssec_ok ? " D" : "",
                       wanted_answers(query, type, records, address, aaaa_prefix),
                       has_signature ? " rrsig" : "");
}

void write_query_mix(const QueryMix &mix, std::uint64_t queries,
                     const std::optional<pref64> &aaaa_prefix, OutputFile &output)
{
    for (std::uint64_t i = 0; i < queries; i++)
        output.write(mixed_line(mix, mixed_query(mix, i), mixed_address(mix, i), aaaa_prefix) +
                     '\n');
}

} // namespace dnsgauge
