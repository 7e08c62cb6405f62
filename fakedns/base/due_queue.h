// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A queue of items with times. Items come out in the order of their times, and items of the same
// time in the order in which they came.
#pragma once

#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include <time.h>

namespace dnsgauge
{

// Returns CLOCK_MONOTONIC in nanoseconds, the clock of bpf_ktime_get_ns().
[[nodiscard]] inline std::uint64_t monotonic_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

template <class T>
class DueQueue
{
public:
    void push(std::uint64_t due_ns, T thing) { items_.push({due_ns, order_++, std::move(thing)}); }

    [[nodiscard]] bool empty() const { return items_.empty(); }
    [[nodiscard]] std::size_t size() const { return items_.size(); }

    // Returns the time of the first item. The queue must not be empty.
    [[nodiscard]] std::uint64_t due_ns() const { return items_.top().due_ns; }
    [[nodiscard]] const T &top() const { return items_.top().thing; }
    void pop() { items_.pop(); }

private:
    struct Item {
        std::uint64_t due_ns;
        std::uint64_t order;
        T thing;

        bool operator<(const Item &other) const // the heap's top is the largest
        {
            return std::pair(due_ns, order) > std::pair(other.due_ns, other.order);
        }
    };

    std::priority_queue<Item> items_;
    std::uint64_t order_ = 0;
};

} // namespace dnsgauge
