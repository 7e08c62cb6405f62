// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A range of names of the test namespace: a CIDR prefix over their indexes (bpf/wire/test_name.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// The names whose indexes are first, first + 1, ..., first + count - 1.
struct NameRange {
    std::uint32_t first = 0;
    std::uint64_t count = 1; // a power of two, at most 2^32

    auto operator<=>(const NameRange &) const = default;
};

// Reads "10.0.0.0/8". Throws SetupError if `text` has another form, or bits set after the prefix
// (the message then names the prefix that the user probably meant).
[[nodiscard]] NameRange parse_name_range(std::string_view text);

// Returns the range in the form that parse_name_range() reads.
[[nodiscard]] std::string to_string(const NameRange &range);

} // namespace dnsgauge
