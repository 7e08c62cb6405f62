// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/stall_book.h"

#include <algorithm>
#include <chrono>

namespace dnsgauge
{

namespace
{

void unite(Stall &stall, const Stall &next)
{
    stall.until = std::max(stall.until, next.until);
    stall.longest = std::max(stall.longest, next.longest);
    stall.burst = std::max(stall.burst, next.burst);
    stall.stalls += next.stalls;
}

// Makes one stall of neighbours that are no farther apart than `closest`.
void unite_neighbours(std::vector<Stall> &stalls, Nanoseconds closest)
{
    std::size_t last = 0;
    for (std::size_t i = 1; i < stalls.size(); i++) {
        if (stalls[i].since - stalls[last].until <= closest)
            unite(stalls[last], stalls[i]);
        else
            stalls[++last] = stalls[i];
    }
    stalls.resize(last + 1);
}

} // namespace

void add(std::vector<Stall> &stalls, const std::vector<Stall> &more)
{
    stalls.insert(stalls.end(), more.begin(), more.end());
    std::ranges::stable_sort(stalls, {}, &Stall::since);
}

StallBook::StallBook(Nanoseconds limit, Nanoseconds bearable)
    : limit_(limit.count()), bearable_(bearable.count())
{
    stalls_.reserve(most_stalls);
}

void StallBook::note(std::int64_t first_due, std::int64_t now, std::uint32_t queries,
                     std::int64_t next_due)
{
    if (!is_open_) {
        open_ = {.since = Nanoseconds(first_due)};
        is_open_ = true;
    }
    open_.until = Nanoseconds(now);
    open_.longest = std::max(open_.longest, Nanoseconds(now - first_due));
    open_.burst += queries;
    if (now - first_due > bearable_)
        is_spoilt_.store(true, std::memory_order_relaxed);
    if (next_due > now)
        close();
}

void StallBook::close()
{
    if (!is_open_)
        return;
    is_open_ = false;
    while (stalls_.size() == most_stalls) {
        closest_ = std::max<Nanoseconds>(2 * closest_, std::chrono::milliseconds(1));
        unite_neighbours(stalls_, closest_);
    }
    if (!stalls_.empty() && open_.since - stalls_.back().until <= closest_)
        unite(stalls_.back(), open_);
    else
        stalls_.push_back(open_);
}

} // namespace dnsgauge
