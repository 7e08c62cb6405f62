// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The server's options.
#pragma once

#include "fakedns/loader_faulty.h"
#include "fakedns/responder_tcp.h"

#include "host/xdp_link.h"
#include "wire/answer.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Options that stay as they are while the server runs.
struct ServerSetup {
    std::vector<std::string> interfaces;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp = XdpMode::automatic; // none: sockets alone
    TcpLimits tcp;
    std::uint32_t time_every = 0; // the kernel program times one answer in this many; 0: none
    std::string metrics;          // the endpoint of MetricsServer; empty: none
    std::string user;             // the user that the server becomes, if any
    std::string config_file;      // SIGHUP reads it anew; empty: none
    std::string faults_text;      // the faults as text, to compare them

    bool operator==(const ServerSetup &) const = default;
};

// Options that may change.
struct ServerContent {
    std::string zones_text;       // as messages show them
    answer_zones zones{};         // all but the addresses of "ns"
    std::uint32_t rate_limit = 0; // answers per second to one network; 0 for no limit
};

struct ServerOptions {
    ServerSetup setup;
    ServerContent content;
    FaultOptions faults; // of answers by UDP; these do not change either
};

} // namespace dnsgauge
