// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configurations with every field set, and the addresses the test frames use: RFC 5737 and 3849.
#pragma once

#include "fakedns_abi.h"
#include "host/pref64_text.h"
#include "host/zone_name.h"
#include "reply_clock_abi.h"

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

// Pref64 2001:db8:64::/96; 60 % of the names own an AAAA record; TTL 3600, negative TTL 300.
inline fakedns_config fakedns_test_config(std::string_view zone = "dns64perf.test")
{
    const ZoneName name = parse_zone_name(zone);
    fakedns_config config{};
    std::ranges::copy(name.wire, config.zone.name);
    config.zone.name_length = name.length;
    config.zone.aaaa_share = 60;
    config.zone.ttl = 3600;
    config.zone.negative_ttl = 300;
    config.zone.aaaa_prefix = parse_pref64("2001:db8:64::/96");
    std::ranges::copy_n(server_ipv4.begin(), 4, config.zone.server_ipv4);
    std::ranges::copy(server_ipv6, config.zone.server_ipv6);
    config.port = 53;
    return config;
}

// AAAA queries, answered from 2001:db8:64::/96, 30 s in time: one sender with 8 ports from 10000
// and 1,024 slots.
inline reply_clock_config reply_clock_test_config(bool is_ipv6,
                                                  std::string_view zone = "dns64perf.test")
{
    const ZoneName name = parse_zone_name(zone);
    reply_clock_config config{};
    std::ranges::copy(name.wire, config.rule.zone);
    config.rule.zone_length = name.length;
    config.rule.type = DNS_TYPE_AAAA;
    config.rule.prefix = parse_pref64("2001:db8:64::/96");
    config.timeout_ns = 30'000'000'000;
    std::ranges::copy(is_ipv6 ? server_ipv6 : server_ipv4, config.server_address);
    std::ranges::copy(is_ipv6 ? tester_ipv6 : tester_ipv4, config.tester_address);
    config.server_port = 53;
    config.first_port = 10000;
    config.ports = 8;
    config.senders = 1;
    config.slot_bits = 10;
    config.id_mask = 0x5aa5;
    config.is_ipv6 = is_ipv6;
    return config;
}

} // namespace dnsgauge::testing
