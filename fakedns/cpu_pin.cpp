// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cpu_pin.h"

#include "common/setup_error.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace dnsgauge
{

namespace
{

// A number below CPU_SETSIZE that takes all of `text`.
bool read_cpu(std::string_view text, unsigned &cpu)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    return error == std::errc{} && end == text.data() + text.size() && cpu < CPU_SETSIZE;
}

bool read_range(std::string_view text, std::vector<unsigned> &cpus)
{
    const std::size_t dash = text.find('-');
    unsigned first = 0;
    unsigned last = 0;
    if (!read_cpu(text.substr(0, dash), first))
        return false;
    if (dash == std::string_view::npos)
        last = first;
    else if (!read_cpu(text.substr(dash + 1), last) || last < first)
        return false;
    for (unsigned cpu = first; cpu <= last; cpu++)
        cpus.push_back(cpu);
    return true;
}

} // namespace

std::vector<unsigned> parse_cpu_list(std::string_view option, std::string_view text)
{
    std::vector<unsigned> cpus;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (!read_range(text.substr(from, comma - from), cpus))
            throw SetupError(std::string(option) + ": \"" + std::string(text) +
                             "\" is no list of CPUs: write it like 0,2-5");
        from = comma + 1;
    }
    return cpus;
}

bool pin_thread(pthread_t thread, unsigned cpu)
{
    if (cpu >= CPU_SETSIZE)
        return false;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return pthread_setaffinity_np(thread, sizeof(set), &set) == 0;
}

} // namespace dnsgauge
