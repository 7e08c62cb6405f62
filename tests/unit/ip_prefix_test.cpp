// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/ip_prefix.h"

#include "system/setup_error.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;

TEST_CASE("a prefix is read and written in both families")
{
    for (const char *text :
         {"192.0.2.0/24", "0.0.0.0/0", "192.0.2.1/32", "2001:db8::/32", "::/0", "2001:db8::1/128"})
        CHECK(to_string(parse_ip_prefix(text)) == text);
    CHECK(to_string(parse_ip_prefix("192.0.2.1")) == "192.0.2.1/32");
    CHECK(to_string(parse_ip_prefix("2001:db8::1")) == "2001:db8::1/128");
}

TEST_CASE("what is no prefix is refused, and a likely one is named")
{
    CHECK_THROWS_WITH(parse_ip_prefix("192.0.2.1/24"), Contains("write 192.0.2.0/24"));
    CHECK_THROWS_WITH(parse_ip_prefix("2001:db8::1/64"), Contains("write 2001:db8::/64"));
    for (const char *text : {"", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1",
                             "10.0.0.0/8x", "10.0.0.0/8/8", "10/8"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parse_ip_prefix(text), SetupError);
    }
}

TEST_CASE("a prefix contains the addresses that begin with its bits")
{
    const IpPrefix prefix = parse_ip_prefix("10.1.16.0/20");
    CHECK(prefix.contains(parse_ip_address("10.1.16.0")));
    CHECK(prefix.contains(parse_ip_address("10.1.31.255")));
    CHECK_FALSE(prefix.contains(parse_ip_address("10.1.32.0")));
    CHECK_FALSE(prefix.contains(parse_ip_address("10.1.15.255")));
    CHECK_FALSE(prefix.contains(parse_ip_address("::a01:1000")));
    CHECK(parse_ip_prefix("0.0.0.0/0").contains(parse_ip_address("255.0.0.1")));
    CHECK_FALSE(parse_ip_prefix("::/0").contains(parse_ip_address("255.0.0.1")));
    CHECK_FALSE(parse_ip_prefix("2001:db8::2").contains(parse_ip_address("2001:db8::3")));
}

TEST_CASE("a prefix counts its addresses, and has each of them")
{
    CHECK(parse_ip_prefix("10.0.0.0/8").size() == 1U << 24U);
    CHECK(parse_ip_prefix("10.0.0.0").size() == 1);
    CHECK(parse_ip_prefix("2001:db8::/32").size() == std::uint64_t{1} << 63U);
    CHECK(to_string(parse_ip_prefix("10.0.0.0/8").address(0x010203)) == "10.1.2.3");
    CHECK(to_string(parse_ip_prefix("2001:db8::/64").address(0x0102030405060708)) ==
          "2001:db8::102:304:506:708");
}
