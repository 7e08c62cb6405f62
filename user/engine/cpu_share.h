// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The CPUs that senders run on, their priority there, and what CPUs without work do.
#pragma once

#include "system/unique_fd.h"

#include <sched.h>

#include <vector>

namespace dnsgauge
{

// Returns the CPUs that this process may use, in ascending order.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

// Binds the calling thread to `cpu`. Returns false if the thread may not run there.
[[nodiscard]] bool pin_this_thread(unsigned cpu);

// The nice value of threads that the kernel prefers to all others except real-time threads.
inline constexpr int best_nice = -20;

// Gives the calling thread priority over all threads but real-time ones, if permitted
// (CAP_SYS_NICE). Returns the thread's nice value: best_nice, or the old one. Real-time scheduling
// is no alternative: the kernel takes a real-time thread that never sleeps off its CPU for 50 ms in
// each second.
[[nodiscard]] int prefer_this_thread();

// While the object exists, the thread that made it, and threads that this thread starts, stay off
// `cpus`, unless no other CPU is left.
class CpusKeptFree
{
public:
    explicit CpusKeptFree(const std::vector<unsigned> &cpus);
    ~CpusKeptFree();
    CpusKeptFree &operator=(CpusKeptFree &&) = delete;

private:
    cpu_set_t before_{};
};

enum class IdleCpus {
    poll, // idle CPUs stay awake and look for work
    sleep // idle CPUs do what the machine's settings say
};

// While the object exists, no CPU sleeps: the kernel is asked for a wake-up latency of 0
// (/dev/cpu_dma_latency; the kernel's admin-guide/pm, "PM QoS"). Waking a CPU costs the waker some
// microseconds, and in a virtual machine an exit to the hypervisor. A reply that waits for this
// seems slower than it was.
class CpusKeptAwake
{
public:
    CpusKeptAwake();

    // Returns whether the kernel accepted the limit: false if the device does not exist, or if this
    // process may not open it (root may).
    [[nodiscard]] bool are_kept() const { return static_cast<bool>(limit_); }

private:
    UniqueFd limit_; // the kernel forgets the limit when it is closed
};

} // namespace dnsgauge
