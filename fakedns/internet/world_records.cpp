// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The records of names.
#include "internet/world.h"

#include "internet/names.h"

#include "wire/answer.h"

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

// Octets of a TXT record's data, including the lengths of strings.
constexpr std::size_t text_most = 4096;

// "h2", "h3": SvcPriority 1, the owner's own name, alpn (RFC 9460 section 2.2).
constexpr std::array<std::uint8_t, 13> https_data{0, 1, 0, 0, 1, 0, 6, 2, 'h', '2', 2, 'h', '3'};

// "0 issue "ca.example"" (RFC 8659 section 4.1).
constexpr std::array<std::uint8_t, 17> caa_data{0,   5,   'i', 's', 's', 'u', 'e', 'c', 'a',
                                                '.', 'e', 'x', 'a', 'm', 'p', 'l', 'e'};

constexpr std::array<std::uint8_t, 2> mx_preference{0, 10};

// Returns whether the type's data have no defined form. The IANA has assigned no type above 1023
// but TA and DLV, and reserves the last.
bool has_no_form(std::uint16_t type)
{
    constexpr std::uint16_t type_ta = 32768;
    constexpr std::uint16_t type_dlv = 32769;
    return type > 1023 && type != type_ta && type != type_dlv && type != 0xffff;
}

} // namespace

// Returns the entry of the name if the name itself is listed, and if lists apply in its zone;
// otherwise null.
const ListedName *World::listed(const WireName &name, const NameFate &fate) const
{
    const ListedName *listed = fate.is_wildcard || fate.zone().kind != ZoneKind::domain
                                   ? nullptr
                                   : listed_.find(name.octets());
    return listed == nullptr || !listed->is_listed ? nullptr : listed;
}

bool World::has_type(const NameKey &key, const NameFate &fate, std::uint16_t type) const
{
    if (fate.node == NodeKind::target)
        return type == DNS_TYPE_A || (type == DNS_TYPE_AAAA && hash_.place(key, use_type + type) <
                                                                   options_.servers_with_ipv6);
    if (fate.node == NodeKind::apex && fate.zone().kind != ZoneKind::domain)
        return false;
    if (fate.is_reverse)
        return type == type_ptr && fate.node == NodeKind::host;
    const auto &all = fate.node == NodeKind::apex ? options_.apex_types : options_.types;
    const auto odds = std::ranges::find(all, type, &TypeOdds::type);
    return odds != all.end() && hash_.place(key, use_type + type) < odds->share;
}

unsigned World::records(const WireName &name, const NameFate &fate, std::uint16_t type,
                        const RecordSink &sink) const
{
    const WireName owner =
        fate.is_wildcard ? WireName::below("*", name.ancestor(fate.encloser)) : name;
    const NameKey key = hash_.key(owner.octets());
    RecordData record{.type = type, .ttl = weighted(options_.ttl, key, use_ttl)};
    const ListedName *list = listed(name, fate);
    if (list != nullptr)
        if (const ListedType *entry = list->find(fate.node == NodeKind::alias ? type_cname : type))
            record.ttl = entry->ttl;
    const auto has = [&] {
        return list == nullptr ? has_type(key, fate, type) : list->find(type) != nullptr;
    };
    switch (fate.node) {
    case NodeKind::absent:
    case NodeKind::empty:
        return 0;
    case NodeKind::alias: {
        // The digit in a chain's name tells how many names follow.
        const bool is_in_chain = fate.zone().kind == ZoneKind::cdn;
        const unsigned behind =
            is_in_chain
                ? static_cast<unsigned>(name.label(name.depth())[1] - '1')
                : static_cast<unsigned>(hash_.number(key, use_chain) % options_.alias_chain);
        const WireName target = alias_target(key, behind);
        record.type = type_cname;
        record.name = &target;
        sink(record);
        return 1;
    }
    case NodeKind::server: {
        const ZoneKind kind = fate.zone().kind;
        NameServer server{.name = name};
        set_server(server, kind);
        unsigned count = 0;
        const auto put = [&](const RecordData &data) {
            if (data.type != type)
                return;
            sink(data);
            count++;
        };
        addresses(server, std::ref(put));
        return count;
    }
    case NodeKind::apex:
        if (type == DNS_TYPE_SOA) {
            soa(name, fate, fate.zone_count - 1, sink);
            return 1;
        }
        if (type == DNS_TYPE_NS) {
            const NameServers all = servers(name, fate, fate.zone_count - 1);
            name_servers(all, sink);
            return all.count;
        }
        return has() ? put_data(key, record, sink) : 0;
    case NodeKind::host:
    case NodeKind::target:
        return has() ? put_data(key, record, sink) : 0;
    }
    return 0;
}

void World::name_servers(const NameServers &all, const RecordSink &sink) const
{
    for (const NameServer &server : all.list())
        sink({.type = DNS_TYPE_NS,
              .ttl = options_.delegation_ttl,
              .octets = {},
              .name = &server.name});
}

void World::addresses(const NameServer &server, const RecordSink &sink) const
{
    const IpAddress ipv4 = address(server.server, false);
    sink({.type = DNS_TYPE_A,
          .ttl = options_.delegation_ttl,
          .octets = std::span(ipv4.bytes).first(4)});
    if (!server.has_ipv6)
        return;
    const IpAddress ipv6 = address(server.server, true);
    sink({.type = DNS_TYPE_AAAA, .ttl = options_.delegation_ttl, .octets = ipv6.bytes});
}

unsigned World::put_data(const NameKey &key, RecordData record, const RecordSink &sink) const
{
    switch (record.type) {
    case DNS_TYPE_A:
    case DNS_TYPE_AAAA:
        return put_address(key, record, sink);
    case type_ptr:
    case type_mx: {
        // The name in the record exists.
        const NameKey exchange{.whole = hash_.number(key, use_exchange), .stem = key.stem};
        const std::uint64_t zone_key = hash_.number(exchange, use_target_zone);
        const WireName target = target_named(0, hash_.number(exchange, use_target), zone_key);
        if (record.type == type_mx)
            record.octets = mx_preference;
        record.name = &target;
        sink(record);
        return 1;
    }
    case type_txt:
        return put_text(key, record, sink);
    case type_https:
        record.octets = https_data;
        sink(record);
        return 1;
    case type_caa:
        record.octets = caa_data;
        sink(record);
        return 1;
    default:
        return has_no_form(record.type) ? put_opaque(key, record, sink) : 0;
    }
}

// Takes IPv4 addresses from 100.64.0.0/10 and IPv6 addresses from 2001:db8::/32, which nobody has.
unsigned World::put_address(const NameKey &key, RecordData &record, const RecordSink &sink) const
{
    const std::uint32_t count = weighted(options_.addresses, key, use_addresses);
    const std::uint64_t random = hash_.number(key, use_address);
    std::array<std::uint8_t, 16> address{0x20, 0x01, 0x0d, 0xb8};
    for (std::uint32_t i = 0; i < count; i++) {
        if (record.type == DNS_TYPE_A) {
            wire_put32(address.data(),
                       0x64400000U | ((static_cast<std::uint32_t>(random) + i) & 0x3fffff));
            record.octets = std::span(address).first(4);
        } else {
            wire_put64(&address[8], random + i);
            record.octets = address;
        }
        sink(record);
    }
    return count;
}

// Hexadecimal digits of random numbers, in strings of at most 255.
unsigned World::put_text(const NameKey &key, RecordData &record, const RecordSink &sink) const
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<std::uint8_t, text_most> data; // no octet is read before it is written
    std::size_t size = 0;
    std::uint64_t random = 0;
    std::uint32_t left = weighted(options_.text_octets, key, use_text_octets);
    for (unsigned digit = 0; left != 0;) {
        const std::uint32_t string = std::min(left, 255U);
        data[size++] = static_cast<std::uint8_t>(string);
        for (std::uint32_t i = 0; i < string; i++, digit++) {
            if (digit % 16 == 0)
                random = hash_.mixed(hash_.number(key, use_text), digit);
            data[size++] = static_cast<std::uint8_t>(digits[random >> digit % 16 * 4 & 15]);
        }
        left -= string;
    }
    record.octets = {data.data(), size};
    sink(record);
    return 1;
}

// Puts a record of 16 octets. RFC 3597 allows any data for an unknown type.
unsigned World::put_opaque(const NameKey &key, RecordData &record, const RecordSink &sink) const
{
    std::array<std::uint8_t, 16> data{};
    const std::uint64_t random = hash_.number(key, use_text);
    wire_put64(data.data(), random);
    wire_put64(&data[8], hash_.mixed(random, record.type));
    record.octets = data;
    sink(record);
    return 1;
}

void World::soa(const WireName &name, const NameFate &fate, unsigned zone,
                const RecordSink &sink) const
{
    const NameServers all = servers(name, fate, zone);
    const NameOctets apex = name.ancestor(fate.zones[zone].depth);
    // The data: names, uncompressed, and the numbers after them.
    std::array<std::uint8_t, 2UL * DNS_NAME_MAX + ANSWER_SOA_NUMBERS> data; // written before read
    const NameOctets first = all.list().front().name.octets();
    auto end = std::ranges::copy(first, data.begin()).out;
    constexpr std::string_view mailbox = "hostmaster";
    if (apex.size() + 1 + mailbox.size() <= DNS_NAME_MAX) {
        *end++ = static_cast<std::uint8_t>(mailbox.size());
        end = std::ranges::copy(mailbox, end).out;
    }
    end = std::ranges::copy(apex, end).out;
    std::uint8_t *numbers = &*end;
    const std::array<std::uint32_t, 5> values{ANSWER_SOA_SERIAL, ANSWER_SOA_REFRESH,
                                              ANSWER_SOA_RETRY, ANSWER_SOA_EXPIRE,
                                              options_.negative_ttl};
    for (const std::uint32_t value : values) {
        wire_put32(numbers, value);
        numbers += 4;
    }
    const auto size = static_cast<std::size_t>(numbers - data.data());
    sink({.type = DNS_TYPE_SOA, .ttl = options_.negative_ttl, .octets = {data.data(), size}});
}

} // namespace dnsgauge
