// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/surroundings.h"

#include "userland/interface_number.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

// A lack of memory or descriptors does not mean that the name is missing. Any other error is the
// same before and after the trial, and so shows no change.
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
