// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/stall_book.h"

#include <algorithm>

namespace dnsgauge
{

void add(std::vector<Stall> &stalls, const std::vector<Stall> &more)
{
    stalls.insert(stalls.end(), more.begin(), more.end());
    std::ranges::stable_sort(stalls, {}, &Stall::since);
}

// Touches the memory, so that the sender never waits for a page.
StallBook::StallBook(Nanoseconds limit, Nanoseconds bearable, std::uint64_t queries)
    : limit_(limit.count()), bearable_(bearable.count()),
      room_(std::clamp<std::uint64_t>(queries, 1, most_stalls)), stalls_(room_)
{
    stalls_.clear();
}

void StallBook::note(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
                     std::int64_t next_due)
{
    extend(first_due, now, now - first_due);
    if (first_due > overdue_at_) {
        overdue_at_ = now;
        overdue_ = 0;
    }
    overdue_ += queries;
    open_.burst = std::max(open_.burst, overdue_);
    sender_is_behind_ = now - next_due > limit_ / 4;
    close_if_over();
}

void StallBook::note_driver(std::int64_t oldest_due, std::int64_t now, std::int64_t delay,
                            std::uint64_t queries)
{
    driver_is_behind_ = delay > limit_ / 4;
    if (driver_is_behind_) {
        extend(oldest_due, now, delay);
        open_.burst = std::max(open_.burst, queries);
    }
    close_if_over();
}

void StallBook::extend(std::int64_t since, std::int64_t now, std::int64_t length)
{
    if (!is_open_)
        open_ = {.since = Nanoseconds(since)};
    is_open_ = true;
    open_.since = std::min(open_.since, Nanoseconds(since));
    open_.until = Nanoseconds(now);
    open_.longest = std::max(open_.longest, Nanoseconds(length));
    if (length > bearable_)
        is_spoilt_.store(true, std::memory_order_relaxed);
}

void StallBook::close_if_over()
{
    if (!sender_is_behind_ && !driver_is_behind_)
        close();
}

void StallBook::close()
{
    if (!is_open_)
        return;
    is_open_ = false;
    sender_is_behind_ = false;
    driver_is_behind_ = false;
    while (stalls_.size() == room_) {
        shortest_ = 2 * std::max(shortest_, Nanoseconds(limit_));
        forgotten_ += std::erase_if(
            stalls_, [this](const Stall &stall) { return stall.longest < shortest_; });
    }
    if (open_.longest < shortest_)
        forgotten_++;
    else
        stalls_.push_back(open_);
}

} // namespace dnsgauge
