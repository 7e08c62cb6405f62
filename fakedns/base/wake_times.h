// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The times at which connections are to be woken, and the timer for the first of them.
#pragma once

#include "base/event_loop.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <utility>

namespace dnsgauge
{

// The time that never comes.
inline constexpr std::uint64_t wakes_never = std::numeric_limits<std::int64_t>::max();

// A Connection has a member `wakes_ns`, which is wakes_never at first and is set only here. Its
// wakes_for_answer() tells whether an answer is due at that time.
template <class Connection>
class WakeTimes
{
public:
    // Calls `on_due` when the first time has come, or earlier. Throws SetupError.
    WakeTimes(EventLoop &loop, std::function<void()> on_due)
        : timer_(loop, [this, on_due = std::move(on_due)] {
              armed_ns_ = 0;
              wait();
              on_due();
              armed_ns_ = wakes_never;
              arm();
          })
    {
    }

    // Calls `on_due` exactly when answers are due: the thread wakes early, and waits busily.
    void be_exact() { is_exact_ = true; }

    // Sets the connection's time, and replaces an earlier one; wakes_never removes it. Does not
    // correct a timer that is set too early, which costs less than a system call for every query.
    void set(Connection &connection, std::uint64_t when_ns)
    {
        if (when_ns == connection.wakes_ns)
            return;
        if (connection.wakes_ns != wakes_never)
            times_.erase({connection.wakes_ns, &connection});
        connection.wakes_ns = when_ns;
        if (when_ns == wakes_never)
            return;
        times_.emplace(when_ns, &connection);
        arm();
    }

    // Returns a connection whose time is `now_ns` or earlier, and removes the time; null if there
    // is none.
    [[nodiscard]] Connection *take(std::uint64_t now_ns)
    {
        if (times_.empty() || times_.begin()->first > now_ns)
            return nullptr;
        Connection *const connection = times_.begin()->second;
        set(*connection, wakes_never);
        return connection;
    }

private:
    // Returns when to wake for the first time.
    [[nodiscard]] std::uint64_t wakeup() const
    {
        const auto &[when, connection] = *times_.begin();
        return is_exact_ && connection->wakes_for_answer() ? wakeup_for(when, Punctuality::exact)
                                                           : when;
    }

    void arm()
    {
        if (times_.empty() || wakeup() >= armed_ns_)
            return;
        armed_ns_ = wakeup();
        timer_.set(armed_ns_);
    }

    void wait() const
    {
        if (!times_.empty() && wakeup() <= ktime_ns())
            while (times_.begin()->first > ktime_ns()) {
            }
    }

    bool is_exact_ = false;
    std::set<std::pair<std::uint64_t, Connection *>> times_;
    std::uint64_t armed_ns_ = wakes_never;
    DueTimer timer_;
};

} // namespace dnsgauge
