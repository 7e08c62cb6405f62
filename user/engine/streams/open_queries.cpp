// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/open_queries.h"

#include <algorithm>
#include <bit>

namespace dnsgauge
{

OpenQueries::OpenQueries(std::size_t room)
    : queries_(std::bit_ceil(std::max(room, std::size_t{2}))), places_(2 * queries_.size()),
      shift_(64U - static_cast<unsigned>(std::countr_zero(places_.size())))
{
}

std::uint32_t OpenQueries::add(const OpenQuery &query)
{
    const auto number = static_cast<std::uint32_t>(added_++ & (queries_.size() - 1));
    queries_[number] = query;
    if (query.key == 0)
        return number;
    std::size_t place = place_of(query.key);
    while (places_[place] != 0 && queries_[places_[place] - 1].key != query.key)
        place = (place + 1) & (places_.size() - 1);
    places_[place] = number + 1;
    return number;
}

OpenQuery *OpenQueries::find(std::uint64_t key)
{
    for (std::size_t place = place_of(key); places_[place] != 0;
         place = (place + 1) & (places_.size() - 1))
        if (OpenQuery &query = queries_[places_[place] - 1]; query.key == key)
            return &query;
    return nullptr;
}

void OpenQueries::drop_oldest()
{
    const auto number = static_cast<std::uint32_t>(dropped_ & (queries_.size() - 1));
    if (queries_[number].key != 0)
        forget(number);
    dropped_++;
}

// Closes the gap: each query after it, up to the next free place, moves into the gap if it can be
// found there.
void OpenQueries::forget(std::uint32_t number)
{
    const std::size_t mask = places_.size() - 1;
    std::size_t gap = place_of(queries_[number].key);
    while (places_[gap] != number + 1) {
        if (places_[gap] == 0)
            return; // a younger query has the key
        gap = (gap + 1) & mask;
    }
    for (std::size_t next = (gap + 1) & mask; places_[next] != 0; next = (next + 1) & mask) {
        const std::size_t home = place_of(queries_[places_[next] - 1].key);
        if (((next - home) & mask) >= ((next - gap) & mask)) {
            places_[gap] = places_[next];
            gap = next;
        }
    }
    places_[gap] = 0;
}

} // namespace dnsgauge
