// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The use of the Tester's CPUs, and of the CPUs of a server on this machine, during a trial.
#pragma once

#include "machine/cpu_times.h"
#include "machine/server_processes.h"
#include "result/trial_result.h"

#include <map>
#include <utility>
#include <vector>

namespace dnsgauge
{

// How long the sender on `cpu` ran there.
struct SenderTimes {
    unsigned cpu = 0;
    Nanoseconds ran{};
    Nanoseconds waited{};
};

// Tells whether a process is the Tester's, the server's or somebody else's.
class Sides
{
public:
    // All processes except this one and `server` have no part in the trial.
    explicit Sides(ServerProcesses server) : server_(std::move(server)) {}

    // Returns whose the thread is. `all` has the threads by their IDs. By these the process'
    // parents are found: a child that a server's process started later is the server's, too.
    [[nodiscard]] CpuGuest::Side of(const ThreadTimes &thread,
                                    const std::map<int, ThreadTimes> &all) const;

    [[nodiscard]] const ServerProcesses &server() const { return server_; }

private:
    ServerProcesses server_;
};

// Returns what ran between the two moments on each CPU that sent, received replies or ran the
// server.
[[nodiscard]] std::vector<CpuUse> cpu_use(const MachineTimes &before, const MachineTimes &after,
                                          const std::vector<SenderTimes> &senders,
                                          const std::vector<unsigned> &receiving,
                                          const Sides &sides);

} // namespace dnsgauge
