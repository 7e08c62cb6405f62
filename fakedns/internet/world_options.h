// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an Internet is like: the values of its file (README.md), with their defaults. Shares are in
// thousandths.
#pragma once

#include "dns/ip_prefix.h"
#include "wire/dns.h"
#include "wire/fault.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// The types of records that names have.
constexpr std::uint16_t type_cname = 5;
constexpr std::uint16_t type_ptr = 12;
constexpr std::uint16_t type_mx = 15;
constexpr std::uint16_t type_txt = 16;
constexpr std::uint16_t type_ds = 43;
constexpr std::uint16_t type_https = 65;
constexpr std::uint16_t type_caa = 257;

constexpr std::uint32_t ttl_max = 0x7fffffff; // RFC 2181 section 8

// A value, and the end of its places. The places begin at the previous value's end.
struct WeightedValue {
    std::uint32_t value = 0;
    std::uint16_t end = 0;
};

// Values whose shares together are 1000.
using WeightedValues = std::vector<WeightedValue>;

struct TypeOdds {
    std::uint16_t type = 0;
    std::uint16_t share = 0;
};

enum class ServerCharacter : std::uint8_t {
    sound,
    lame,        // refers every question up to the root
    servfail,    // answers SERVFAIL
    refused,     // answers REFUSED
    silent,      // does not answer
    slow,        // answers later by slow_latency
    no_edns,     // answers FORMERR to queries with EDNS
    truncating,  // has TC in every answer by UDP
    drops_large, // its UDP answers of more than 512 octets are lost
};
constexpr unsigned server_characters = 9;

using LatencyQuantiles = std::array<std::uint64_t, FAULT_QUANTILES>; // ns, ascending

struct WorldOptions {
    WorldOptions();

    std::string seed = "internet";

    IpPrefix ipv4;
    IpPrefix ipv6; // of length 0 if no server has an IPv6 address
    std::uint32_t root_servers = 13;
    std::uint32_t hosters = 200; // organisations with name servers for others' zones
    std::uint32_t cdns = 50;     // zones that aliases lead to
    std::uint16_t servers_with_ipv6 = 500;
    WeightedValues name_servers{{2, 600}, {3, 800}, {4, 1000}}; // of a zone

    std::uint16_t registered = 700;   // of the names directly below a public suffix
    std::uint16_t suffix_zones = 500; // of the public suffixes of several labels
    // Zones whose name servers have names in the zone itself.
    std::uint16_t in_bailiwick = 400;

    // Shares of the names in a zone; the rest has records.
    std::uint16_t absent = 300;
    std::uint16_t alias = 100;
    std::uint16_t empty = 20;
    std::uint16_t subzones = 30;
    std::uint16_t wildcards = 30; // of the names that can have names below them
    // Subzones that are on the servers of the zone above.
    std::uint16_t subzones_shared = 500;
    std::uint32_t alias_chain = 3; // CNAME records in a row, at most
    std::uint16_t dangling = 10;   // of the aliases: the last name does not exist

    std::vector<TypeOdds> types{
        {DNS_TYPE_A, 950}, {DNS_TYPE_AAAA, 400}, {type_mx, 50}, {type_txt, 100}, {type_https, 200}};
    std::vector<TypeOdds> apex_types{{DNS_TYPE_A, 900}, {DNS_TYPE_AAAA, 400}, {type_mx, 800},
                                     {type_txt, 800},   {type_https, 200},    {type_caa, 100}};
    WeightedValues addresses{{1, 700}, {2, 900}, {4, 980}, {8, 1000}};
    WeightedValues text_octets{{40, 600}, {400, 950}, {1800, 1000}};
    WeightedValues ttl{{60, 200}, {300, 500}, {3600, 850}, {86400, 1000}};
    std::uint32_t delegation_ttl = 172800;
    std::uint32_t negative_ttl = 900;

    LatencyQuantiles latency{};
    LatencyQuantiles registry_latency{};
    LatencyQuantiles slow_latency{};
    std::uint16_t loss = 5;
    // The shares by ServerCharacter. ServerCharacter::sound has the rest.
    std::array<std::uint16_t, server_characters> characters{0, 5, 5, 5, 10, 5, 10, 5, 10};
};

// Returns the options in the file that --internet names (README.md), with defaults for all that the
// file does not say. Throws SetupError, one line with file, line and key.
[[nodiscard]] WorldOptions read_world_file(const std::string &file);

// Returns the name of a character in the file, such as "no-edns".
[[nodiscard]] std::string_view to_string(ServerCharacter character);

// Returns the type, as parse_query_type() does. Throws SetupError, which begins with `place`.
[[nodiscard]] std::uint16_t parse_type(std::string_view place, std::string_view text);

} // namespace dnsgauge
