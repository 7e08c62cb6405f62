// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The name servers of zones.
#include "internet/world.h"

#include "internet/names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dnsgauge
{

namespace
{

// The top-level domains of hosters' and CDNs' zones, in turn.
constexpr std::array<std::string_view, 4> top_levels{"net", "com", "org", "info"};

constexpr std::string_view hoster_label = "dns-";
constexpr std::string_view cdn_label = "cdn-";

NameOctets top_level(std::uint32_t number, std::array<std::uint8_t, 8> &room)
{
    const std::string_view label = top_levels[number % top_levels.size()];
    room[0] = static_cast<std::uint8_t>(label.size());
    std::ranges::copy(label, room.begin() + 1);
    room[label.size() + 1] = 0;
    return {room.data(), label.size() + 2};
}

std::array<char, 3> server_label(unsigned number)
{
    return {'n', 's', static_cast<char>('1' + number)};
}

// Returns the number in "dns-017", a label below a top-level domain; nothing unless it is below the
// number of zones.
std::optional<std::uint32_t> number_of_zone(std::string_view label, std::string_view begin,
                                            std::string_view parent, std::uint32_t zones)
{
    if (label.size() != begin.size() + 3 || !label.starts_with(begin))
        return {};
    std::uint32_t number = 0;
    for (const char digit : label.substr(begin.size())) {
        if (digit < '0' || digit > '9')
            return {};
        number = number * 10 + static_cast<std::uint32_t>(digit - '0');
    }
    if (number >= zones || parent != top_levels[number % top_levels.size()])
        return {};
    return number;
}

} // namespace

// "dns-017.net"
WireName World::numbered_zone(std::string_view label, std::uint32_t number) const
{
    std::array<char, 8> text{};
    char *end = std::ranges::copy(label, text.begin()).out;
    *end++ = static_cast<char>('0' + number / 100);
    *end++ = static_cast<char>('0' + number / 10 % 10);
    *end++ = static_cast<char>('0' + number % 10);
    std::array<std::uint8_t, 8> room{};
    return WireName::below({text.data(), static_cast<std::size_t>(end - text.begin())},
                           top_level(number, room));
}

std::optional<WorldZone> World::special_zone(const WireName &name, unsigned depth) const
{
    if (depth != 2)
        return {};
    const std::string_view label = name.label(2);
    const std::string_view parent = name.label(1);
    if (label == "root-servers" && parent == "net")
        return WorldZone{ZoneKind::root_servers, 2};
    if (number_of_zone(label, hoster_label, parent, options_.hosters))
        return WorldZone{ZoneKind::hoster, 2};
    if (number_of_zone(label, cdn_label, parent, options_.cdns))
        return WorldZone{ZoneKind::cdn, 2};
    return {};
}

// Sets the server of a name server whose name is set.
void World::set_server(NameServer &server, ZoneKind kind) const
{
    if (kind == ZoneKind::root || kind == ZoneKind::root_servers) {
        server.server =
            1 + static_cast<ServerNumber>(server.name.label(server.name.depth())[0] - 'a');
        server.has_ipv6 = options_.ipv6.length != 0;
        return;
    }
    const bool is_registrys = kind == ZoneKind::registry;
    const NameKey key =
        is_registrys ? hash_.key_of_whole(server.name.octets()) : hash_.key(server.name.octets());
    const std::uint64_t random = hash_.number(key, use_server);
    // The root's servers come first, then the registries', then all others. The last address of a
    // prefix may be the broadcast address.
    const std::uint32_t first_registry = 1 + name_servers_most;
    if (is_registrys) {
        server.server =
            first_registry + static_cast<ServerNumber>(random % (first_server_ - first_registry));
        server.has_ipv6 = options_.ipv6.length != 0;
    } else {
        server.server =
            first_server_ + static_cast<ServerNumber>(random % (server_count_ - 1 - first_server_));
        server.has_ipv6 = options_.ipv6.length != 0 &&
                          hash_.place(key, use_server_ipv6) < options_.servers_with_ipv6;
    }
}

NameServers World::servers(const WireName &name, const NameFate &fate, unsigned zone) const
{
    while (fate.zones[zone].shares_servers)
        zone--;
    const ZoneKind kind = fate.zones[zone].kind;
    const NameOctets apex = name.ancestor(fate.zones[zone].depth);
    NameServers servers;
    const auto add = [&](std::string_view label, NameOctets parent, ZoneKind of) {
        NameServer &server = servers.all[servers.count++];
        server.name.set(label, parent);
        set_server(server, of);
    };
    const auto add_numbered = [&](unsigned number, NameOctets parent, ZoneKind of) {
        const std::array<char, 3> label = server_label(number);
        add({label.data(), label.size()}, parent, of);
    };
    switch (kind) {
    case ZoneKind::root:
    case ZoneKind::root_servers: {
        static const WireName parent = WireName::parse("root-servers.net");
        for (unsigned i = 0; i < options_.root_servers; i++) {
            const char letter = static_cast<char>('a' + i);
            add({&letter, 1}, parent.octets(), kind);
        }
        break;
    }
    case ZoneKind::registry:
    case ZoneKind::hoster:
    case ZoneKind::cdn:
        for (unsigned i = 0; i < infrastructure_servers; i++)
            add_numbered(i, apex, kind);
        break;
    case ZoneKind::domain: {
        const NameKey key = hash_.key(apex);
        const unsigned count = own_servers(key);
        if (has_own_servers(apex, key)) {
            for (unsigned i = 0; i < count; i++)
                add_numbered(i, apex, kind);
            break;
        }
        const std::uint64_t random = hash_.number(key, use_hoster);
        const WireName hoster =
            numbered_zone(hoster_label, static_cast<std::uint32_t>(random % options_.hosters));
        for (unsigned i = 0; i < count; i++)
            add_numbered(static_cast<unsigned>((random >> 32) + i) % infrastructure_servers,
                         hoster.octets(), ZoneKind::hoster);
        break;
    }
    }
    return servers;
}

bool World::serves(ServerNumber server, const WireName &name, const NameFate &fate,
                   unsigned zone) const
{
    const ZoneKind kind = fate.zones[zone].kind;
    if (kind == ZoneKind::root || kind == ZoneKind::root_servers)
        return server <= options_.root_servers;
    if (is_registry_server(server) != (kind == ZoneKind::registry))
        return false;
    const NameServers all = servers(name, fate, zone);
    return std::ranges::any_of(all.list(),
                               [server](const NameServer &one) { return one.server == server; });
}

// Returns a name such as "c0-0123456789abcdef.cdn-017.net". The digit is the number of CNAME
// records that lead from it to a name with addresses.
WireName World::target_named(unsigned chain, std::uint64_t number, std::uint64_t zone) const
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, 19> label{'c', static_cast<char>('0' + chain), '-'};
    for (unsigned i = 0; i < 16; i++)
        label[3 + i] = digits[number >> 4 * i & 15];
    const WireName parent =
        numbered_zone(cdn_label, static_cast<std::uint32_t>(zone % options_.cdns));
    return WireName::below({label.data(), label.size()}, parent.octets());
}

WireName World::alias_target(const NameKey &key, unsigned chain) const
{
    const std::uint64_t zone = hash_.number(key, use_target_zone);
    // The label "lost" exists in no CDN's zone.
    if (chain == 0 && hash_.place(key, use_dangling) < options_.dangling)
        return WireName::below(
            "lost",
            numbered_zone(cdn_label, static_cast<std::uint32_t>(zone % options_.cdns)).octets());
    return target_named(chain, hash_.number(key, use_target), zone);
}

} // namespace dnsgauge
