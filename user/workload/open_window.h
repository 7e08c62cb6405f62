// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The window of one sender: a closed loop with places, each of which has one open query.
//
// A place becomes free when its query is decided in time, or when the query's timeout has passed.
// The place's next query is due then, so that its lateness is the sender's turn-around. The window
// does not know how queries are decided: look() asks about each open query by its key. So a query
// that is decided after its timeout frees no second place. All times are from the start, in
// nanoseconds.
#pragma once

#include "result/window.h"
#include "units/rate.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dnsgauge
{

// Is a Schedule (workload/query.h) of the queries that fill the places.
class OpenWindow
{
public:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    static constexpr std::size_t looks_most = 64; // in one look

    // All places are free at first. No two queries are due within less than `gap`.
    explicit OpenWindow(std::uint32_t places, Nanoseconds gap = {})
        : places_(places), free_(std::bit_ceil(places)), open_(places), gap_(gap.count()),
          end_(places)
    {
    }

    // Returns when the query for the first free place is due; never, if no place is free.
    [[nodiscard]] std::int64_t due() const { return due_; }
    // Takes the first free place. There must be one, and open() follows.
    void advance()
    {
        idle_ -= free_at(first_++);
        earliest_ = due_ + gap_;
        due_ = first_ == end_ ? never : std::max(free_at(first_), earliest_);
    }
    // The query `key` has the place that was taken, since `now`.
    void open(std::uint32_t key, std::int64_t now)
    {
        open_[opens_++] = key;
        idle_ += now;
    }

    // The query that was opened leaves so much later: its place has no query meanwhile.
    void delay(std::int64_t later) { idle_ += later; }

    // Looks at the next open queries until `enough` places are free, and at no more than take less
    // time than sending some queries. `freed_at` returns when the query of a key freed its place;
    // never, if it is open.
    template <class FreedAt>
    void look(const FreedAt &freed_at, std::size_t enough = looks_most)
    {
        std::uint32_t *const open = open_.data();
        std::size_t opens = opens_;
        std::size_t next = next_;
        std::size_t looks = std::min(opens, looks_most);
        for (; looks != 0 && end_ - first_ < enough; looks--) {
            if (next >= opens)
                next = 0;
            const std::int64_t at = freed_at(open[next]);
            if (at == never) {
                next++;
                continue;
            }
            open[next] = open[--opens];
            add_free(at);
        }
        opens_ = opens;
        next_ = next;
    }

    // Returns what the window did until `now`. look() may not have seen yet that queries freed
    // their places.
    template <class FreedAt>
    [[nodiscard]] WindowTally tally(std::int64_t now, const FreedAt &freed_at) const
    {
        std::int64_t idle = idle_;
        for (std::size_t i = 0; i < opens_; i++)
            idle += now - std::min(freed_at(open_[i]), now);
        for (std::size_t place = first_; place != end_; place++)
            idle += now - free_at(place);
        return {.places = places_,
                .open = Nanoseconds(static_cast<std::int64_t>(places_) * now - idle),
                .ran = Nanoseconds(now)};
    }

private:
    // Returns when a place became free. Free places are numbered in the order of these times'
    // entry.
    [[nodiscard]] std::int64_t free_at(std::size_t number) const
    {
        return free_[number & (free_.size() - 1)];
    }
    void add_free(std::int64_t at)
    {
        if (first_ == end_)
            due_ = std::max(at, earliest_);
        free_[end_++ & (free_.size() - 1)] = at;
    }

    std::uint32_t places_;
    std::vector<std::int64_t> free_;  // a ring
    std::vector<std::uint32_t> open_; // keys
    std::int64_t gap_;
    std::size_t first_ = 0; // of the free places
    std::size_t end_;       // after the last one
    std::size_t opens_ = 0;
    std::size_t next_ = 0; // the open query that look() sees next
    std::int64_t due_ = 0;
    std::int64_t earliest_ = 0;
    std::int64_t idle_ = 0;
};

} // namespace dnsgauge
