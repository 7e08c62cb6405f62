// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An event loop: one thread, one epoll set, level-triggered. Timers, and queues of what is due.
#pragma once

#include "userland/monotonic_clock.h"
#include "userland/unique_fd.h"

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace dnsgauge
{

class EventLoop;

// The owner of a descriptor in a loop, which outlives it. The loop keeps the address of the owner,
// which must not move, and must close or remove the descriptor before it is destroyed.
class EventHandler
{
public:
    EventHandler() = default;
    EventHandler(const EventHandler &) = delete;
    EventHandler &operator=(const EventHandler &) = delete;
    virtual ~EventHandler();

    // `events` are EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP as epoll reports them.
    virtual void on_ready(std::uint32_t events) = 0;

private:
    friend EventLoop;
    EventLoop *watched_by_ = nullptr; // may have taken events for the handler
};

class EventLoop
{
public:
    EventLoop(); // throws SetupError

    // Throws SetupError if the kernel is out of watches or memory.
    void add(int fd, std::uint32_t events, EventHandler &handler);
    void change(int fd, std::uint32_t events, EventHandler &handler);

    // Calls handlers until one of them has called stop(). A handler may destroy any handler, itself
    // included.
    void run();
    void stop() { running_ = false; }
    // Calls the handler for no event that the loop has taken.
    void forget(const EventHandler &handler);

private:
    void control(int operation, int fd, std::uint32_t events, EventHandler &handler);

    UniqueFd epoll_;
    std::array<epoll_event, 32> events_{};
    std::span<epoll_event> taken_; // of these, and not handled yet
    bool running_ = false;
};

// A queue of items with times. Items come out in the order of their times, and items of the same
// time in the order in which they came.
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

// When answers that wait leave.
enum class Punctuality : std::uint8_t {
    exact, // when they are due: the thread wakes early, and waits busily for the rest of the time
    together, // up to 0.1 ms later, with answers that became due meanwhile
};

// Returns when to wake for what is due at `due_ns`.
[[nodiscard]] std::uint64_t wakeup_for(std::uint64_t due_ns, Punctuality punctuality);

// A timer of an event loop, for answers that wait until they are due.
class DueTimer : public EventHandler
{
public:
    // Calls `on_due` when the time that was set has come. Throws SetupError.
    DueTimer(EventLoop &loop, std::function<void()> on_due);

    // Sets the time (ktime_ns()), in place of one that was set before.
    void set(std::uint64_t at_ns);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> on_due_;
    UniqueFd timer_;
    std::uint64_t set_for_ns_ = 0; // 0: none
};

} // namespace dnsgauge
