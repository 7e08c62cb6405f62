// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The threads of an engine's lanes. Each has its own CPU, priority over other threads, and no
// privileges.
#pragma once

#include "engine/cpu_share.h"
#include "engine/engine.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace dnsgauge
{

// What became of a lane's thread.
struct LaneThread {
    bool is_pinned = true; // the thread ran on its CPU alone
    int nice = best_nice;
    Nanoseconds ran{};
    Nanoseconds waited{}; // ready to run, for its CPU

    void tell(LaneTally &tally) const;
};

// What run_lanes() runs.
struct LaneRuns {
    const std::vector<unsigned> &cpus; // of a lane each
    bool (*confine)();                 // allows a lane's thread only the system calls of its work
    std::function<void(std::size_t lane, std::atomic<bool> &halt)> run; // on the lane's own thread
    std::function<bool()> is_spoilt;                                    // then no lane need go on
    std::function<RunProgress()> progress;
};

// The time between two reports of progress.
inline constexpr auto progress_interval = std::chrono::milliseconds(200);

// Runs all lanes until each has ended, from shortly before `start` on. Sets `halt` if the run is
// spoilt or is to stop, or if a lane throws SetupError. Reports progress from `start` on. Returns
// what became of the lanes' threads. Throws what the first lane threw.
[[nodiscard]] std::vector<LaneThread> run_lanes(Nanoseconds start, const LaneRuns &lanes,
                                                const RunWatch &watch);

} // namespace dnsgauge
