// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The state of this machine's CPUs while they have nothing to do.
#pragma once

#include "userland/unique_fd.h"

namespace dnsgauge
{

enum class IdleCpus {
    poll, // idle CPUs stay awake and look for work
    sleep // idle CPUs do what the machine's settings say
};

// While the object exists, the kernel lets waking a CPU take no time, for all CPUs
// (/dev/cpu_dma_latency: the kernel's admin-guide/pm, "PM QoS"), so that no CPU sleeps. Waking a
// CPU costs the waker some microseconds, and in a virtual machine an exit to the hypervisor. A
// reply that waits for the waking seems slower than it was.
class CpusKeptAwake
{
public:
    CpusKeptAwake();

    // Returns whether the kernel has taken the limit: false if the device does not exist, or if
    // this process may not open it (root may).
    [[nodiscard]] bool are_kept() const { return static_cast<bool>(limit_); }

private:
    UniqueFd limit_; // the kernel forgets the limit when it is closed
};

} // namespace dnsgauge
