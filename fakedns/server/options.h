// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of fakedns without --internet.
#pragma once

#include "base/dns_server.h"
#include "server/loader.h"

#include "wire/answer.h"

#include <string>

namespace dnsgauge
{

// Options that stay as they are while the server runs.
struct ServerSetup : DnsServerSetup {
    std::uint32_t time_every = 0; // the kernel program times one answer in this many; 0 if none
    std::string config_file;      // SIGHUP reads it anew; empty if none
    std::string faults_text;      // the faults as text, to compare them

    bool operator==(const ServerSetup &) const = default;
};

// Options that may change.
struct ServerContent {
    std::string zones_text;       // in the form that messages show
    answer_zones zones{};         // without the addresses of "ns"
    std::uint32_t rate_limit = 0; // answers per second to one network; 0 for no limit
};

struct ServerOptions {
    ServerSetup setup;
    ServerContent content;
    FaultOptions faults; // the faults of answers, which do not change while the server runs
};

} // namespace dnsgauge
