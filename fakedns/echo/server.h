// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The echo server: sockets, workers or the kernel program, and the counts at the end.
#pragma once

#include "echo/options.h"

namespace dnsgauge
{

// Echoes until SIGTERM or SIGINT, then prints to stdout what each worker has echoed. Throws
// SetupError before the line that says that the echo is ready, or at the end if a process of the
// echo has ended by itself.
void serve_echo(const EchoOptions &options);

} // namespace dnsgauge
