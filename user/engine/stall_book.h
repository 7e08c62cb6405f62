// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When a sender or its driver stood still, and the bursts that followed.
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

// One sender's stalls. The book allocates all its memory when it is made. When the memory is full,
// the book forgets the shortest stalls, and counts them. All times are from the start.
class StallBook
{
public:
    static constexpr std::size_t most_stalls = 16'384;

    // A query that is late by more than `limit` is late because of a stall. The stall ends when the
    // overdue queries are late by less than a quarter of the limit. A query that is late by more
    // than `bearable`, which is no less than the limit, spoils the run. The sender sends `queries`
    // queries, so no more stalls are allocated.
    explicit StallBook(Nanoseconds limit, Nanoseconds bearable = Nanoseconds::max(),
                       std::uint64_t queries = most_stalls);

    // Takes note of a batch of `queries` that is handed over at `now`. Its first query was due at
    // `first_due`, and the query after the batch is due at `next_due`.
    void hand_over(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
                   std::int64_t next_due)
    {
        if (now - first_due > limit_ || sender_is_behind_)
            note(first_due, now, queries, next_due);
    }
    // Returns whether the driver, which has kept its oldest query for `delay` longer than usual,
    // stalls: the delay is above the limit, or the driver was behind at the last look.
    [[nodiscard]] bool is_driver_stall(std::int64_t delay) const
    {
        return delay > limit_ || driver_is_behind_;
    }
    // Takes note of a look at `now` at the driver, which may have `queries` queries. The oldest of
    // them was due at `oldest_due`.
    void note_driver(std::int64_t oldest_due, std::int64_t now, std::int64_t delay,
                     std::uint64_t queries);
    // Ends the present stall.
    void close();

    [[nodiscard]] const std::vector<Stall> &stalls() const { return stalls_; }
    // Returns whether a query was late by more than `bearable`. Other threads may call it.
    [[nodiscard]] bool is_spoilt() const { return is_spoilt_.load(std::memory_order_relaxed); }
    // Returns how many stalls the book has forgotten.
    [[nodiscard]] std::uint64_t forgotten() const { return forgotten_; }

private:
    void note(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
              std::int64_t next_due);
    void extend(std::int64_t since, std::int64_t now, std::int64_t length);
    void close_if_over();

    std::int64_t limit_;
    std::int64_t bearable_;
    std::atomic<bool> is_spoilt_{false};
    bool sender_is_behind_ = false;
    bool driver_is_behind_ = false;
    bool is_open_ = false;
    Stall open_;
    std::int64_t overdue_at_ = -1; // the burst is what was overdue at this time
    std::uint64_t overdue_ = 0;
    Nanoseconds shortest_{}; // shorter stalls are forgotten
    std::uint64_t forgotten_ = 0;
    std::size_t room_;
    std::vector<Stall> stalls_;
};

} // namespace dnsgauge
