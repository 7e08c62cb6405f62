// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/circumstances.h"

#include "machine/facts.h"
#include "machine/topology.h"
#include "system/interface_number.h"
#include "system/setup_error.h"
#include "system/utc_text.h"

#include <fmt/format.h>

#include <sys/utsname.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <system_error>
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

namespace fs = std::filesystem;

// Refuses a lack of memory or descriptors, which does not mean that the name is missing. Any other
// error is the same before and after the trial, and so shows no change.
void refuse_want(const std::error_code &error)
{
    for (const std::errc want : {std::errc::too_many_files_open_in_system,
                                 std::errc::too_many_files_open, std::errc::not_enough_memory})
        if (error == want)
            throw SetupError("cannot look for the name of the network namespace: " +
                             error.message());
}

std::string name_of_namespace()
{
    std::error_code error;
    for (fs::directory_iterator name("/run/netns", error), end; !error && name != end;
         name.increment(error)) {
        std::error_code other;
        if (fs::equivalent("/proc/self/ns/net", name->path(), other))
            return name->path().filename();
        refuse_want(other);
    }
    refuse_want(error);
    return {};
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
    circumstances.started = utc_text(std::chrono::system_clock::now()) + "Z";
    circumstances.version = DNSGAUGE_VERSION;
    circumstances.kernel = kernel_text();
    circumstances.cpu_model = cpu_model();
    circumstances.cpus = std::thread::hardware_concurrency();
    circumstances.wall_clock = read_wall_clock("/");
    return circumstances;
}

const std::vector<CpuPlace> &cpu_places()
{
    // hwloc takes some milliseconds, too long for each trial.
    static const std::vector<CpuPlace> places = read_topology("/").places;
    return places;
}

Surroundings surroundings_of(unsigned interface_index)
{
    return {.interface = interface_name(interface_index), .net_namespace = name_of_namespace()};
}

std::vector<std::string> doubts_of_change(const Surroundings &before, const Surroundings &after)
{
    std::vector<std::string> doubts;
    if (after.interface.empty())
        doubts.push_back(fmt::format("the interface {} left the network namespace during the trial",
                                     before.interface));
    else if (after.interface != before.interface)
        doubts.push_back(fmt::format("the interface {} got the name {} during the trial: whoever "
                                     "renamed it may have changed more",
                                     before.interface, after.interface));
    if (!before.net_namespace.empty() && after.net_namespace.empty())
        doubts.push_back(fmt::format("the name {} of the Tester's network namespace was taken away "
                                     "during the trial: somebody may have taken a lab down",
                                     before.net_namespace));
    else if (after.net_namespace != before.net_namespace)
        doubts.push_back(fmt::format("the Tester's network namespace got the name {} during the "
                                     "trial",
                                     after.net_namespace));
    return doubts;
}

bool read_afterwards(std::vector<std::string> &doubts, const std::string &untold,
                     const std::function<void()> &read)
{
    try {
        read();
        return true;
    } catch (const SetupError &error) {
        doubts.push_back(
            fmt::format("after the trial the system could not tell {}: {}", untold, error.what()));
        return false;
    }
}

} // namespace dnsgauge
