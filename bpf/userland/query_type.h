// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text form of query types: mnemonics, and TYPE123 (RFC 3597 section 5).
#pragma once

#include "userland/type_shares.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Returns the number of a type: of a mnemonic in capital or small letters, or of TYPE123. Returns
// nothing for other texts.
[[nodiscard]] std::optional<std::uint16_t> parse_query_type(std::string_view text);

// Returns number and percentage of each type. Throws SetupError if parse_query_type() does not know
// a type.
[[nodiscard]] std::vector<std::pair<std::uint16_t, unsigned>>
numbered(const std::vector<TypeShare> &shares);

// Returns the type's mnemonic, or TYPE123.
[[nodiscard]] std::string query_type_text(std::uint16_t type);

} // namespace dnsgauge
