// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Chooses how many queries of a window share a time of sending: as many as the kernel sends within
// `time_most`, if each takes as long as in the last batch.
#pragma once

#include <algorithm>
#include <cstdint>

namespace dnsgauge
{

class BatchSize
{
public:
    static constexpr std::int64_t time_most = 8000; // nanoseconds

    // A batch never has more queries than `limit`.
    explicit BatchSize(std::uint32_t limit) : limit_(limit) {}

    [[nodiscard]] std::uint32_t most() const { return most_; }
    // Takes note that `queries` took `ns` to leave. With 0 queries nothing changes.
    void sent(std::uint32_t queries, std::int64_t ns)
    {
        if (queries != 0)
            most_ = static_cast<std::uint32_t>(
                std::clamp(queries * time_most / std::max(ns, std::int64_t{1}), std::int64_t{1},
                           std::int64_t{limit_}));
    }

private:
    std::uint32_t limit_;
    std::uint32_t most_ = 1;
};

} // namespace dnsgauge
