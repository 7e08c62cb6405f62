// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/cpus.h"

#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"

#include <sched.h>

namespace dnsgauge
{

namespace
{

static_assert(pinnable_cpu_most == CPU_SETSIZE - 1);

bool append_range(std::string_view text, unsigned most, std::vector<unsigned> &numbers)
{
    const std::size_t dash = text.find('-');
    const auto first = read_number(text.substr(0, dash), most);
    const auto last =
        dash == std::string_view::npos ? first : read_number(text.substr(dash + 1), most);
    if (!first || !last || *last < *first)
        return false;
    for (unsigned number = *first; number <= *last; number++)
        numbers.push_back(number);
    return true;
}

} // namespace

std::vector<unsigned> parse_number_list(const std::string &option, std::string_view text,
                                        unsigned most, const char *things)
{
    std::vector<unsigned> numbers;
    for (const std::string_view part : split(text))
        if (!append_range(part, most, numbers))
            throw SetupError(option + ": \"" + std::string(text) + "\" is no list of " + things +
                             ": write it like 0,2-5");
    return numbers;
}

std::vector<unsigned> parse_cpu_list(const std::string &option, std::string_view text,
                                     unsigned most)
{
    return parse_number_list(option, text, most, "CPUs");
}

std::vector<unsigned> cpus_of_thread(pid_t thread)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<unsigned> cpus;
    if (sched_getaffinity(thread, sizeof(set), &set) == 0)
        for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
            if (CPU_ISSET(cpu, &set))
                cpus.push_back(cpu);
    return cpus;
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
