// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations that start a distribution's resolvers as DNS64 servers (RFC 6147) that ask an
// authoritative server, such as FakeDNS, for one zone.
//
// The configurations are minimal, as zones/server_config.h explains. They switch DNSSEC validation
// off, because the zone is not signed.
#pragma once

#include "userland/ip_address.h"
#include "userland/zone_name.h"
#include "wire/pref64.h"

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
    std::vector<IpAddress> listen; // at least one
    std::uint16_t port = 53;
    ZoneName zone;
    std::vector<IpAddress> authoritative; // at least one: the servers that have the zone
    std::uint16_t authoritative_port = 53;
    pref64 prefix{};                 // of synthesized addresses; a /96 for pdns_recursor
    std::optional<unsigned> threads; // by default the server's own number
    std::string user;                // to run as; by default the user who starts the server
};

// Writes the server's directory spec.directory (zones/server_directory.h). Throws SetupError.
void write_dns64_server(const Dns64Spec &spec);

} // namespace dnsgauge
