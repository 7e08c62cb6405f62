// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pref64::/n as text (RFC 6052 section 2.2).
#pragma once

#include "wire/pref64.h"

#include <string>
#include <string_view>

namespace dnsgauge
{

// Reads "2001:db8::/96". Throws SetupError if `text` is no IPv6 prefix, has a length that RFC 6052
// does not allow, has bits set after the prefix, or has bits 64 to 71 (octet "u") set.
[[nodiscard]] pref64 parse_pref64(std::string_view text);

// Returns the prefix in the form that parse_pref64() reads.
[[nodiscard]] std::string to_string(const pref64 &prefix);

} // namespace dnsgauge
