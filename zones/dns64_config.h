// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations that start a distribution's resolvers as DNS64 servers (RFC 6147) that ask an
// authoritative server, such as FakeDNS, for one zone.
//
// They are minimal, as those of zones/server_config.h are and for the same reason; and there is no
// DNSSEC validation, as the zone is not signed.
#pragma once

#include "common/zone_name.h"
#include "wire/pref64.h"
#include "zones/host_address.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class Dns64Kind { unbound, bind9, pdns_recursor };

struct Dns64Spec {
    Dns64Kind kind = Dns64Kind::unbound;
    std::filesystem::path directory;
    std::vector<HostAddress> listen; // at least one
    std::uint16_t port = 53;
    ZoneName zone;
    std::vector<HostAddress> authoritative; // at least one: who is asked for the zone
    std::uint16_t authoritative_port = 53;
    pref64 prefix{};                 // of what is synthesized; /96 of pdns_recursor
    std::optional<unsigned> threads; // absent: its own default
    std::string user;                // to run as; empty: whoever starts it
};

// Makes spec.directory one that the server is started from (zones/server_directory.h). Throws
// SetupError.
void write_dns64_server(const Dns64Spec &spec);

} // namespace dnsgauge
