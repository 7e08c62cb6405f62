// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/circumstances.h"

#include "machine/facts.h"
#include "machine/topology.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <chrono>
#include <fstream>
#include <thread>

namespace dnsgauge
{

namespace
{

std::string cpu_model()
{
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown";
}

std::string kernel_text()
{
    utsname name{};
    if (uname(&name) != 0)
        return "unknown";
    return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

} // namespace

std::string host_name()
{
    utsname name{};
    return uname(&name) == 0 ? name.nodename : "unknown";
}

Circumstances machine_circumstances()
{
    Circumstances circumstances;
    circumstances.started = fmt::format(
        "{:%Y-%m-%dT%H:%M:%SZ}",
        fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
    circumstances.version = DNSGAUGE_VERSION;
    circumstances.kernel = kernel_text();
    circumstances.cpu_model = cpu_model();
    circumstances.cpus = std::thread::hardware_concurrency();
    circumstances.wall_clock = read_wall_clock("/");
    return circumstances;
}

const std::vector<CpuPlace> &cpu_places()
{
    // hwloc takes some milliseconds, which each trial would wait for.
    static const std::vector<CpuPlace> places = read_topology("/").places;
    return places;
}

} // namespace dnsgauge
