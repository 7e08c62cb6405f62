// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// When others had a CPU that the server on this machine waited for (bpf/absence_clock.bpf.c).
#pragma once

#include "host/skeleton.h"
#include "machine/server_processes.h"
#include "system/unique_fd.h"
#include "units/rate.h"

#include "absence_clock_abi.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

struct absence_clock; // bpftool's skeleton

namespace dnsgauge
{

// The processes that the clock watches, and their CPUs.
struct WatchedServer {
    std::set<int> processes; // the server's, and the kernel's threads that carry its packets
    std::set<int> unclear;   // that may be the server's: they count neither way
    std::set<unsigned> cpus; // on which a thread of `processes` may run
};

// Returns the processes, and the CPUs that their threads may use. `proc`: /proc, or a test's copy.
// Throws SetupError if a thread may use CPUs that the clock cannot watch.
[[nodiscard]] WatchedServer watched_server(const ServerProcesses &server,
                                           const std::filesystem::path &proc);

class AbsenceClock
{
public:
    // There is room for this number of absences.
    static constexpr std::uint32_t most_absences = 1U << 16U;

    // Loads and attaches the program. Absences longer than `limit` are noted one by one. Throws
    // SetupError.
    AbsenceClock(const WatchedServer &server, Nanoseconds limit);
    ~AbsenceClock();

    // Makes the clock note absences that end at `start` (CLOCK_MONOTONIC) or later. Until this call
    // it notes none.
    void begin(Nanoseconds start);
    // Stops noting absences.
    void end();

    // Returns the absences that were longer than the limit, as far as there was room.
    [[nodiscard]] std::vector<absence> absences() const;
    // Returns how many more there were.
    [[nodiscard]] std::uint64_t missed() const;
    // Returns each watched CPU's longest absence, however short; all 0 if it had none.
    [[nodiscard]] std::map<unsigned, absence> longest() const;

private:
    void note_from(std::uint64_t time);
    [[nodiscard]] std::uint32_t noted() const;

    std::set<unsigned> cpus_;
    Skeleton<::absence_clock> skeleton_;
    std::vector<UniqueFd> links_;
};

} // namespace dnsgauge
