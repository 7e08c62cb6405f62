// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/cpu_share.h"

#include "system/cpus.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

namespace dnsgauge
{

std::vector<unsigned> allowed_cpus()
{
    return cpus_of_thread(0);
}

bool pin_this_thread(unsigned cpu)
{
    return pin_thread(pthread_self(), cpu);
}

int prefer_this_thread()
{
    constexpr id_t this_thread = 0;
    setpriority(PRIO_PROCESS, this_thread, best_nice);
    return getpriority(PRIO_PROCESS, this_thread);
}

CpusKeptFree::CpusKeptFree(const std::vector<unsigned> &cpus)
{
    if (sched_getaffinity(0, sizeof(before_), &before_) != 0)
        return;
    cpu_set_t rest = before_;
    for (const unsigned cpu : cpus)
        CPU_CLR(cpu, &rest);
    if (CPU_COUNT(&rest) != 0)
        sched_setaffinity(0, sizeof(rest), &rest);
}

CpusKeptFree::~CpusKeptFree()
{
    if (CPU_COUNT(&before_) != 0)
        sched_setaffinity(0, sizeof(before_), &before_);
}

CpusKeptAwake::CpusKeptAwake()
{
    constexpr std::int32_t microseconds = 0;
    UniqueFd limit(open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC));
    if (limit && write(limit.get(), &microseconds, sizeof(microseconds)) == sizeof(microseconds))
        limit_ = std::move(limit);
}

} // namespace dnsgauge
