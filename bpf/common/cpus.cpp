// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/cpus.h"

#include "common/setup_error.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace dnsgauge
{

namespace
{

static_assert(pinnable_cpu_most == CPU_SETSIZE - 1);

// Returns nothing unless all of `text` is a number up to `most`.
std::optional<unsigned> read_cpu(std::string_view text, unsigned most)
{
    unsigned cpu = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cpu);
    if (error != std::errc{} || end != text.data() + text.size() || cpu > most)
        return std::nullopt;
    return cpu;
}

bool append_range(std::string_view text, unsigned most, std::vector<unsigned> &cpus)
{
    const std::size_t dash = text.find('-');
    const auto first = read_cpu(text.substr(0, dash), most);
    const auto last =
        dash == std::string_view::npos ? first : read_cpu(text.substr(dash + 1), most);
    if (!first || !last || *last < *first)
        return false;
    for (unsigned cpu = *first; cpu <= *last; cpu++)
        cpus.push_back(cpu);
    return true;
}

} // namespace

std::vector<unsigned> parse_cpu_list(const std::string &option, std::string_view text,
                                     unsigned most)
{
    std::vector<unsigned> cpus;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (!append_range(text.substr(from, comma - from), most, cpus))
            throw SetupError(option + ": \"" + std::string(text) +
                             "\" is no list of CPUs: write it like 0,2-5");
        from = comma + 1;
    }
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
