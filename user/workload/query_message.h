// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of queries.
#pragma once

#include "userland/zone_name.h"
#include "workload/edns_options.h"

#include "wire/dns.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dnsgauge
{

struct QueryHeader {
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size{}; // of the OPT record; none without one
    bool dnssec_ok = false;                   // needs edns_size
};

struct QueryMessage : QueryHeader {
    std::uint16_t id = 0;
    std::span<const std::uint8_t> name{}; // in wire form
    std::uint16_t type = DNS_TYPE_AAAA;
    std::uint16_t query_class = DNS_CLASS_IN;
    const EdnsOptions *options = nullptr; // needs edns_size; null: none
};

// Writes the query in place of what `message` holds.
void write_query(const QueryMessage &query, std::vector<std::uint8_t> &message);

// A query for a name of the test namespace.
struct NameFormat : QueryHeader {
    ZoneName zone{};
    std::uint16_t type = DNS_TYPE_AAAA;
};

// Returns the message that asks for the name of address 0. Its transaction ID is zero. The name
// follows the header, and test_name_write() makes it another one.
[[nodiscard]] std::vector<std::uint8_t> name_message(const NameFormat &format);

} // namespace dnsgauge
