// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The times at which lost and late queries were sent.
#pragma once

#include "units/rate.h"

#include "wire/query_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// The lost and late queries that were sent in one bin of time.
struct MissBin {
    std::uint64_t number = 0; // of the bin, from the start of the schedule
    std::uint64_t lost = 0;
    std::uint64_t late = 0;
};

// Bins of 2^width_bits ns, in their order. Empty bins are left out.
struct MissTally {
    static constexpr unsigned widest_at_first = 20; // about 1 ms

    unsigned width_bits = widest_at_first;
    std::vector<MissBin> bins{};

    [[nodiscard]] Nanoseconds width() const { return Nanoseconds(std::int64_t{1} << width_bits); }
    [[nodiscard]] Nanoseconds since(const MissBin &bin) const
    {
        return Nanoseconds(static_cast<std::int64_t>(bin.number << width_bits));
    }
    // Makes the bins twice as wide.
    void widen();
    // Adds `other`. The sum has the wider bins of the two.
    void add(const MissTally &other);
};

// One sender's misses. The book allocates all its bins when it is made. When all are in use, it
// makes them wider.
class MissBook
{
public:
    static constexpr std::size_t most_bins = std::size_t{1} << 17U;

    // Bins are at first no wider than `limit` and than about 1 ms. The sender sends `queries`
    // queries, so no more bins are allocated.
    explicit MissBook(Nanoseconds limit, std::uint64_t queries = most_bins);

    // Takes note of what became of a query that was sent `sent_ns` after the start. Queries come in
    // the order in which they were sent.
    void settle(std::int64_t sent_ns, query_state state);

    [[nodiscard]] const MissTally &tally() const { return tally_; }

private:
    std::size_t room_;
    MissTally tally_;
};

} // namespace dnsgauge
