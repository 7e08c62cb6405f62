// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An Internet as functions: the fate of every name, the servers of every zone, the records of every
// name. All follow only from the options with their seed, and from the list of public suffixes.
#pragma once

#include "internet/names.h"
#include "internet/world_options.h"

#include "dns/ip_address.h"
#include "dns/public_suffixes.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace dnsgauge
{

enum class ZoneKind : std::uint8_t {
    root,
    root_servers, // root-servers.net
    registry,     // a public suffix
    hoster,       // name servers for others' zones
    cdn,          // what aliases lead to
    domain,       // all else
};

struct WorldZone {
    ZoneKind kind = ZoneKind::root;
    std::uint8_t depth = 0;      // of its apex
    bool shares_servers = false; // with the zone above
};

enum class NodeKind : std::uint8_t {
    absent,
    apex,   // of the last zone
    host,   // has records
    alias,  // has a CNAME record
    empty,  // has no records: names below it have
    server, // a name server's name: has addresses
    target, // what aliases lead to: has addresses
};

constexpr unsigned world_zones_most = 8;

// What a name is.
struct NameFate {
    std::array<WorldZone, world_zones_most> zones; // from the root down to the name's zone
    unsigned zone_count = 1;
    NodeKind node = NodeKind::apex;
    unsigned encloser = 0;    // the depth of the longest ancestor that exists
    bool is_wildcard = false; // it has the records of "*" below the encloser
    bool is_reverse = false;  // the name lies below "arpa"

    [[nodiscard]] const WorldZone &zone() const { return zones[zone_count - 1]; }
};

constexpr unsigned name_servers_most = 13;
constexpr unsigned infrastructure_servers = 4; // of each registry, hoster and CDN

// A server is a number: in each family's prefix it has the address of that number.
using ServerNumber = std::uint32_t;

struct NameServer {
    WireName name;
    ServerNumber server = 0;
    bool has_ipv6 = false;
};

struct NameServers {
    std::array<NameServer, name_servers_most> all;
    unsigned count = 0;

    [[nodiscard]] std::span<const NameServer> list() const { return {all.data(), count}; }
};

// The data of a record: octets, followed by a name if there is one.
struct RecordData {
    std::uint16_t type = 0;
    std::uint32_t ttl = 0;
    std::span<const std::uint8_t> octets;
    const WireName *name = nullptr; // none
};

// Gets records one by one. What a record points to is valid until the call returns.
using RecordSink = std::function<void(const RecordData &record)>;

class World
{
public:
    // Throws SetupError if there is no list of public suffixes.
    explicit World(WorldOptions options, ListedNames listed = {});

    [[nodiscard]] const WorldOptions &options() const { return options_; }

    [[nodiscard]] NameFate fate(const WireName &name) const;

    // Returns the name servers of the zone fate.zones[zone] of `name`.
    [[nodiscard]] NameServers servers(const WireName &name, const NameFate &fate,
                                      unsigned zone) const;

    // Returns whether `server` is one of these name servers.
    [[nodiscard]] bool serves(ServerNumber server, const WireName &name, const NameFate &fate,
                              unsigned zone) const;

    // Gives a name's records of `type` to `sink` if its node is apex, host, server or target. Gives
    // an alias' CNAME record for any type. Returns the number of records.
    unsigned records(const WireName &name, const NameFate &fate, std::uint16_t type,
                     const RecordSink &sink) const;

    // Gives the SOA record of zone `zone` to `sink`.
    void soa(const WireName &name, const NameFate &fate, unsigned zone,
             const RecordSink &sink) const;

    // Gives the NS records of name servers to `sink`.
    void name_servers(const NameServers &all, const RecordSink &sink) const;

    // Gives the records of a name server's addresses to `sink`.
    void addresses(const NameServer &server, const RecordSink &sink) const;

    // Returns one more than the highest number of a server; numbers begin at 1.
    [[nodiscard]] std::uint32_t server_count() const { return server_count_; }
    [[nodiscard]] IpAddress address(ServerNumber server, bool is_ipv6) const;
    // Returns the server with this address (in network byte order), or nothing if there is none.
    [[nodiscard]] std::optional<ServerNumber>
    server_at(std::span<const std::uint8_t> address) const;

    // Returns whether the server is the root's or a public suffix's.
    [[nodiscard]] bool is_registry_server(ServerNumber server) const;
    [[nodiscard]] ServerCharacter character(ServerNumber server) const;
    [[nodiscard]] std::uint64_t latency_ns(ServerNumber server) const;

    // Returns whether the query with this ID is lost on its way to the server.
    [[nodiscard]] bool loses(ServerNumber server, const WireName &name, std::uint16_t id) const;

private:
    void walk_registry(const WireName &name, unsigned depth, NameFate &fate) const;
    void walk_domain(const WireName &name, unsigned depth, NameFate &fate) const;
    void walk_target(const WireName &name, unsigned depth, NameFate &fate) const;
    void walk_listed(const ListedName &listed, NameFate &fate) const;
    void set_absent(const WireName &name, unsigned depth, NameFate &fate) const;
    [[nodiscard]] bool is_below(const WireName &name, unsigned depth, unsigned apex,
                                unsigned servers) const;
    [[nodiscard]] std::optional<WorldZone> special_zone(const WireName &name, unsigned depth) const;
    [[nodiscard]] bool has_own_servers(NameOctets apex, const NameKey &key) const;
    [[nodiscard]] unsigned own_servers(const NameKey &key) const;
    [[nodiscard]] bool has_wildcard(NameOctets name) const;

    void set_server(NameServer &server, ZoneKind kind) const;
    [[nodiscard]] WireName numbered_zone(std::string_view label, std::uint32_t number) const;
    [[nodiscard]] WireName target_named(unsigned chain, std::uint64_t number,
                                        std::uint64_t zone) const;
    [[nodiscard]] WireName alias_target(const NameKey &key, unsigned chain) const;
    [[nodiscard]] std::uint32_t weighted(const WeightedValues &values, const NameKey &key,
                                         unsigned use) const;

    unsigned put_address(const NameKey &key, RecordData &record, const RecordSink &sink) const;
    unsigned put_text(const NameKey &key, RecordData &record, const RecordSink &sink) const;
    unsigned put_opaque(const NameKey &key, RecordData &record, const RecordSink &sink) const;
    unsigned put_data(const NameKey &key, RecordData record, const RecordSink &sink) const;
    [[nodiscard]] const ListedName *listed(const WireName &name, const NameFate &fate) const;
    [[nodiscard]] bool has_type(const NameKey &key, const NameFate &fate, std::uint16_t type) const;

    WorldOptions options_;
    ListedNames listed_;
    PublicSuffixes suffixes_;
    NameHash hash_;
    std::uint32_t server_count_ = 0;
    std::uint32_t first_server_ = 0; // the first server that is not the root's or a registry's
};

} // namespace dnsgauge
