// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The walk through the names of the test namespace. Query i of a trial asks for the name at place i
// of a range, in an order of the range's names. The walk begins again at the range's end. To
// measure a server's cache, a share of the queries asks for the range's first name again and again.
#pragma once

#include "dns/name_range.h"
#include "wire/scatter.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace dnsgauge
{

// Without a permutation the names are asked for in order. All senders of a trial must have the
// same.
using NameKey = std::optional<scatter_key>;

// The order in which `count` names, 1 to 2^32, are asked for: ascending, or an order that takes the
// key to tell.
//
// scatter() permutes the places of the next power of two. If it leads beyond the last name, it is
// applied again until it leads to a name ("cycle walking"). So each name has one place.
class NamePermutation
{
public:
    NamePermutation(const NameKey &key, std::uint64_t count)
        : key_(key.value_or(scatter_key{})), count_(count), is_scattered_(key.has_value())
    {
        const auto bits = static_cast<unsigned>(std::bit_width(count - 1));
        low_bits_ = (bits + 1) / 2;
        space_ = {.lows = 1U << low_bits_, .high_mask = (1U << (bits - low_bits_)) - 1};
    }

    // Returns the number of the name at `place`. Both are below the count.
    [[nodiscard]] std::uint64_t name_at(std::uint64_t place) const
    {
        return is_scattered_ ? scattered(place) : place;
    }

private:
    [[nodiscard]] std::uint64_t scattered(std::uint64_t place) const
    {
        do {
            const scatter_pair one = scatter({static_cast<std::uint32_t>(place) & (space_.lows - 1),
                                              static_cast<std::uint32_t>(place >> low_bits_)},
                                             &key_, space_, 0);
            place = std::uint64_t{one.high} << low_bits_ | one.low;
        } while (place >= count_);
        return place;
    }

    scatter_key key_;
    scatter_space space_{};
    std::uint64_t count_;
    unsigned low_bits_ = 0;
    bool is_scattered_;
};

// The pattern of Lencse, Georgescu, Kadobayashi 2017 section 7.1 repeats one name: at 20 % every
// fifth query asks for it. Other shares are spread as evenly: of the first n queries, floor(n share
// / 100) ask for the repeated name.
struct CachedShare {
    unsigned percent = 0; // of the queries, at most 100

    // Returns how many of the first `queries` are for the repeated name.
    [[nodiscard]] std::uint64_t of(std::uint64_t queries) const
    {
        return queries / 100 * percent + queries % 100 * percent / 100;
    }

    // Returns how many names the first `queries` queries need: one for each query that is not for
    // the repeated name, and the repeated name.
    [[nodiscard]] std::uint64_t names_for(std::uint64_t queries) const
    {
        return queries - of(queries) + (percent != 0 ? 1 : 0);
    }

    [[nodiscard]] static std::uint32_t name(const NameRange &range) { return range.first; }
};

// One sender's share of the walk: the names of queries start, start + stride, start + 2 stride, …
//
// A range whose first name is repeated must have a second name, unless all queries are for the
// first.
class NameWalk
{
public:
    NameWalk(const NameRange &range, std::uint64_t start, std::uint64_t stride,
             CachedShare cached = {}, const NameKey &key = {})
        : first_(range.first + (repeats(range, cached) ? 1 : 0)),
          count_(range.count - (repeats(range, cached) ? 1 : 0)), order_(key, count_),
          cached_(CachedShare::name(range)), repeat_from_(100 - cached.percent)
    {
        rest_ = start * cached.percent % 100;
        rest_step_ = stride * cached.percent % 100;
        offset_ = (start - cached.of(start)) % count_;
        // A step above zero stays above zero, because next() subtracts one from the stride.
        const std::uint64_t step = stride - stride * cached.percent / 100;
        stride_ = step == 0 ? 0 : (step - 1) % count_ + 1;
    }

    // Returns the index (address) of the next name.
    std::uint32_t next()
    {
        const std::uint64_t offset = offset_;
        bool repeat = false;
        offset_ += stride_;
        if (repeat_from_ != 100) {
            repeat = rest_ >= repeat_from_;
            rest_ += rest_step_;
            if (rest_ >= 100) {
                rest_ -= 100;
                offset_--;
            }
        }
        if (offset_ >= count_)
            offset_ -= count_;
        return repeat ? cached_ : static_cast<std::uint32_t>(first_ + order_.name_at(offset));
    }

private:
    // Returns whether the walk leaves the first name out.
    [[nodiscard]] static bool repeats(const NameRange &range, CachedShare cached)
    {
        return cached.percent != 0 && range.count > 1;
    }

    std::uint64_t first_;
    std::uint64_t count_;
    NamePermutation order_;
    std::uint64_t stride_;
    std::uint64_t offset_; // queries before this one that are not for the repeated name
    std::uint32_t cached_;
    std::uint32_t
        repeat_from_;    // from this rest on the query is for the repeated name; 100: none is
    std::uint64_t rest_; // query × percent, modulo 100
    std::uint64_t rest_step_;
};

} // namespace dnsgauge
