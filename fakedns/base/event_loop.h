// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An event loop: one thread, one epoll set, level-triggered. Timers, queues of what is due,
// listening sockets, and signals.
#pragma once

#include "system/monotonic_clock.h"
#include "system/unique_fd.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <queue>
#include <span>
#include <utility>

namespace dnsgauge
{

class EventLoop;

// The owner of a descriptor in a loop. The loop must outlive the owner. The owner must not move,
// because the loop keeps its address, and must close or remove the descriptor before its own end.
class EventHandler
{
public:
    EventHandler &operator=(EventHandler &&) = delete;
    virtual ~EventHandler();

    // `events` are EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP as epoll reports them.
    virtual void on_ready(std::uint32_t events) = 0;

private:
    friend EventLoop;
    EventLoop *watched_by_ = nullptr; // this loop may have taken events for the handler
};

class EventLoop
{
public:
    EventLoop(); // throws SetupError

    // Throws SetupError if the kernel has no more watches or memory.
    void add(int fd, std::uint32_t events, EventHandler &handler)
    {
        control(EPOLL_CTL_ADD, fd, events, handler);
    }
    void change(int fd, std::uint32_t events, EventHandler &handler)
    {
        control(EPOLL_CTL_MOD, fd, events, handler);
    }

    // Calls handlers until one of them has called stop(). A handler may destroy any handler, itself
    // included.
    void run();
    void stop() { running_ = false; }
    // Drops the events that the loop has taken for the handler.
    void forget(const EventHandler &handler);

private:
    void control(int operation, int fd, std::uint32_t events, EventHandler &handler);

    UniqueFd epoll_;
    std::array<epoll_event, 32> events_{};
    std::span<epoll_event> taken_; // events that are not handled yet
    bool running_ = false;
};

// A queue of items with times. Items come out in the order of their times. Items with the same time
// come out in the order in which they came in.
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
    together, // up to 0.1 ms later, together with answers that became due meanwhile
};

// Returns when to wake for what is due at `due_ns`.
[[nodiscard]] std::uint64_t wakeup_for(std::uint64_t due_ns, Punctuality punctuality);

// A timer of an event loop, for answers that wait until they are due.
class DueTimer : public EventHandler
{
public:
    // Calls `on_due` when the time that was set has come. Throws SetupError.
    DueTimer(EventLoop &loop, std::function<void()> on_due);

    // Sets the time (ktime_ns()). Replaces a time that was set before.
    void set(std::uint64_t at_ns);

    void on_ready(std::uint32_t events) override;

private:
    std::function<void()> on_due_;
    UniqueFd timer_;
    std::uint64_t set_for_ns_ = 0; // 0 if none
};

struct AcceptedConnection {
    UniqueFd socket; // does not block
    sockaddr_storage from{};
    socklen_t from_size = sizeof(from);
};

// A listening socket. If the system has no descriptor or memory for a connection, the socket stays
// ready, and the loop would call the listener again and again. So the listener asks the server to
// close a connection. If that is impossible, the listener rests for a while.
class Listener : public EventHandler
{
public:
    // Calls `serve` for each connection. `make_room` closes a connection, and returns whether there
    // was one to close. Throws SetupError.
    Listener(EventLoop &loop, UniqueFd socket, std::function<void(AcceptedConnection)> serve,
             std::function<bool()> make_room);

    void on_ready(std::uint32_t events) override;

private:
    EventLoop &loop_;
    UniqueFd socket_;
    std::function<void(AcceptedConnection)> serve_;
    std::function<bool()> make_room_;
    DueTimer rest_;
};

// Returns the set of these signals.
[[nodiscard]] sigset_t signal_set(std::initializer_list<int> signals);

// Blocks the signals that a server acts upon, in this thread and in threads that it starts later.
void block_server_signals();

// Handles SIGTERM, SIGINT, SIGUSR1 and SIGHUP in the loop. So an action may make calls that a
// signal handler may not. Signals without an action end the loop.
class SignalHandler : public EventHandler
{
public:
    using Actions = std::map<std::uint32_t, std::function<void()>>;

    // Throws SetupError.
    SignalHandler(EventLoop &loop, Actions actions);

    void on_ready(std::uint32_t events) override;

private:
    EventLoop &loop_;
    Actions actions_;
    UniqueFd fd_;
};

} // namespace dnsgauge
