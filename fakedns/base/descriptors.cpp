// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/descriptors.h"

#include "userland/descriptors.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <string>

namespace dnsgauge
{

void reserve_for_clients(std::size_t connections)
{
    const auto shortage = reserve_descriptors(connections);
    if (!shortage)
        return;
    throw SetupError(
        "{} TCP connections and the server itself need {} open files, and the limit is {}: raise "
        "it (ulimit -n, or LimitNOFILE= of the unit){}",
        connections, shortage->needed, shortage->most,
        shortage->for_connections != 0
            ? fmt::format(", or let --tcp-connections be {} at most", shortage->for_connections)
            : std::string());
}

} // namespace dnsgauge
