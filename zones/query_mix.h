// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists of queries for the names of a zone, with exact shares of every hundred queries (paper 003),
// evenly interleaved. Each line says what a server that has the zone answers.
#pragma once

#include "common/name_range.h"
#include "common/output_file.h"
#include "common/zone_name.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct TypeShare {
    std::string type; // a mnemonic, or TYPE123
    unsigned percent = 0;
};

struct QueryMix {
    ZoneName zone;
    NameRange names;
    unsigned aaaa_share = 100;    // percent of the names that have an AAAA record
    unsigned dnssec_ok = 0;       // percent of the queries with DO
    unsigned nxdomain = 0;        // percent of the queries whose names do not exist
    std::vector<TypeShare> types; // together 100 %
    std::uint64_t queries = 0;
};

// What one query of a mix has.
struct MixedQuery {
    bool dnssec_ok = false;
    bool exists = true;
    const std::string *type = nullptr; // of the mix
};

// Reads "A=60,AAAA=30,MX=10". Throws SetupError: the shares are not 100 together.
[[nodiscard]] std::vector<TypeShare> parse_type_shares(std::string_view text);

// Returns query `index` of the endless sequence of queries. Of every hundred queries that begin at
// a multiple of a hundred each share is exact; of every ten thousand also the share of queries that
// both have DO and do not exist; of every million each combination with a type.
[[nodiscard]] MixedQuery mixed_query(const QueryMix &mix, std::uint64_t index);

// Writes the mix as a list for dnsgauge trial --queries: query i asks for name i of the range, and
// begins again at its end. The caller commits `output`. Throws SetupError.
void write_query_mix(const QueryMix &mix, OutputFile &output);

} // namespace dnsgauge
