// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The threads of an engine's lanes: each on its CPU, preferred to other threads, without
// privileges.
#pragma once

#include "engine/cpu_share.h"
#include "engine/engine.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

namespace dnsgauge
{

// What became of a lane's thread.
struct LaneThread {
    bool is_pinned = true; // the thread ran on its CPU alone
    int nice = best_nice;
    Nanoseconds ran{};
    Nanoseconds waited{}; // ready to run, for its CPU
    std::exception_ptr failure{};

    void rethrow_failure() const
    {
        if (failure)
            std::rethrow_exception(failure);
    }
    void tell(LaneTally &tally) const;
};

// Runs `work` on the calling thread, on `cpu`. `confine` leaves the thread the system calls of its
// work. Keeps the SetupError that `work` throws, and sets `halt` then.
[[nodiscard]] LaneThread run_lane(unsigned cpu, bool (*confine)(), std::atomic<bool> &halt,
                                  const std::function<void()> &work);

// What run_lanes() runs.
struct LaneRuns {
    std::size_t count = 0;
    std::function<void(std::size_t lane, std::atomic<bool> &halt)> run; // on the lane's own thread
    std::function<bool()> is_spoilt;                                    // no lane needs to go on
    std::function<RunProgress()> progress;
};

// How often a run says how far it has come.
inline constexpr auto progress_interval = std::chrono::milliseconds(200);

// Runs all lanes until each has ended, from shortly before `start` on. Sets `halt` if the run is
// spoilt or is to stop. Says from `start` on how far the run has come.
void run_lanes(Nanoseconds start, const LaneRuns &lanes, const RunWatch &watch);

} // namespace dnsgauge
