// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RCODEs of the header, by IANA's names.
#pragma once

#include <optional>
#include <string_view>

namespace dnsgauge
{

// Returns the name of RCODE `number`, 0 to 15: RCODE11 and so on where IANA has assigned none.
[[nodiscard]] const char *rcode_text(unsigned number);

// Returns the number of the RCODE with this name, in capital or small letters; nothing if there is
// none.
[[nodiscard]] std::optional<unsigned> parse_rcode(std::string_view text);

} // namespace dnsgauge
