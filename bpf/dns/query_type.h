// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text form of query types: mnemonics, and TYPE123 (RFC 3597 section 5). Shares of types.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

// A share in a text such as "A=60,AAAA=40". The percentages are 100 together.
struct PercentShare {
    std::string_view name; // in the text that was read; never empty
    unsigned percent = 0;
};

// Returns the shares in their order; nothing if the text has another form, or if they are not 100
// together.
[[nodiscard]] std::optional<std::vector<PercentShare>> read_percent_shares(std::string_view text);

struct TypeShare {
    std::string type; // a mnemonic in capitals, or TYPE123
    unsigned percent = 0;

    bool operator==(const TypeShare &) const = default;
};

// Reads "A=60,AAAA=30,MX=10". Throws SetupError if the text has another form, or if the shares are
// not 100 together. Does not check whether the types exist.
[[nodiscard]] std::vector<TypeShare> parse_type_shares(std::string_view text);

// Returns the text that parse_type_shares() reads.
[[nodiscard]] std::string to_string(const std::vector<TypeShare> &types);

// Returns the number of the type that a text names: a mnemonic in capital or small letters, or
// TYPE123. Returns nothing for other texts.
[[nodiscard]] std::optional<std::uint16_t> parse_query_type(std::string_view text);

// Returns number and percentage of each type. Throws SetupError if parse_query_type() does not know
// a type.
[[nodiscard]] std::vector<std::pair<std::uint16_t, unsigned>>
numbered(const std::vector<TypeShare> &shares);

// Returns the type's mnemonic, or TYPE123.
[[nodiscard]] std::string query_type_text(std::uint16_t type);

} // namespace dnsgauge
