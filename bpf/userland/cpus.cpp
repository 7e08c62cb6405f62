// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/cpus.h"

#include "userland/number_list.h"

#include <sched.h>

namespace dnsgauge
{

static_assert(pinnable_cpu_most == CPU_SETSIZE - 1);

std::vector<unsigned> parse_cpu_list(const std::string &option, std::string_view text,
                                     unsigned most)
{
    return parse_number_list(option, text, most, "CPUs");
}

bool pin_thread(pthread_t thread, unsigned cpu)
{
    if (cpu > pinnable_cpu_most)
        return false;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(thread, sizeof(set), &set) == 0;
}

} // namespace dnsgauge
