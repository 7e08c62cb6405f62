// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPU the sender runs on where the user names none, and which transmit queue it then has.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct TrialPlan;

// A transmit queue that a self-test found better than the usual one.
struct FoundQueue {
    std::string interface {
    };
    unsigned queue = 0;
    std::string why{}; // a clause
};

// CPUs that self-tests of this set-up know.
struct TestedCpus {
    std::vector<unsigned> cpus{};           // the best one first, where one is known to be best
    std::string best_why{};                 // who says that, and why: a clause; empty: nobody does
    std::optional<FoundQueue> best_queue{}; // with the best CPU; absent: the usual one
};

struct SenderCpu {
    unsigned cpu = 0;
    std::string why;                   // a clause
    std::optional<FoundQueue> queue{}; // where the CPU is the best one; absent: the usual one
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

// Returns the transmit queue of the sender where the plan leaves CPU and queue to the Tester, the
// Tester has chosen the CPU that is known to be best, and a self-test of the plan's interface found
// this queue best with it; null otherwise.
[[nodiscard]] const FoundQueue *found_queue(const TrialPlan &plan);

// Throws SetupError if this process may not use one of the CPUs, which --cpus names.
void require_allowed(const std::vector<unsigned> &cpus);

} // namespace dnsgauge
