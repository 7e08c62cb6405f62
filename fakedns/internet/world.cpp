// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/world.h"

#include "system/number_text.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns whether the label is "c", a digit, "-" and 16 hexadecimal digits, as alias_target() makes
// it.
bool is_target_label(std::string_view label)
{
    return label.size() == 19 && label[0] == 'c' && is_digit(label[1]) && label[2] == '-' &&
           std::ranges::all_of(label.substr(3),
                               [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

} // namespace

World::World(WorldOptions options, ListedNames listed)
    : options_(std::move(options)), listed_(std::move(listed)), hash_(options_.seed)
{
    const unsigned bits4 = 32 - options_.ipv4.length;
    const unsigned bits6 = options_.ipv6.length == 0 ? bits4 : 128 - options_.ipv6.length;
    server_count_ = 1U << std::min({bits4, bits6, 24U});
    first_server_ = std::min(server_count_ / 16, 4096U);
}

// Returns whether the ancestor of this depth is the name of one of the `servers` name servers
// directly below the apex: ns1, ns2, ...
bool World::is_below(const WireName &name, unsigned depth, unsigned apex, unsigned servers) const
{
    if (depth != apex + 1)
        return false;
    const std::string_view label = name.label(depth);
    return label.size() == 3 && label.starts_with("ns") && label[2] >= '1' &&
           label[2] < static_cast<char>('1' + servers);
}

bool World::has_own_servers(NameOctets apex, const NameKey &key) const
{
    // "ns1" before the longest names is no name.
    return apex.size() + 4 <= DNS_NAME_MAX &&
           hash_.place(key, use_in_bailiwick) < options_.in_bailiwick;
}

unsigned World::own_servers(const NameKey &key) const
{
    return weighted(options_.name_servers, key, use_name_servers);
}

bool World::has_wildcard(NameOctets name) const
{
    return hash_.place(hash_.key(name), use_wildcard) < options_.wildcards;
}

std::uint32_t World::weighted(const WeightedValues &values, const NameKey &key, unsigned use) const
{
    const unsigned place = hash_.place(key, use);
    for (const WeightedValue &value : values)
        if (place < value.end)
            return value.value;
    return values.back().value;
}

NameFate World::fate(const WireName &name) const
{
    NameFate fate;
    fate.zones[0] = {};
    for (unsigned depth = 1; depth <= name.depth() && fate.node != NodeKind::absent; depth++) {
        const WorldZone above = fate.zone();
        if (fate.node == NodeKind::server || fate.node == NodeKind::target ||
            (depth > 1 && name.label(depth - 1) == "*")) {
            set_absent(name, depth, fate);
            break;
        }
        switch (above.kind) {
        case ZoneKind::root:
            if (suffixes_.has(name.ancestor(1), PublicSuffixes::Section::registries) ||
                listed_.find(name.ancestor(1)) != nullptr) {
                fate.zones[fate.zone_count++] = {ZoneKind::registry, 1};
                fate.node = NodeKind::apex;
                fate.is_reverse = name.label(1) == "arpa";
            } else {
                set_absent(name, depth, fate);
            }
            break;
        case ZoneKind::registry:
            walk_registry(name, depth, fate);
            break;
        case ZoneKind::root_servers: {
            const std::string_view label = name.label(depth);
            if (label.size() == 1 && label[0] >= 'a' &&
                label[0] < static_cast<char>('a' + options_.root_servers))
                fate.node = NodeKind::server;
            else
                set_absent(name, depth, fate);
            break;
        }
        case ZoneKind::hoster:
        case ZoneKind::cdn:
            walk_target(name, depth, fate);
            break;
        case ZoneKind::domain:
            walk_domain(name, depth, fate);
            break;
        }
        if (fate.is_wildcard)
            break; // all names below are made from "*", too
        if (fate.node != NodeKind::absent)
            fate.encloser = depth;
    }
    return fate;
}

void World::walk_registry(const WireName &name, unsigned depth, NameFate &fate) const
{
    const unsigned apex = fate.zone().depth;
    const NameOctets here = name.ancestor(depth);
    const bool has_room = fate.zone_count < world_zones_most;
    if (is_below(name, depth, apex, infrastructure_servers)) {
        fate.node = NodeKind::server;
    } else if (suffixes_.has(here, PublicSuffixes::Section::registries)) {
        fate.node = NodeKind::empty;
        if (has_room && hash_.place(hash_.key(here), use_suffix_zone) < options_.suffix_zones) {
            fate.zones[fate.zone_count++] = {ZoneKind::registry, static_cast<std::uint8_t>(depth)};
            fate.node = NodeKind::apex;
        }
    } else if (const auto special = special_zone(name, depth)) {
        fate.zones[fate.zone_count++] = *special;
        fate.node = NodeKind::apex;
    } else if (has_room && (hash_.place(hash_.key(here), use_registered) < options_.registered ||
                            listed_.find(here) != nullptr)) {
        fate.zones[fate.zone_count++] = {ZoneKind::domain, static_cast<std::uint8_t>(depth)};
        fate.node = NodeKind::apex;
    } else {
        set_absent(name, depth, fate);
    }
}

void World::walk_target(const WireName &name, unsigned depth, NameFate &fate) const
{
    const WorldZone zone = fate.zone();
    if (is_below(name, depth, zone.depth, infrastructure_servers))
        fate.node = NodeKind::server;
    else if (zone.kind == ZoneKind::cdn && depth == zone.depth + 1U &&
             is_target_label(name.label(depth)))
        fate.node = name.label(depth)[1] == '0' ? NodeKind::target : NodeKind::alias;
    else
        set_absent(name, depth, fate);
}

void World::walk_domain(const WireName &name, unsigned depth, NameFate &fate) const
{
    const WorldZone zone = fate.zone();
    const NameOctets here = name.ancestor(depth);
    // Looks at the label first, which is quick: most names are not a name server's.
    if (!zone.shares_servers && is_below(name, depth, zone.depth, name_servers_most)) {
        const NameOctets apex = name.ancestor(zone.depth);
        const NameKey key = hash_.key(apex);
        if (has_own_servers(apex, key) && is_below(name, depth, zone.depth, own_servers(key))) {
            fate.node = NodeKind::server;
            return;
        }
    }
    const NameKey key = hash_.key(here);
    unsigned place = hash_.place(key, use_node);
    if (name.label(depth) == "*") {
        // "*" exists if other names are made from it, and then has records.
        if (!has_wildcard(name.ancestor(depth - 1)) || fate.node == NodeKind::alias)
            return set_absent(name, depth, fate);
        fate.node = NodeKind::host;
        return;
    }
    const auto is_among = [&place](unsigned share) {
        if (place < share)
            return true;
        place -= share;
        return false;
    };
    const ListedName *listed = listed_.find(here);
    if (is_among(options_.absent)) {
        if (listed == nullptr)
            return set_absent(name, depth, fate);
        fate.node = NodeKind::empty;
    } else if (is_among(options_.alias)) {
        fate.node = NodeKind::alias;
    } else if (is_among(options_.empty)) {
        fate.node = NodeKind::empty;
    } else if (is_among(options_.subzones) && fate.zone_count < world_zones_most) {
        const bool shares = hash_.place(key, use_shared_servers) < options_.subzones_shared;
        fate.zones[fate.zone_count++] = {ZoneKind::domain, static_cast<std::uint8_t>(depth),
                                         shares};
        fate.node = NodeKind::apex;
    } else {
        fate.node = NodeKind::host;
    }
    if (listed != nullptr && listed->is_listed)
        walk_listed(*listed, fate);
}

// The name is listed: the list has its records.
void World::walk_listed(const ListedName &listed, NameFate &fate) const
{
    if (fate.node == NodeKind::apex)
        return;
    if (listed.find(type_cname) != nullptr)
        fate.node = NodeKind::alias;
    else
        fate.node = listed.types.empty() ? NodeKind::empty : NodeKind::host;
}

// The ancestor of this depth does not exist; the one above it does.
void World::set_absent(const WireName &name, unsigned depth, NameFate &fate) const
{
    const bool can = fate.zone().kind == ZoneKind::domain &&
                     (fate.node == NodeKind::apex || fate.node == NodeKind::host ||
                      fate.node == NodeKind::empty) &&
                     name.label(depth) != "*" && name.label(depth - 1) != "*";
    fate.encloser = depth - 1;
    fate.is_wildcard = can && has_wildcard(name.ancestor(depth - 1));
    fate.node = fate.is_wildcard ? NodeKind::host : NodeKind::absent;
}

std::optional<ServerNumber> World::server_at(std::span<const std::uint8_t> address) const
{
    const bool is_ipv6 = address.size() == 16;
    const IpPrefix &prefix = is_ipv6 ? options_.ipv6 : options_.ipv4;
    if (prefix.length == 0)
        return {};
    const std::size_t low = address.size() - 4;
    if (!std::equal(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(low),
                    prefix.first.bytes.begin()))
        return {};
    const std::uint32_t number = wire_get32(&address[low]) - wire_get32(&prefix.first.bytes[low]);
    if (number == 0 || number >= server_count_)
        return {};
    return number;
}

IpAddress World::address(ServerNumber server, bool is_ipv6) const
{
    IpAddress address = is_ipv6 ? options_.ipv6.first : options_.ipv4.first;
    std::uint8_t *low = &address.bytes[is_ipv6 ? 12 : 0];
    wire_put32(low, wire_get32(low) + server);
    return address;
}

bool World::is_registry_server(ServerNumber server) const
{
    return server < first_server_;
}

ServerCharacter World::character(ServerNumber server) const
{
    if (is_registry_server(server))
        return ServerCharacter::sound;
    unsigned place = fault_position(server);
    for (unsigned i = 1; i < server_characters; i++) {
        if (place < options_.characters[i])
            return static_cast<ServerCharacter>(i);
        place -= options_.characters[i];
    }
    return ServerCharacter::sound;
}

std::uint64_t World::latency_ns(ServerNumber server) const
{
    // The factor is odd, so that servers in a row have all quantiles.
    const unsigned turn = server * 433U % FAULT_QUANTILES;
    const std::uint64_t latency =
        is_registry_server(server) ? options_.registry_latency[turn] : options_.latency[turn];
    return character(server) == ServerCharacter::slow ? latency + options_.slow_latency[turn]
                                                      : latency;
}

bool World::loses(ServerNumber server, const WireName &name, std::uint16_t id) const
{
    if (options_.loss == 0)
        return false;
    const std::uint64_t question = hash_.key(name.octets()).whole;
    return hash_.mixed(question ^ server, std::uint64_t{id} << 16 | use_loss) % NameHash::places <
           options_.loss;
}

} // namespace dnsgauge
