// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The whole server: sockets first, then the kernel program, then the line that says it is ready.
#pragma once

#include "fakedns/loader_faulty.h"
#include "fakedns/responder_tcp.h"

#include "fakedns_abi.h"
#include "host/xdp_link.h"

#include <optional>
#include <string>

namespace dnsgauge
{

struct ServerOptions {
    std::string interface;
    std::string zone_text;                           // as it is shown
    fakedns_config config{};                         // all but the addresses of "ns"
    std::optional<XdpMode> xdp = XdpMode::automatic; // none: sockets alone
    TcpLimits tcp;
    FaultOptions faults; // of answers by UDP
};

// Keeps the signals the server acts upon from killing it, here and in threads made later.
void block_server_signals();

// Serves until SIGTERM or SIGINT; SIGUSR1 prints the counters, and so does the end. Call
// block_server_signals() first. "ns" in the zone gets the interface's own addresses. Prints to
// stdout. Throws SetupError before the line that says it is ready.
void serve(ServerOptions options);

} // namespace dnsgauge
