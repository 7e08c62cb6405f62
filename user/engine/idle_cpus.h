// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What this machine's CPUs do while they have nothing to do.
#pragma once

#include "common/unique_fd.h"

namespace dnsgauge
{

enum class IdleCpus {
    poll, // look for work: what comes finds a CPU that is awake
    sleep // as the machine is set
};

// While it exists, the kernel's limit of the time that waking a CPU may take is zero, for all CPUs
// (/dev/cpu_dma_latency: the kernel's admin-guide/pm, "PM QoS"), so that none sleeps. To wake one
// costs him who does it some microseconds, and in a virtual machine an exit to the hypervisor; a
// reply that waits for it seems slower than it was.
class CpusKeptAwake
{
public:
    CpusKeptAwake();

    // Did the kernel take the limit? Not where there is no such device, or no right to it (root).
    [[nodiscard]] bool are_kept() const { return static_cast<bool>(limit_); }

private:
    UniqueFd limit_; // the kernel forgets the limit when it is closed
};

} // namespace dnsgauge
