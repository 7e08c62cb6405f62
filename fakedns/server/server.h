// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server that answers from the digits of names. It opens sockets, then attaches the kernel
// programs, and then prints the line that says that it is ready.
#pragma once

#include "server/options.h"

#include "dns/name_range.h"

#include <functional>
#include <optional>

namespace dnsgauge
{

// The main function of fakedns without --internet. With `predict` prints the faults of these names,
// and serves nothing. Otherwise serves as DnsServer::run() does. On SIGHUP calls `reread` in its
// own thread, and takes over the options that may change. A wrong configuration changes nothing,
// and a line on stderr says why. "ns" in a zone has the addresses of the interface that is asked.
// Throws SetupError, but only before the line that says that the server is ready.
void server_main(const ServerOptions &options, const std::optional<NameRange> &predict,
                 std::function<ServerOptions()> reread);

} // namespace dnsgauge
