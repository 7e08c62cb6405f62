// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations that start a distribution's resolvers as DNS64 servers (RFC 6147) that ask an
// authoritative server, such as FakeDNS, for one zone.
//
// The configurations are minimal, as zones/server_config.h explains. They switch DNSSEC validation
// off, because the zone is not signed.
#pragma once

#include "userland/zone_name.h"
#include "wire/pref64.h"
#include "zones/server_directory.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

enum class Dns64Kind { unbound, bind9, pdns_recursor };

struct Dns64Spec : ServerPlace {
    Dns64Kind kind = Dns64Kind::unbound;
    ZoneName zone;
    std::vector<IpAddress> authoritative; // at least one: the servers that have the zone
    std::uint16_t authoritative_port = 53;
    pref64 prefix{}; // of synthesized addresses; a /96 for pdns_recursor
};

// Writes the server's directory spec.directory (zones/server_directory.h). Throws SetupError.
void write_dns64_server(Dns64Spec spec);

} // namespace dnsgauge
