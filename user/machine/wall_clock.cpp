// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/wall_clock.h"

#include "machine/text_files.h"

#include <sys/timex.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace dnsgauge
{

namespace
{

// As /proc shows them: the kernel keeps fifteen letters of a name.
constexpr std::array<std::string_view, 7> clock_programs{
    "chronyd", "ntpd", "systemd-timesyn", "ptp4l", "phc2sys", "ts2phc", "timemaster"};

std::vector<std::string> running_programs(const std::filesystem::path &proc)
{
    std::vector<std::string> names;
    for_each_number(proc, [&](int process) {
        const std::string name = first_line(proc / std::to_string(process) / "comm");
        if (std::ranges::find(clock_programs, name) != clock_programs.end() &&
            std::ranges::find(names, name) == names.end())
            names.push_back(name);
    });
    std::ranges::sort(names);
    return names;
}

} // namespace

WallClock read_wall_clock(const std::filesystem::path &root)
{
    WallClock clock{.programs = running_programs(root / "proc")};
    timex state{};
    if (const int found = adjtimex(&state); found != -1) {
        clock.is_synchronised = found != TIME_ERROR && (state.status & STA_UNSYNC) == 0;
        clock.error_most = std::chrono::microseconds(state.maxerror);
    }
    return clock;
}

} // namespace dnsgauge
