// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries for the names of a test zone, evenly interleaved, with shares that are exact in every
// hundred queries (paper 003). Each query is also a line of a list, which tells what a server with
// the zone answers.
#pragma once

#include "dns/name_range.h"
#include "dns/query_type.h"
#include "dns/zone_name.h"
#include "system/output_file.h"
#include "wire/pref64.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct QueryMix {
    ZoneName zone;
    NameRange names;
    unsigned aaaa_share = 100;    // percent of the names that have an AAAA record
    unsigned dnssec_ok = 0;       // percent of the queries with DO
    unsigned nxdomain = 0;        // percent of the queries whose names do not exist
    bool is_signed = false;       // the zone: one RRSIG record for each type of a name
    std::vector<TypeShare> types; // together 100 %
};

// What one query of a mix has.
struct MixedQuery {
    bool dnssec_ok = false;
    bool exists = true;
    std::size_t type = 0; // number in the mix's types
};

// Returns what parse_type_shares() reads. Also throws SetupError if the number of records of a type
// depends on more than the test zone.
[[nodiscard]] std::vector<TypeShare> parse_mix_types(std::string_view text);

// mixed_query() returns the same for indexes that differ by this number.
inline constexpr std::uint64_t mix_period = 1'000'000;

// Returns query `index` of the endless sequence of queries. Each share is exact in every hundred
// queries that begin at a multiple of a hundred. The share of queries that both have DO and do not
// exist is exact in every ten thousand, and each combination with a type in every million.
[[nodiscard]] MixedQuery mixed_query(const QueryMix &mix, std::uint64_t index);

// Returns the name that query `index` is about: name `index` of the range, which begins again at
// its end.
[[nodiscard]] inline std::uint32_t mixed_address(const QueryMix &mix, std::uint64_t index)
{
    return static_cast<std::uint32_t>(mix.names.first + index % mix.names.count);
}

// The prefix that makes an address's name one that must not exist.
inline constexpr std::string_view missing_prefix = "no-";

// Returns the query for the name of `address` as a line of a list, without the line's end. Given
// the prefix of the zone's AAAA records, the line wants the answers' data, otherwise their number.
[[nodiscard]] std::string mixed_line(const QueryMix &mix, const MixedQuery &query,
                                     std::uint32_t address,
                                     const std::optional<pref64> &aaaa_prefix = {});

// Writes the mix's first `queries` queries as a list for dnsgauge trial --queries: see
// mixed_line(). The caller commits `output`. Throws SetupError.
void write_query_mix(const QueryMix &mix, std::uint64_t queries,
                     const std::optional<pref64> &aaaa_prefix, OutputFile &output);

} // namespace dnsgauge
