// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds queries that a capture has twice.
#pragma once

#include "capture/captured_message.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dnsgauge
{

// The queries of the last millisecond. It forgets the few that share a place with a later one.
class RecentQueries
{
public:
    // Returns whether the query came within the last millisecond, too, from the same client and
    // port to the same server, with the same ID and question. `question` is a hash of the question.
    [[nodiscard]] bool has(const CapturedMessage &query, std::uint64_t question);

private:
    struct Seen {
        std::uint64_t hash = 0;
        std::int64_t time_ns = std::numeric_limits<std::int64_t>::min() / 2;
    };
    std::vector<Seen> seen_ = std::vector<Seen>(1U << 14U);
};

// Returns what to say of a capture's queries, if RecentQueries had `doubled` of them; nothing if
// these are so few that they hardly change a figure.
[[nodiscard]] std::string doubled_text(std::uint64_t doubled, std::uint64_t queries);

} // namespace dnsgauge
