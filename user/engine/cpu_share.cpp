// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/cpu_share.h"

#include <pthread.h>
#include <sys/resource.h>

namespace dnsgauge
{

std::vector<unsigned> allowed_cpus()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> cpus;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return cpus;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set))
            cpus.push_back(cpu);
    return cpus;
}

bool pin_this_thread(unsigned cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0;
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

} // namespace dnsgauge
