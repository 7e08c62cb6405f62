// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What each CPU of this machine, and each thread on it, has done until now.
#pragma once

#include "units/rate.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dnsgauge
{

// The times of a CPU in ticks of some 10 ms. The kernel gives a whole tick to the thread that runs
// at its end: work in step with the ticks is counted far too high or too low.
struct CpuTimes {
    Nanoseconds threads{}; // run by threads of programs and of the kernel
    Nanoseconds idle{};    // waiting for a disk is idle, too
    Nanoseconds softirq{}; // packets, mostly
    Nanoseconds steal{};   // the hypervisor gave the CPU to another guest
};

// The times of a thread, exact to the nanosecond.
struct ThreadTimes {
    int process = 0;
    int parent = 0; // of the process
    std::string name;
    unsigned cpu = 0; // where the thread ran last
    bool is_kernel = false;
    Nanoseconds ran{};
    Nanoseconds waited{}; // ready to run, while its CPU did something else
};

// The times of a process: measured by the scheduler, rounded to ticks of some 10 ms.
struct ProcessTimes {
    Nanoseconds ran{};      // by its threads, ended ones included
    Nanoseconds children{}; // by ended children, and by their ended children
};

struct MachineTimes {
    Nanoseconds at{}; // of the monotonic clock
    std::map<unsigned, CpuTimes> cpus;
    std::map<int, ThreadTimes> threads; // by their IDs
    std::map<int, ProcessTimes> processes;
};

// The text of /proc/ID/stat, taken apart. A name may have blanks and parentheses in it. The first
// word after the name is field 0: proc(5).
class StatText
{
public:
    explicit StatText(const std::string &text);

    [[nodiscard]] const std::string &name() const { return name_; }
    // Returns the word in a field; empty if there is none.
    [[nodiscard]] std::string word(std::size_t field) const;
    // Returns the number in a field; 0 if the field has none.
    [[nodiscard]] std::uint64_t number(std::size_t field) const;
    [[nodiscard]] bool is_of_kernel() const;

private:
    std::string name_;
    std::vector<std::string> fields_;
};

// Returns the times of all CPUs, and of the threads that can be seen (/proc may hide others').
[[nodiscard]] MachineTimes read_machine_times();

// Returns the times of the CPUs alone.
[[nodiscard]] std::map<unsigned, CpuTimes> read_cpu_times();

// Returns how long the calling thread has run and waited.
[[nodiscard]] ThreadTimes read_own_times();

// Returns the CPUs in the text of /proc/stat; empty if the text has none.
[[nodiscard]] std::map<unsigned, CpuTimes> parse_cpu_times(const std::string &text,
                                                           long ticks_per_second);

// Returns the thread of these texts of the /proc files stat and schedstat; its process is 0.
[[nodiscard]] ThreadTimes parse_thread(const std::string &stat, const std::string &schedstat);

// Returns the process of this text of the /proc file stat.
[[nodiscard]] ProcessTimes parse_process(const std::string &stat, long ticks_per_second);

// Returns the CPUs to which a thread of another program, or a link's NAPI thread, is pinned. A
// server that is pinned to a CPU relies on having that CPU.
[[nodiscard]] std::vector<unsigned> cpus_with_pinned_threads();

} // namespace dnsgauge
