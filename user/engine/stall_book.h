// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When a sender stood still, and the bursts that followed.
#pragma once

#include "result/stalls.h"
#include "units/rate.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// Adds `more` to `stalls`, in the order of their beginnings.
void add(std::vector<Stall> &stalls, const std::vector<Stall> &more);

// One sender's stalls. The book has room for so many that nothing is allocated later: where stalls
// are too many, neighbours become one.
class StallBook
{
public:
    static constexpr std::size_t most_stalls = 4096;

    // A query that is late by more than `limit` is late for the sake of a stall. A query that is
    // late by more than `bearable`, which is no less, spoils the run.
    explicit StallBook(Nanoseconds limit, Nanoseconds bearable = Nanoseconds::max());

    // Takes note of a batch of `queries` that is handed over at `now`. The first one was due at
    // `first_due`, and the query behind the batch is due at `next_due`, all from the start.
    void hand_over(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
                   std::int64_t next_due)
    {
        if (now - first_due > limit_ || is_open_)
            note(first_due, now, queries, next_due);
    }
    // Ends the stall at hand.
    void close();

    [[nodiscard]] const std::vector<Stall> &stalls() const { return stalls_; }
    // Returns whether a query was late by more than is bearable. Other threads may ask.
    [[nodiscard]] bool is_spoilt() const { return is_spoilt_.load(std::memory_order_relaxed); }

private:
    void note(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
              std::int64_t next_due);

    std::int64_t limit_;
    std::int64_t bearable_;
    std::atomic<bool> is_spoilt_{false};
    bool is_open_ = false;
    Stall open_;
    Nanoseconds closest_{}; // stalls that are no farther apart become one
    std::vector<Stall> stalls_;
};

} // namespace dnsgauge
