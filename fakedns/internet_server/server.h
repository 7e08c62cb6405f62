// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Serves a whole Internet (fakedns/internet) from one process: the address that a query was sent to
// tells which server is asked. AF_XDP takes queries over UDP if it can, and sockets take all
// others.
#pragma once

#include "base/dns_server.h"
#include "internet/world_options.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

// What --internet asks for.
struct InternetCommand {
    DnsServerSetup setup;
    std::uint32_t rate_limit = 0; // whole UDP answers per second to one network; 0 for no limit
    std::uint32_t epoch = 0; // seconds that the clock shows at the start; 0: TTLs do not count down
    WorldOptions world;
    std::string names;                // the file of names that exist; empty if none
    std::vector<std::string> predict; // names, and serve nothing
    bool prints_hints = false;        // and serves nothing
};

// The main function of fakedns --internet. Serves as DnsServer::run() does, or prints what the
// command asks for. Throws SetupError before the line that says that the server is ready.
void internet_main(const InternetCommand &command);

} // namespace dnsgauge
