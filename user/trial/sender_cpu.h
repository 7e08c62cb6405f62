// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Chooses the sender's CPU and transmit queue if the user names none.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Interface;
struct TrialPlan;

// A transmit queue that a self-test found better than the usual one.
struct FoundQueue {
    std::string interface {
    };
    unsigned queue = 0;
    std::string why{}; // a clause
};

// The CPUs that self-tests of this set-up were made on.
struct TestedCpus {
    std::vector<unsigned> cpus{};           // the best one first, if one is known to be best
    std::string best_why{};                 // why it is best: a clause; may be empty
    std::optional<FoundQueue> best_queue{}; // of the best CPU; the usual one if missing
};

struct SenderCpu {
    unsigned cpu = 0;
    std::string why;                   // a clause
    std::optional<FoundQueue> queue{}; // of the best CPU; the usual one if missing
};

// Returns the CPU that choose_sender_cpu() chooses among those that this process may use. The first
// call takes a tenth of a second, to see which CPUs are idle. Later calls return the same CPU, so
// that all trials of a process send from one CPU.
[[nodiscard]] const SenderCpu &default_sender_cpu(const TestedCpus &tested = {});

// Returns the best CPU of `allowed`, which must not be empty; the first one of equals. The
// criteria, in their order: nothing is pinned to the CPU; it is idle for nine tenths of the time
// (`idle` has the shares); it is known to be the best; `tested` has it.
[[nodiscard]] SenderCpu choose_sender_cpu(const std::vector<unsigned> &allowed,
                                          const std::vector<unsigned> &pinned,
                                          const std::map<unsigned, double> &idle,
                                          const TestedCpus &tested = {});

// Returns the transmit queue that a self-test of the plan's interface found best with the best CPU.
// Returns null unless the plan sends datagrams and names neither CPU nor queue, and the Tester
// chose that CPU.
[[nodiscard]] const FoundQueue *found_queue(const TrialPlan &plan);

// Throws SetupError if this process may not use one of the CPUs, which --cpus names.
void require_allowed(const std::vector<unsigned> &cpus);

// Returns the CPUs that send in trials of the plan. Throws SetupError.
[[nodiscard]] std::vector<unsigned> choose_cpus(const TrialPlan &plan);

// Returns the transmit queues of `senders` senders. Throws SetupError.
[[nodiscard]] std::vector<unsigned> choose_queues(const TrialPlan &plan, std::size_t senders,
                                                  const Interface &interface);

} // namespace dnsgauge
