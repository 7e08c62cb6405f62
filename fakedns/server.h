// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The whole server. It opens sockets first, then attaches the kernel programs, then prints the line
// that says that it is ready.
#pragma once

#include "fakedns/server_options.h"

#include <functional>

namespace dnsgauge
{

// Serves until SIGTERM or SIGINT. SIGUSR1 and the end print the counters to stdout. SIGHUP calls
// `reread` in a thread of its own and takes over what may change; a wrong configuration changes
// nothing, and stderr says why. The caller calls block_server_signals() first. "ns" in a zone gets
// the addresses of the interface that is asked. Throws SetupError, but only before the line that
// says that the server is ready.
void serve(const ServerOptions &options, std::function<ServerOptions()> reread);

} // namespace dnsgauge
