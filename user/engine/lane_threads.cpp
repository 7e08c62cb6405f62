// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/lane_threads.h"

#include "machine/cpu_times.h"
#include "system/privileges.h"
#include "system/setup_error.h"

#include <algorithm>
#include <semaphore>
#include <thread>
#include <vector>

namespace dnsgauge
{

void LaneThread::tell(LaneTally &tally) const
{
    tally.ran = ran;
    tally.waited = waited;
    tally.nice = nice;
    tally.is_pinned = is_pinned;
}

LaneThread run_lane(unsigned cpu, bool (*confine)(), std::atomic<bool> &halt,
                    const std::function<void()> &work)
{
    LaneThread thread;
    thread.is_pinned = pin_this_thread(cpu);
    thread.nice = prefer_this_thread();
    try {
        drop_privileges();
        // The kernel may have no filters; doctor says so.
        static_cast<void>(confine());
        const ThreadTimes before = read_own_times();
        work();
        const ThreadTimes after = read_own_times();
        // A thread whose times could not be read at its end has unknown times.
        thread.ran = std::max(after.ran - before.ran, Nanoseconds{});
        thread.waited = std::max(after.waited - before.waited, Nanoseconds{});
    } catch (const SetupError &) {
        thread.failure = std::current_exception();
        halt = true;
    }
    return thread;
}

void run_lanes(Nanoseconds start, const LaneRuns &lanes, const RunWatch &watch)
{
    std::counting_semaphore<> ended{0};
    std::atomic<bool> halt{false};
    std::vector<std::jthread> threads;
    // If anything here throws, the threads must end at once.
    struct Halting {
        std::atomic<bool> &halt;
        ~Halting() { halt = true; }
    };
    const Halting halting{halt};
    for (std::size_t lane = 0; lane < lanes.count; lane++)
        threads.emplace_back([&lanes, lane, &halt, &ended] {
            lanes.run(lane, halt);
            ended.release();
        });

    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(start));
    for (std::size_t running = lanes.count; running != 0;) {
        if (ended.try_acquire_for(progress_interval))
            running--;
        else
            watch.progress(lanes.progress());
        halt = halt || watch.stop || lanes.is_spoilt();
    }
}

} // namespace dnsgauge
