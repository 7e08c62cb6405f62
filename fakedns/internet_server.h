// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Serves a whole Internet (fakedns/internet) from one process: the address that a query was sent to
// says which of its servers is asked. AF_XDP takes queries by UDP where it can, and sockets take
// the others.
#pragma once

#include "fakedns/responder_tcp.h"

#include "internet/world.h"

#include "host/xdp_link.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct InternetSetup {
    std::vector<std::string> interfaces;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp = XdpMode::automatic; // nothing: sockets take all
    TcpLimits tcp;
    std::uint32_t rate_limit = 0; // whole UDP answers per second to one network; 0 for no limit
    std::string metrics;          // the endpoint of MetricsServer; empty: none
    std::string user;             // the user that the server becomes, if any
    std::uint32_t epoch = 0; // seconds that the clock shows at the start; 0: TTLs do not count down
};

// Serves until SIGTERM or SIGINT. SIGUSR1 and the end print the counters to stdout. The caller
// calls block_server_signals() first. `world` must outlive the call. Throws SetupError before the
// line that says that the server is ready, and InterfaceMissing when no interface is left.
void serve_internet(const InternetSetup &setup, const World &world);

} // namespace dnsgauge
