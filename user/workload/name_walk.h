// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plain workload: query i of a trial asks for name i of a range, and begins again at its end.
#pragma once

#include "host/name_range.h"

#include <cstdint>

namespace dnsgauge
{

// One sender's share of the walk: the names of queries start, start + stride, start + 2 stride, …
class NameWalk
{
public:
    NameWalk(const NameRange &range, std::uint64_t start, std::uint64_t stride)
        : first_(range.first), count_(range.count), stride_(stride % range.count),
          offset_(start % range.count)
    {
    }

    // The index (address) of the next name.
    std::uint32_t next()
    {
        const std::uint64_t offset = offset_;
        offset_ += stride_;
        if (offset_ >= count_)
            offset_ -= count_;
        return static_cast<std::uint32_t>(first_ + offset);
    }

private:
    std::uint64_t first_;
    std::uint64_t count_;
    std::uint64_t stride_;
    std::uint64_t offset_;
};

} // namespace dnsgauge
