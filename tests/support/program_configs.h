// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations with every field set, and the addresses of test frames (RFC 5737, RFC 3849).
#pragma once

#include "dns/pref64_text.h"
#include "dns/zone_name.h"
#include "fakedns_abi.h"
#include "reply_clock_abi.h"
#include "support/some_scatter_key.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dnsgauge::testing
{

constexpr std::array<__u8, 16> server_ipv4{192, 0, 2, 53};
constexpr std::array<__u8, 16> tester_ipv4{192, 0, 2, 1};
constexpr std::array<__u8, 16> server_ipv6{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0,
                                           0,    0,    0,    0,    0, 0, 0, 0x53};
constexpr std::array<__u8, 16> tester_ipv6{0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0,
                                           0,    0,    0,    0,    0, 0, 0, 0x01};

// Returns a zone with Pref64 2001:db8:64::/96, an AAAA record for 60 % of the names, TTL 3600,
// negative TTL 300.
inline answer_zone test_answer_zone(std::string_view text)
{
    const ZoneName name = parse_zone_name(text);
    answer_zone zone{};
    std::ranges::copy(name.wire, zone.name);
    zone.name_length = name.length;
    zone.aaaa_share = 60;
    zone.ttl = 3600;
    zone.negative_ttl = 300;
    zone.aaaa_prefix = parse_pref64("2001:db8:64::/96");
    std::ranges::copy_n(server_ipv4.begin(), 4, zone.server_ipv4);
    std::ranges::copy(server_ipv6, zone.server_ipv6);
    return zone;
}

inline fakedns_config fakedns_test_config(std::string_view zone = "dns64perf.test")
{
    fakedns_config config{};
    config.zones.zone[0] = test_answer_zone(zone);
    config.zones.count = 1;
    config.port = 53;
    return config;
}

// Returns eight zones; every second zone has a share, a prefix and TTLs of its own.
inline fakedns_config fakedns_many_zones_config()
{
    static constexpr std::array<std::string_view, ANSWER_ZONES_MAX> names{
        "dns64perf.test",
        "t",
        "a-rather-long-label-of-a-zone.another-long-label-of-it.testin",
        "dns64perf.example",
        "xdns64perf.test",
        "a.b.c.d.e.f.g.h",
        "b.b.c.d.e.f.g.h",
        "zones.invalid"};
    fakedns_config config = fakedns_test_config();
    for (unsigned i = 0; i < ANSWER_ZONES_MAX; i++) {
        answer_zone &zone = config.zones.zone[i] = test_answer_zone(names[i]);
        if (i % 2 == 0)
            continue;
        zone.aaaa_share = 10 * i;
        zone.aaaa_prefix = parse_pref64("2001:db8:122::/48");
        zone.ttl = 100 + i;
        zone.negative_ttl = i;
    }
    config.zones.count = ANSWER_ZONES_MAX;
    return config;
}

// Returns a key that is not trivial.
inline question_key test_question_key()
{
    question_key key{};
    __u64 state = 0x9e3779b97f4a7c15;
    for (__u64 &word : key.name)
        word = state = state * 6364136223846793005 + 1442695040888963407;
    key.tail = state = state * 6364136223846793005 + 1442695040888963407;
    key.client = state = state * 6364136223846793005 + 1442695040888963407;
    key.port = state * 6364136223846793005 + 1442695040888963407;
    return key;
}

// Returns the number among the sender's ports, and the transaction ID, of a sender's query.
inline scatter_pair sent_identity(const reply_clock_config &config, std::uint32_t number,
                                  std::uint32_t sender = 0)
{
    return scatter({number % config.ports, number / config.ports}, &config.identities,
                   identity_space_of(config.ports, 0), sender);
}

// Returns the transaction ID of the first sender's first query, which left from its client's port.
inline std::uint16_t first_id(const reply_clock_config &config, std::uint16_t client_port)
{
    const scatter_space space = identity_space_of(config.ports, config.id_bits);
    const scatter_pair sent = scatter({0, 0}, &config.identities, space, client_port);
    return static_cast<std::uint16_t>(sent.high * space.lows + sent.low);
}

// Returns the number of the first sender's query that had this port, which the config numbers, and
// this transaction ID.
inline std::uint32_t identity_number(const reply_clock_config &config, std::uint32_t port,
                                     std::uint32_t id)
{
    const scatter_pair found =
        gather({port, id}, &config.identities, identity_space_of(config.ports, 0), 0);
    return found.high * config.ports + found.low;
}

// Returns a configuration for AAAA queries with answers in 2001:db8:64::/96, a timeout of 30 s, and
// one sender with 8 ports from 10000 and 1,024 slots.
inline reply_clock_config reply_clock_test_config(bool is_ipv6,
                                                  std::string_view zone = "dns64perf.test")
{
    const ZoneName name = parse_zone_name(zone);
    reply_clock_config config{};
    std::ranges::copy(name.wire, config.rule.zone);
    config.rule.zone_length = name.length;
    config.rule.type = DNS_TYPE_AAAA;
    config.rule.prefix = parse_pref64("2001:db8:64::/96");
    config.rule.wants_aa = 1;
    config.timeout_ns = 30'000'000'000;
    std::ranges::copy(is_ipv6 ? server_ipv6 : server_ipv4, config.server_address);
    std::ranges::copy(is_ipv6 ? tester_ipv6 : tester_ipv4, config.tester_address);
    config.server_port = 53;
    config.first_port = 10000;
    config.ports = 8;
    config.senders = 1;
    config.slot_bits = 10;
    config.is_ipv6 = is_ipv6;
    config.questions = test_question_key();
    config.identities = some_scatter_key();
    return config;
}

} // namespace dnsgauge::testing
