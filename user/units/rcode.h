// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RCODEs by IANA's names.
#pragma once

#include "wire/dns.h"

#include <optional>
#include <string_view>

namespace dnsgauge
{

// Returns the name of one of the DNS_RCODE_COUNTS counts: RCODE12 and so on if IANA has assigned
// none, RCODE31+ for 31 and all above.
[[nodiscard]] const char *rcode_text(unsigned count);

// Returns the number of the RCODE of the header with this name, in capital or small letters;
// nothing if there is none.
[[nodiscard]] std::optional<unsigned> parse_rcode(std::string_view text);

} // namespace dnsgauge
