// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order in which a trial asks for the names of a range: ascending, or an order that nobody can
// tell without the key.
#pragma once

#include "wire/identity.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace dnsgauge
{

// Without a permutation the names are asked for in order. All senders of a trial must have the
// same.
using NameKey = std::optional<identity_key>;

// The order of `count` names, 1 to 2^32.
//
// identity_scatter() permutes the places of the next power of two. If it leads behind the last
// name, it is applied again until it leads to a name ("cycle walking"). So each name has one place.
class NamePermutation
{
public:
    NamePermutation(const NameKey &key, std::uint64_t count)
        : key_(key.value_or(identity_key{})), count_(count), is_scattered_(key.has_value())
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
            const struct identity one =
                identity_scatter({static_cast<std::uint32_t>(place) & (space_.lows - 1),
                                  static_cast<std::uint32_t>(place >> low_bits_)},
                                 &key_, space_, 0);
            place = std::uint64_t{one.high} << low_bits_ | one.low;
        } while (place >= count_);
        return place;
    }

    identity_key key_;
    identity_space space_{};
    std::uint64_t count_;
    unsigned low_bits_ = 0;
    bool is_scattered_;
};

} // namespace dnsgauge
