// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters of all workers, in memory that their processes share.
#pragma once

#include "host/mapped_memory.h"
#include "userland/setup_error.h"

#include "echo_abi.h"

namespace dnsgauge
{

class EchoBoard
{
public:
    explicit EchoBoard(unsigned workers)
        : memory_(workers * sizeof(Place), MAP_SHARED | MAP_ANONYMOUS, -1)
    {
        if (memory_.data() == nullptr)
            throw SetupError("no memory for the workers' counters");
    }

    [[nodiscard]] echo_counters &of(unsigned worker) const
    {
        return static_cast<Place *>(memory_.data())[worker].counters;
    }

private:
    // Each worker's counters have a cache line of their own.
    struct alignas(64) Place {
        echo_counters counters;
    };

    MappedMemory memory_;
};

} // namespace dnsgauge
