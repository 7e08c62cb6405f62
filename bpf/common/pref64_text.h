// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pref64::/n as people write it (RFC 6052 section 2.2).
#pragma once

#include "wire/pref64.h"

#include <string>
#include <string_view>

namespace dnsgauge
{

// Reads "2001:db8::/96". Throws SetupError: not an IPv6 prefix, a length that RFC 6052 does not
// have, bits set behind the prefix, or bits 64 to 71 (octet "u") not zero.
[[nodiscard]] pref64 parse_pref64(std::string_view text);

// The prefix as parse_pref64() reads it.
[[nodiscard]] std::string to_string(const pref64 &prefix);

} // namespace dnsgauge
