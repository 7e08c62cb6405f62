// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/recent_queries.h"

#include <fmt/format.h>

#include <cstdlib>

namespace dnsgauge
{

bool RecentQueries::has(const CapturedMessage &query, std::uint64_t question)
{
    constexpr std::int64_t apart_most = 1'000'000;
    std::size_t hash = question;
    boost::hash_combine(hash, query.client());
    boost::hash_combine(hash, query.server());
    boost::hash_combine(hash, wire_get16(query.message.data()));
    Seen &seen = seen_[hash % seen_.size()];
    const bool is_known = seen.hash == hash && std::abs(query.time_ns - seen.time_ns) <= apart_most;
    // A third copy within the time counts, too.
    seen = {.hash = hash, .time_ns = query.time_ns};
    return is_known;
}

std::string doubled_text(std::uint64_t doubled, std::uint64_t queries)
{
    constexpr double least = 1; // percent
    const double percent =
        queries == 0 ? 0 : 100 * static_cast<double>(doubled) / static_cast<double>(queries);
    if (percent < least)
        return {};
    return fmt::format("{:.1f} % of the captures' queries come again within 1 ms, from the same "
                       "port, with the same ID and question: each packet may be in the captures "
                       "twice (tcpdump -i any): record on one interface",
                       percent);
}

} // namespace dnsgauge
