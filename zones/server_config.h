// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations that start a distribution's DNS servers on one zone of the test namespace, or on
// the zones of a data set.
//
// The configurations are minimal. They set what a server needs to run from one directory on given
// addresses, and leave everything else at the server's own default, because a benchmark measures
// the server as packaged (Lencse 2020 section III.C). There is one exception: rate limits of
// answers are off, because otherwise a benchmark would measure the limit instead of the server.
#pragma once

#include "zones/dataset_directory.h"
#include "zones/server_directory.h"

#include <string>
#include <vector>

namespace dnsgauge
{

enum class ServerKind { bind9, nsd, knot, yadifa, pdns };

struct ServerSpec : ServerPlace {
    ServerKind kind = ServerKind::knot;
    // Only for knot, which answers UDP there by AF_XDP; empty if not wanted.
    std::string xdp_interface;
};

// Writes the server's directory spec.directory (zones/server_directory.h). Throws SetupError.
void write_server(ServerSpec spec, const ZoneSpec &zone);
// Writes the same for at least one zone whose file exists already.
void write_server(ServerSpec spec, const std::vector<ServedZone> &zones);

} // namespace dnsgauge
