// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/cpu_times.h"

#include "machine/text_files.h"
#include "system/cpus.h"
#include "system/setup_error.h"

#include <unistd.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

namespace dnsgauge
{

namespace
{

// Fields of /proc/PID/stat after the name, from 0: proc(5).
constexpr std::size_t parent_field = 1;
constexpr std::size_t user_time_field =
    11; // of the process; system time follows, then both of its children
constexpr std::size_t processor_field = 36;

std::string whole_text(const std::string &file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Calls `each` with process and thread, for every thread of the machine.
void for_each_thread(const std::function<void(int, int)> &each)
{
    for_each_number("/proc", [&](int process) {
        for_each_number("/proc/" + std::to_string(process) + "/task",
                        [&](int thread) { each(process, thread); });
    });
}

Nanoseconds of_ticks(std::uint64_t ticks, long ticks_per_second)
{
    constexpr std::uint64_t second = 1'000'000'000;
    return Nanoseconds(ticks * (second / static_cast<std::uint64_t>(ticks_per_second)));
}

ThreadTimes read_thread(const std::string &directory)
{
    return parse_thread(first_line(directory + "/stat"), first_line(directory + "/schedstat"));
}

} // namespace

StatText::StatText(const std::string &text)
{
    const std::size_t begin = text.find('(');
    const std::size_t end = text.rfind(')');
    if (begin == std::string::npos || end == std::string::npos || begin > end)
        return;
    name_ = text.substr(begin + 1, end - begin - 1);
    fields_ = words_of(text.substr(end + 1));
}

std::string StatText::word(std::size_t field) const
{
    return field < fields_.size() ? fields_[field] : std::string();
}

std::uint64_t StatText::number(std::size_t field) const
{
    return leading_number<std::uint64_t>(word(field)).value_or(0);
}

bool StatText::is_of_kernel() const
{
    constexpr std::size_t flags_field = 6;
    constexpr std::uint64_t kernel_thread = 0x00200000; // PF_KTHREAD
    return (number(flags_field) & kernel_thread) != 0;
}

std::map<unsigned, CpuTimes> parse_cpu_times(const std::string &text, long ticks_per_second)
{
    std::map<unsigned, CpuTimes> cpus;
    std::istringstream lines(text);
    const auto time = [ticks_per_second](std::uint64_t ticks) {
        return of_ticks(ticks, ticks_per_second);
    };
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0,
                      steal = 0;
        words >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
        if (!words || !name.starts_with("cpu") || name.size() == 3)
            continue;
        if (const auto cpu = leading_number<unsigned>(name.substr(3)))
            cpus[*cpu] = {.threads = time(user + nice + system),
                          .idle = time(idle + iowait),
                          .softirq = time(irq + softirq),
                          .steal = time(steal)};
    }
    return cpus;
}

ThreadTimes parse_thread(const std::string &stat, const std::string &schedstat)
{
    const StatText text(stat);
    ThreadTimes times;
    times.name = one_line(text.name());
    times.is_kernel = text.is_of_kernel();
    times.parent = static_cast<int>(text.number(parent_field));
    times.cpu = static_cast<unsigned>(text.number(processor_field));
    std::istringstream words(schedstat);
    std::int64_t ran = 0;
    std::int64_t waited = 0;
    if (words >> ran >> waited) {
        times.ran = Nanoseconds(ran);
        times.waited = Nanoseconds(waited);
    }
    return times;
}

ProcessTimes parse_process(const std::string &stat, long ticks_per_second)
{
    const StatText text(stat);
    const auto both = [&](std::size_t field) {
        return of_ticks(text.number(field) + text.number(field + 1), ticks_per_second);
    };
    return {.ran = both(user_time_field), .children = both(user_time_field + 2)};
}

std::map<unsigned, CpuTimes> read_cpu_times()
{
    return parse_cpu_times(whole_text("/proc/stat"), sysconf(_SC_CLK_TCK));
}

MachineTimes read_machine_times()
{
    MachineTimes times;
    for_each_thread([&](int process, int thread) {
        ThreadTimes one =
            read_thread("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread));
        one.process = process;
        if (!one.name.empty())
            times.threads.emplace(thread, std::move(one));
    });
    const long ticks_per_second = sysconf(_SC_CLK_TCK);
    for_each_number("/proc", [&](int process) {
        const std::string stat = first_line("/proc/" + std::to_string(process) + "/stat");
        if (!stat.empty())
            times.processes.emplace(process, parse_process(stat, ticks_per_second));
    });
    times.cpus = read_cpu_times();
    times.at = std::chrono::steady_clock::now().time_since_epoch();
    return times;
}

ThreadTimes read_own_times()
{
    return read_thread("/proc/thread-self");
}

std::vector<unsigned> cpus_with_pinned_threads()
{
    std::vector<unsigned> cpus;
    for_each_thread([&](int process, int thread) {
        const std::vector<unsigned> allowed = cpus_of_thread(thread);
        if (process == getpid() || allowed.size() != 1)
            return;
        const ThreadTimes one =
            read_thread("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread));
        if (one.is_kernel && !one.name.starts_with("napi/"))
            return;
        cpus.push_back(allowed.front());
    });
    return cpus;
}

} // namespace dnsgauge
