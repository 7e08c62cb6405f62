// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The whole server: sockets first, then the kernel programs, then the line that says it is ready.
#pragma once

#include "fakedns/server_options.h"

#include <functional>

namespace dnsgauge
{

// Keeps the signals the server acts upon from killing it, here and in threads made later.
void block_server_signals();

// Serves until SIGTERM or SIGINT; SIGUSR1 prints the counters, and so does the end. SIGHUP calls
// `reread`, in a thread of its own, and takes over what may change: what is wrong is said on stderr
// and changes nothing. Call block_server_signals() first. "ns" in a zone gets the addresses of the
// interface that is asked. Prints to stdout. Throws SetupError before the line that says it is
// ready.
void serve(const ServerOptions &options, std::function<ServerOptions()> reread);

} // namespace dnsgauge
