// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/lane_threads.h"

#include "machine/cpu_times.h"
#include "system/privileges.h"
#include "system/setup_error.h"

#include <algorithm>
#include <exception>
#include <semaphore>
#include <thread>

namespace dnsgauge
{

void LaneThread::tell(LaneTally &tally) const
{
    tally.ran = ran;
    tally.waited = waited;
    tally.nice = nice;
    tally.is_pinned = is_pinned;
}

// Runs the lane on the calling thread.
static LaneThread run_lane(const LaneRuns &lanes, std::size_t lane, std::atomic<bool> &halt)
{
    LaneThread thread;
    thread.is_pinned = pin_this_thread(lanes.cpus[lane]);
    thread.nice = prefer_this_thread();
    drop_privileges();
    // The kernel may have no filters; doctor says so.
    static_cast<void>(lanes.confine());
    const ThreadTimes before = read_own_times();
    lanes.run(lane, halt);
    const ThreadTimes after = read_own_times();
    // A thread whose times could not be read at its end has unknown times.
    thread.ran = std::max(after.ran - before.ran, Nanoseconds{});
    thread.waited = std::max(after.waited - before.waited, Nanoseconds{});
    return thread;
}

std::vector<LaneThread> run_lanes(Nanoseconds start, const LaneRuns &lanes, const RunWatch &watch)
{
    std::counting_semaphore<> ended{0};
    std::atomic<bool> halt{false};
    std::vector<LaneThread> done(lanes.cpus.size());
    std::vector<std::exception_ptr> failures(done.size());
    std::vector<std::jthread> threads;
    // If anything here throws, the threads must end at once.
    struct Halting {
        std::atomic<bool> &halt;
        ~Halting() { halt = true; }
    };
    const Halting halting{halt};
    for (std::size_t lane = 0; lane < done.size(); lane++)
        threads.emplace_back([&, lane] {
            try {
                done[lane] = run_lane(lanes, lane, halt);
            } catch (const SetupError &) {
                failures[lane] = std::current_exception();
                halt = true;
            }
            ended.release();
        });

    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(start));
    for (std::size_t running = done.size(); running != 0;) {
        if (ended.try_acquire_for(progress_interval))
            running--;
        else
            watch.progress(lanes.progress());
        halt = halt || watch.stop || lanes.is_spoilt();
    }
    for (const std::exception_ptr &failure : failures)
        if (failure)
            std::rethrow_exception(failure);
    return done;
}

} // namespace dnsgauge
