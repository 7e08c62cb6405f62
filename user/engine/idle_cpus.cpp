// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/idle_cpus.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace dnsgauge
{

CpusKeptAwake::CpusKeptAwake()
{
    constexpr std::int32_t microseconds = 0;
    UniqueFd limit(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
    if (limit && write(limit.get(), &microseconds, sizeof(microseconds)) == sizeof(microseconds))
        limit_ = std::move(limit);
}

} // namespace dnsgauge
