// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server is told.
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

// What stays as it is while the server runs.
struct ServerSetup {
    std::vector<std::string> interfaces;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp = XdpMode::automatic; // none: sockets alone
    TcpLimits tcp;
    std::uint32_t time_every = 0; // answers of the kernel program; 0: none is timed
    std::string metrics;          // where they are served, see MetricsServer; empty: nowhere
    std::string user;             // who the server becomes; empty: it stays who it is
    std::string config_file;      // that can be read anew; empty: none
    std::string faults_text;      // what the faults are, to be told from others

    bool operator==(const ServerSetup &) const = default;
};

// What may change.
struct ServerContent {
    std::string zones_text;       // as they are shown
    answer_zones zones{};         // all but the addresses of "ns"
    std::uint32_t rate_limit = 0; // answers per second to one network; 0: as many as are asked for
};

struct ServerOptions {
    ServerSetup setup;
    ServerContent content;
    FaultOptions faults; // of answers by UDP: they stay as they are, too
};

} // namespace dnsgauge
