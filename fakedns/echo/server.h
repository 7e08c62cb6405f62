// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo server: sockets, workers or the kernel program, and the counts at the end.
#pragma once

#include "echo/options.h"

namespace dnsgauge
{

// Echoes until SIGTERM or SIGINT, which are blocked (block_server_signals()), then prints what each
// worker has echoed. Prints to stdout. Throws SetupError: before the line that says it is ready, or
// when a process of the echo has ended by itself.
void serve_echo(const EchoOptions &options);

} // namespace dnsgauge
