// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPUs senders run on, and how much of them they get.
#pragma once

#include <sched.h>

#include <vector>

namespace dnsgauge
{

// The CPUs this process may use, in ascending order.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

// Binds the calling thread to `cpu`; false if it is not allowed to run there.
[[nodiscard]] bool pin_this_thread(unsigned cpu);

// Puts the calling thread before all others that are not real-time ones, if it may be
// (CAP_SYS_NICE), and gives its nice value then: -20, or what it was. Real-time scheduling is no
// alternative: the kernel takes a thread that never sleeps off its CPU for 50 ms in each second.
[[nodiscard]] int prefer_this_thread();

// While it exists, the thread that made it, and threads that one starts, stay off `cpus`, if that
// leaves them any CPU at all.
class CpusKeptFree
{
public:
    explicit CpusKeptFree(const std::vector<unsigned> &cpus);
    ~CpusKeptFree();
    CpusKeptFree(const CpusKeptFree &) = delete;
    CpusKeptFree &operator=(const CpusKeptFree &) = delete;

private:
    cpu_set_t before_{};
};

} // namespace dnsgauge
