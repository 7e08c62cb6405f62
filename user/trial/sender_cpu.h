// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPU the sender runs on where the user names none.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

// CPUs that self-tests of this set-up know.
struct TestedCpus {
    std::vector<unsigned> cpus{}; // the best one first, where one is known to be best
    std::string best_why{};       // who says that, and why: a clause; empty: nobody does
};

struct SenderCpu {
    unsigned cpu = 0;
    std::string why; // a clause
};

// Returns a CPU that this process may use: an idle one, of these one that `tested` has, the best
// one above all. The first call chooses and takes a tenth of a second, to see which CPUs are idle.
// Later calls return the same CPU, so that all trials of a process send from one CPU.
[[nodiscard]] const SenderCpu &default_sender_cpu(const TestedCpus &tested = {});

// Returns the best CPU of `allowed`, which must not be empty; of equals the first one. A CPU to
// which nothing is pinned is better than others; then one that is idle for nine tenths of the time
// (`idle` has the shares); then the best one that is known, and then one of `tested`.
[[nodiscard]] SenderCpu choose_sender_cpu(const std::vector<unsigned> &allowed,
                                          const std::vector<unsigned> &pinned,
                                          const std::map<unsigned, double> &idle,
                                          const TestedCpus &tested = {});

// Throws SetupError if this process may not use one of the CPUs, which --cpus names.
void require_allowed(const std::vector<unsigned> &cpus);

} // namespace dnsgauge
