// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/cpu_pinning.h"

#include <pthread.h>
#include <sched.h>

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

} // namespace dnsgauge
