// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's part of a schedule that many senders, on one host or on several, send together.
#pragma once

#include <cstdint>

namespace dnsgauge
{

// Share `number` of `of` shares has queries number, number + of, number + 2 of, ... of the
// schedule.
struct Share {
    std::uint32_t number = 0;
    std::uint32_t of = 1;

    // Returns how many of the schedule's first `queries` queries are in the share.
    [[nodiscard]] std::uint64_t count(std::uint64_t queries) const
    {
        return queries / of + (number < queries % of ? 1 : 0);
    }
    // Returns the number in the schedule of the share's query `index`.
    [[nodiscard]] std::uint64_t query(std::uint64_t index) const { return index * of + number; }
};

} // namespace dnsgauge
