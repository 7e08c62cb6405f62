// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/prediction.h"

#include "internet/world_options.h"

#include "dns/name_text.h"
#include "dns/query_type.h"
#include "system/words.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr unsigned aliases_most = 16; // more than any chain has

constexpr auto nodes = words<NodeKind>({{NodeKind::absent, "absent"},
                                        {NodeKind::apex, "apex"},
                                        {NodeKind::host, "host"},
                                        {NodeKind::alias, "alias"},
                                        {NodeKind::empty, "empty"},
                                        {NodeKind::server, "server"},
                                        {NodeKind::target, "target"}});

// Returns the strings of a TXT record, in quotation marks.
std::string strings_text(std::span<const std::uint8_t> octets)
{
    std::string text;
    for (std::size_t at = 0; at < octets.size(); at += 1 + std::size_t{octets[at]}) {
        text += text.empty() ? "\"" : " \"";
        text.append(reinterpret_cast<const char *>(&octets[at + 1]), octets[at]);
        text += '"';
    }
    return text;
}

// Returns the data of a record in the form of zone files.
std::string data_text(const RecordData &record)
{
    switch (record.type) {
    case DNS_TYPE_A:
    case DNS_TYPE_AAAA:
        return to_string(IpAddress::of(record.octets));
    case DNS_TYPE_NS:
    case type_cname:
    case type_ptr:
        return name_text(record.name->octets());
    case type_mx:
        return fmt::format("{} {}", wire_get16(record.octets.data()),
                           name_text(record.name->octets()));
    case type_txt:
        return strings_text(record.octets);
    default:
        break;
    }
    // RFC 3597 section 5.
    std::string text = fmt::format("\\# {} ", record.octets.size());
    for (const std::uint8_t octet : record.octets)
        text += fmt::format("{:02x}", octet);
    return text;
}

// Whether a resolver reaches a zone. A slow server may be reached or not.
enum class Reach : std::uint8_t { no, maybe, yes };

Reach reach_of(ServerCharacter character)
{
    // In the order of ServerCharacter.
    static constexpr std::array<Reach, server_characters> all{Reach::yes, Reach::no,  Reach::no,
                                                              Reach::no,  Reach::no,  Reach::maybe,
                                                              Reach::yes, Reach::yes, Reach::maybe};
    return all[static_cast<std::size_t>(character)];
}

Json servers_json(const World &world, const NameServers &servers)
{
    Json all = Json::array();
    for (const NameServer &server : servers.list()) {
        Json one{{"name", name_text(server.name.octets())},
                 {"ipv4", to_string(world.address(server.server, false))}};
        if (server.has_ipv6)
            one["ipv6"] = to_string(world.address(server.server, true));
        one["character"] = to_string(world.character(server.server));
        one["latency_ms"] = static_cast<double>(world.latency_ns(server.server)) / 1e6;
        all.push_back(std::move(one));
    }
    return all;
}

// Returns whether a resolver reaches the zone of a name. It must reach every zone on the way, and
// the zones of the name servers' own names.
Reach reach_of(const World &world, const WireName &name, const NameFate &fate)
{
    Reach all = Reach::yes;
    for (unsigned zone = 0; zone < fate.zone_count; zone++) {
        const NameServers servers = world.servers(name, fate, zone);
        Reach best = Reach::no;
        for (const NameServer &server : servers.list())
            best = std::max(best, reach_of(world.character(server.server)));
        const WireName &first = servers.list().front().name;
        const NameFate of_server = world.fate(first);
        if (of_server.zone().kind == ZoneKind::hoster && fate.zones[zone].kind == ZoneKind::domain)
            best = std::min(best, reach_of(world, first, of_server));
        all = std::min(all, best);
    }
    return all;
}

constexpr auto reaches =
    words<Reach>({{Reach::no, "no"}, {Reach::maybe, "maybe"}, {Reach::yes, "yes"}});

} // namespace

std::string prediction_line(const World &world, const WireName &name, std::uint16_t type)
{
    Json records = Json::array();
    Json zones = Json::array();
    const auto add_zones = [&](const WireName &of, const NameFate &its) {
        for (unsigned zone = 1; zone < its.zone_count; zone++) {
            Json one{{"zone", name_text(of.ancestor(its.zones[zone].depth))},
                     {"servers", servers_json(world, world.servers(of, its, zone))}};
            if (std::ranges::find(zones, one) == zones.end())
                zones.push_back(std::move(one));
        }
    };
    WireName owner = name;
    const NameFate first = world.fate(name);
    NameFate fate = first;
    Reach reach = reach_of(world, owner, fate);
    add_zones(owner, fate);
    unsigned found = 0;
    for (unsigned i = 0; i < aliases_most; i++) {
        WireName alias; // the target of the last CNAME record
        found = world.records(owner, fate, type, [&](const RecordData &record) {
            records.push_back({{"name", name_text(owner.octets())},
                               {"type", query_type_text(record.type)},
                               {"ttl", record.ttl},
                               {"data", data_text(record)}});
            if (record.type == type_cname)
                alias = *record.name;
        });
        if (fate.node != NodeKind::alias || type == type_cname)
            break;
        owner = alias;
        fate = world.fate(owner);
        reach = std::min(reach, reach_of(world, owner, fate));
        add_zones(owner, fate);
    }
    Json line{{"name", name_text(name.octets())},
              {"type", query_type_text(type)},
              {"node", nodes.text_of(first.node)},
              {"wildcard", first.is_wildcard},
              {"reachable", reaches.text_of(reach)},
              {"rcode", fate.node == NodeKind::absent ? "NXDOMAIN" : "NOERROR"},
              {"records", std::move(records)}};
    if (found == 0) {
        // A DS record belongs to the zone above.
        const bool is_above = type == type_ds && fate.node == NodeKind::apex && fate.zone_count > 1;
        const WorldZone &zone = fate.zones[fate.zone_count - (is_above ? 2 : 1)];
        line["soa"] = name_text(owner.ancestor(zone.depth));
        line["negative_ttl"] = world.options().negative_ttl;
    }
    line["zones"] = std::move(zones);
    return line.dump();
}

std::string root_hints(const World &world)
{
    const WireName root;
    const NameServers servers = world.servers(root, world.fate(root), 0);
    std::string text;
    for (const NameServer &server : servers.list()) {
        const std::string name = name_text(server.name.octets());
        text += fmt::format(". 3600000 IN NS {0}\n{0} 3600000 IN A {1}\n", name,
                            to_string(world.address(server.server, false)));
        if (server.has_ipv6)
            text += fmt::format("{} 3600000 IN AAAA {}\n", name,
                                to_string(world.address(server.server, true)));
    }
    return text;
}

} // namespace dnsgauge
