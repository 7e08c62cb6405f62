// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations that start a distribution's resolvers on a private Internet. They have its root
// hints, and nothing that refers to the real Internet.
//
// The configurations are minimal, as zones/server_config.h explains. Six settings differ from the
// servers' defaults, so that all kinds ask the same questions:
// - DNSSEC validation is off unless there is a trust anchor;
// - QNAME minimisation is on, and strict if the server can;
// - letters are scrambled (0x20) if the server can;
// - negative answers are not derived from NSEC records;
// - no zone is answered locally (RFC 6303, RFC 6761), except localhost in PowerDNS Recursor;
// - the server may ask every address.
// A restart empties every cache.
#pragma once

#include "dns/zone_name.h"
#include "wire/pref64.h"
#include "zones/server_directory.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class ResolverKind { unbound, bind9, knot_resolver, pdns_recursor };
enum class Families { both, ipv4, ipv6 };

struct ResolverSpec : ServerPlace {
    ResolverKind kind = ResolverKind::unbound;
    std::filesystem::path hints; // the root servers, in the form of a zone file
    std::string trust_anchor;    // the root's DS data; if empty, the resolver does not validate
    Families families = Families::both; // the IP versions by which it asks and answers
    // Octets; by default the server's own size; not for pdns_recursor.
    std::optional<std::uint64_t> cache_size;
    std::optional<std::uint64_t> cache_entries; // for pdns_recursor, which counts records
};

// Writes the server's directory spec.directory (zones/server_directory.h). Throws SetupError.
void write_resolver(ResolverSpec spec);

enum class Dns64Kind { unbound, bind9, pdns_recursor };

// A resolver that is a DNS64 server (RFC 6147), and asks an authoritative server, such as FakeDNS,
// for one zone. It does not validate, because the zone is not signed.
struct Dns64Spec : ServerPlace {
    Dns64Kind kind = Dns64Kind::unbound;
    ZoneName zone;
    std::vector<IpAddress> authoritative; // at least one: the servers that have the zone
    std::uint16_t authoritative_port = 53;
    pref64 prefix{}; // of synthesized addresses; a /96 for pdns_recursor
};

// Does the same for a DNS64 server.
void write_dns64_server(Dns64Spec spec);

} // namespace dnsgauge
