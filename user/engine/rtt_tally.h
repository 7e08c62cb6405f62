// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// RTTs as sums and a histogram, which add up, and their summary.
#pragma once

#include "engine/histogram.h"
#include "result/trial_result.h"

#include <cstdint>

namespace dnsgauge
{

class RttTally
{
public:
    // The tally as numbers, for another process. Sums of 128 bits have two halves.
    struct Numbers {
        Histogram histogram;
        std::uint64_t count = 0;
        std::uint64_t min = 0;
        std::uint64_t sum_high = 0;
        std::uint64_t sum_low = 0;
        std::uint64_t squares_high = 0;
        std::uint64_t squares_low = 0;
    };

    RttTally() = default;
    explicit RttTally(Numbers numbers);

    void add(std::uint64_t rtt);
    void add(const RttTally &other);
    [[nodiscard]] Numbers numbers() const;
    // Returns the summary: mean and standard deviation are exact, percentiles are right to within a
    // bucket of the histogram.
    [[nodiscard]] RttSummary summary() const;

private:
    __extension__ using wide = unsigned __int128;

    Histogram histogram_;
    std::uint64_t count_ = 0;
    std::uint64_t min_ = ~std::uint64_t{0};
    wide sum_ = 0;
    wide squares_ = 0;
};

} // namespace dnsgauge
