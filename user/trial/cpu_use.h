// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The use of CPUs during a trial: those of the Tester, and those of a server on this machine.
#pragma once

#include "machine/cpu_times.h"
#include "result/trial_result.h"

#include <map>
#include <vector>

namespace dnsgauge
{

// What the sender on `cpu` got of that CPU.
struct SenderTimes {
    unsigned cpu = 0;
    Nanoseconds ran{};
    Nanoseconds waited{};
};

// Tells whether a process is the Tester's, the server's or somebody else's, by the network
// namespaces of processes.
class Sides
{
public:
    // Looks at the processes that there are now. `is_one_machine`: the server may run here, behind
    // a veth pair, in a network namespace that is neither the Tester's nor the machine's own.
    explicit Sides(bool is_one_machine);

    // Returns whose the process is. The process may have begun after construction.
    [[nodiscard]] CpuGuest::Side of(int process) const;

    // Takes namespaces from a test: this process' own, the machine's, and those of all processes.
    Sides(std::uint64_t mine, std::uint64_t machine, std::map<int, std::uint64_t> namespaces);

private:
    std::map<int, std::uint64_t> namespaces_; // empty: the server does not run here
    std::uint64_t mine_ = 0;
    std::uint64_t machine_ = 0;
    bool is_one_machine_ = false;
};

// Returns what was done on each CPU that sent, received replies or ran the server between the two
// moments.
[[nodiscard]] std::vector<CpuUse> cpu_use(const MachineTimes &before, const MachineTimes &after,
                                          const std::vector<SenderTimes> &senders,
                                          const std::vector<unsigned> &receiving,
                                          const Sides &sides);

} // namespace dnsgauge
