// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/joined_engines.h"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <exception>
#include <mutex>
#include <thread>

namespace dnsgauge
{

namespace
{

// The progress of an engine that runs in another thread.
class SharedProgress
{
public:
    void set(const RunProgress &now)
    {
        const std::lock_guard lock(mutex_);
        now_ = now;
    }
    [[nodiscard]] RunProgress with(RunProgress other) const
    {
        const std::lock_guard lock(mutex_);
        other.sent += now_.sent;
        other.valid += now_.valid;
        other.wrong += now_.wrong;
        return other;
    }

private:
    mutable std::mutex mutex_;
    RunProgress now_{};
};

} // namespace

RunPath JoinedEngines::path() const
{
    const RunPath one = first_.path();
    const RunPath other = second_.path();
    const auto both = [](const std::string &text, const std::string &second) {
        return fmt::format("{}; or {}", text, second);
    };
    return {.engine = one.engine + " and " + other.engine,
            .rtt_begins = both(one.rtt_begins, other.rtt_begins),
            .rtt_ends = both(one.rtt_ends, other.rtt_ends),
            .least_rtt = std::min(one.least_rtt, other.least_rtt)};
}

Tally JoinedEngines::run(Nanoseconds start, const RunWatch &watch)
{
    std::atomic<bool> stop{watch.stop.load()};
    std::barrier meeting{2};
    SharedProgress progress;
    std::exception_ptr failure;
    std::jthread other([&] {
        try {
            tallies_[1] = second_.run(start, {.stop = stop,
                                              .progress =
                                                  [&](const RunProgress &now) {
                                                      stop = stop || watch.stop;
                                                      progress.set(now);
                                                  },
                                              .heard_all = [&] { meeting.arrive_and_wait(); },
                                              .detached = [&] { meeting.arrive_and_wait(); }});
        } catch (...) {
            failure = std::current_exception();
            stop = true;
            meeting.arrive_and_drop();
        }
    });
    try {
        tallies_[0] = first_.run(start, {.stop = stop,
                                         .progress =
                                             [&](const RunProgress &now) {
                                                 stop = stop || watch.stop;
                                                 watch.progress(progress.with(now));
                                             },
                                         .heard_all =
                                             [&] {
                                                 meeting.arrive_and_wait();
                                                 watch.heard_all();
                                             },
                                         .detached =
                                             [&] {
                                                 meeting.arrive_and_wait();
                                                 watch.detached();
                                             }});
    } catch (...) {
        stop = true;
        meeting.arrive_and_drop();
        throw;
    }
    other.join();
    if (failure)
        std::rethrow_exception(failure);
    for (LaneTally &lane : tallies_[1].lanes)
        lane.share += static_cast<std::uint32_t>(tallies_[0].lanes.size());
    return merge(tallies_[0], tallies_[1]);
}

OwnLosses JoinedEngines::losses(const Tally & /*tally*/, const CounterValues &growth) const
{
    OwnLosses sum = first_.losses(tallies_[0], growth);
    add(sum.kinds, second_.losses(tallies_[1], growth).kinds);
    return sum;
}

} // namespace dnsgauge
