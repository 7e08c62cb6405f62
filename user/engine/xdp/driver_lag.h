// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures how long the driver certainly kept queries that were due.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

// A queue sends its sender's queries in their order. So the number of queries that have left the
// driver tells the oldest query that the driver still has.
class DriverLag
{
public:
    // The driver never has more queries than `frames`, a power of two.
    explicit DriverLag(std::size_t frames) : due_ns_(frames) {}

    // Takes note that the sender hands over its query `number`, from 0, which was due `due_ns`
    // after the start.
    void hand_over(std::uint64_t number, std::int64_t due_ns)
    {
        due_ns_[number & (due_ns_.size() - 1)] = due_ns;
    }
    // Returns when query `number` was due, one of the last `frames` queries that were handed over.
    [[nodiscard]] std::int64_t due_of(std::uint64_t number) const
    {
        return due_ns_[number & (due_ns_.size() - 1)];
    }

    // Takes note of one look at the driver. The sender has handed over `given` queries; the first
    // `gone` of them have left the driver. The look was at `elapsed_ns` after the start or later.
    // Returns how much later than usual the oldest query is. A driver that seldom reports what it
    // has sent keeps each query for a while, as usual.
    std::int64_t see(std::uint64_t given, std::uint64_t gone, std::int64_t elapsed_ns)
    {
        if (gone != oldest_) {
            oldest_ = gone;
            usual_ = lag_ > usual_ ? usual_ + usual_step
                                   : std::max(usual_ - usual_step, std::int64_t{0});
        }
        lag_ = gone < given ? elapsed_ns - due_of(gone) : 0;
        most_ = std::max(most_, lag_);
        return lag_ - usual_;
    }

    // Returns the longest time for which a query was due and still in the driver. The true time is
    // longer by less than the time between two calls of see().
    [[nodiscard]] std::int64_t most_ns() const { return most_; }

private:
    static constexpr std::int64_t usual_step = 1000;

    std::vector<std::int64_t> due_ns_; // of each query that the driver may have
    std::int64_t most_ = 0;
    std::uint64_t oldest_ = 0; // query that the driver had at the last look
    std::int64_t lag_ = 0;     // of that query, at that look
    std::int64_t usual_ = 0;   // the median lag, at their last look, of all queries
};

} // namespace dnsgauge
