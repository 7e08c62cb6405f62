// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/descriptors.h"

#include "system/setup_error.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace dnsgauge
{

namespace
{

// For a server's metrics, for files that are open for a moment, and for a connection that is
// accepted before another one is closed for it.
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

std::optional<DescriptorShortage> reserve_descriptors(std::size_t connections)
{
    const std::size_t own = 2 * open_now() + to_spare;
    const rlim_t needed = own + connections;
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        throw_errno("cannot read the limit of open files");
    if (limit.rlim_cur >= needed)
        return std::nullopt;
    const rlim_t most = limit.rlim_max;
    limit.rlim_cur = needed;
    limit.rlim_max = std::max(most, needed);
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
        return std::nullopt;
    return DescriptorShortage{
        .needed = needed, .most = most, .for_connections = most > own ? most - own : 0};
}

} // namespace dnsgauge
