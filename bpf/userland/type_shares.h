// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The text form of query types with exact shares: A=60,AAAA=30,MX=10.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct TypeShare {
    std::string type; // a mnemonic in capitals, or TYPE123
    unsigned percent = 0;

    bool operator==(const TypeShare &) const = default;
};

// Reads "A=60,AAAA=30,MX=10". Throws SetupError: the text has another form, or the shares are not
// 100 together. Whether the types exist is for the caller to find out.
[[nodiscard]] std::vector<TypeShare> parse_type_shares(std::string_view text);

// Returns the text that parse_type_shares() reads.
[[nodiscard]] std::string to_string(const std::vector<TypeShare> &types);

} // namespace dnsgauge
