// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The message of a query for a name of the test namespace.
#pragma once

#include "userland/zone_name.h"

#include "wire/dns.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

struct NameFormat {
    ZoneName zone;
    std::uint16_t type = DNS_TYPE_AAAA;
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size; // of the OPT record; none without one
    bool dnssec_ok = false;                 // needs edns_size
};

// Returns the message that asks for the name of address 0. Its transaction ID is zero. The name
// follows the header, and test_name_write() makes it another one.
[[nodiscard]] std::vector<std::uint8_t> name_message(const NameFormat &format);

} // namespace dnsgauge
