// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/zone_writer.h"

#include "wire/answer.h"
#include "wire/test_name.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::string_view a_type = "\tA\t";
constexpr std::string_view aaaa_type = "\tAAAA\t";
constexpr std::size_t ipv6_text_max = 8 * 4 + 7;
constexpr std::size_t line_max = TEST_NAME_LABEL + aaaa_type.size() + ipv6_text_max + 1;

char *put(char *at, std::string_view text)
{
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
}

char *put_number(char *at, std::uint32_t number, int base)
{
    return std::to_chars(at, at + 10, number, base).ptr;
}

char *put_label(char *at, std::uint32_t address)
{
    test_name_write(reinterpret_cast<std::uint8_t *>(at), address);
    return at + TEST_NAME_LABEL;
}

char *put_a(char *at, std::uint32_t address)
{
    at = put(put_label(at, address), a_type);
    for (unsigned shift = 24; shift > 0; shift -= 8) {
        at = put_number(at, address >> shift & 255U, 10);
        *at++ = '.';
    }
    at = put_number(at, address & 255U, 10);
    *at++ = '\n';
    return at;
}

// Writes the address in full, without "::" (RFC 4291 section 2.2, form 1).
char *put_aaaa(char *at, std::uint32_t address, const pref64 &prefix)
{
    std::array<std::uint8_t, 16> data{};
    pref64_embed(&prefix, address, data.data());
    at = put(put_label(at, address), aaaa_type);
    for (std::size_t i = 0; i < data.size(); i += 2) {
        at = put_number(at, wire_get16(data.data() + i), 16);
        *at++ = ':';
    }
    at[-1] = '\n';
    return at;
}

void write_apex(const ZoneSpec &spec, OutputFile &output)
{
    output.write(fmt::format("$ORIGIN {}.\n"
                             "$TTL {}\n"
                             "@\t{}\tSOA\tns hostmaster {} {} {} {} {}\n"
                             "@\tNS\tns\n",
                             spec.zone.text, spec.ttl, spec.negative_ttl, ANSWER_SOA_SERIAL,
                             ANSWER_SOA_REFRESH, ANSWER_SOA_RETRY, ANSWER_SOA_EXPIRE,
                             spec.negative_ttl));
    for (const IpAddress &address : spec.name_server)
        output.write(
            fmt::format("ns\t{}\t{}\n", address.is_ipv6 ? "AAAA" : "A", to_string(address)));
}

} // namespace

void write_zone(const ZoneSpec &spec, OutputFile &output)
{
    const bool has_a = spec.records != ZoneRecords::aaaa;
    const std::uint32_t aaaa_share = spec.records == ZoneRecords::a      ? 0
                                     : spec.records == ZoneRecords::aaaa ? 100
                                                                         : spec.aaaa_share;
    write_apex(spec, output);
    for (std::uint64_t i = 0; i < spec.names.count; i++) {
        const auto address = static_cast<std::uint32_t>(spec.names.first + i);
        char *at = output.reserve(2 * line_max);
        if (has_a)
            at = put_a(at, address);
        if (test_name_has_aaaa(address, aaaa_share) != 0)
            at = put_aaaa(at, address, spec.aaaa_prefix);
        output.filled_to(at);
    }
}

} // namespace dnsgauge
