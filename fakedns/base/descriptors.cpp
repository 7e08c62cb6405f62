// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/descriptors.h"

#include "userland/setup_error.h"

#include <fmt/format.h>

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace dnsgauge
{

namespace
{

// For the metrics' few connections, for files that are open for a moment, and for a connection that
// is accepted before another one is closed for it.
constexpr std::size_t to_spare = 64;

std::size_t open_now()
{
    std::error_code error;
    const std::filesystem::directory_iterator all("/proc/self/fd", error);
    if (error)
        throw SetupError("cannot count the open files: /proc must be mounted");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace

void reserve_descriptors(std::size_t connections)
{
    const std::size_t own = 2 * open_now() + to_spare;
    const rlim_t needed = own + connections;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        throw_errno("cannot read the limit of open files");
    if (limit.rlim_cur >= needed)
        return;
    const rlim_t most = limit.rlim_max;
    limit.rlim_cur = needed;
    limit.rlim_max = std::max(most, needed);
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return;
    throw SetupError(
        "{} TCP connections and the server itself need {} open files, and the limit is {}: raise "
        "it (ulimit -n, or LimitNOFILE= of the unit){}",
        connections, needed, most,
        most > own ? fmt::format(", or let --tcp-connections be {} at most", most - own)
                   : std::string());
}

} // namespace dnsgauge
