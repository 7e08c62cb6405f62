// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/pref64.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <arpa/inet.h>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t address = 0xc0000221; // 192.0.2.33

Ipv6Address ipv6(const char *text)
{
    Ipv6Address bytes{};
    REQUIRE(inet_pton(AF_INET6, text, bytes.data()) == 1);
    return bytes;
}

Ipv6Address embedded(const char *prefix_text, std::uint32_t length, std::uint32_t value)
{
    pref64 prefix{.bytes = {}, .length = length};
    const Ipv6Address prefix_bytes = ipv6(prefix_text);
    std::copy(prefix_bytes.begin(), prefix_bytes.end(), prefix.bytes);
    const ExactBuffer out{Bytes(16, 0xee)};
    pref64_embed(&prefix, value, out.bytes().data());
    Ipv6Address made{};
    std::copy(out.bytes().begin(), out.bytes().end(), made.begin());
    return made;
}

} // namespace

TEST_CASE("the examples of RFC 6052 section 2.4, table 1 come out right")
{
    CHECK(embedded("2001:db8::", 32, address) == ipv6("2001:db8:c000:221::"));
    CHECK(embedded("2001:db8:100::", 40, address) == ipv6("2001:db8:1c0:2:21::"));
    CHECK(embedded("2001:db8:122::", 48, address) == ipv6("2001:db8:122:c000:2:2100::"));
    CHECK(embedded("2001:db8:122:300::", 56, address) == ipv6("2001:db8:122:3c0:0:221::"));
    CHECK(embedded("2001:db8:122:344::", 64, address) == ipv6("2001:db8:122:344:c0:2:2100::"));
    CHECK(embedded("2001:db8:122:344::", 96, address) == ipv6("2001:db8:122:344::192.0.2.33"));
}

TEST_CASE("the example of RFC 6052 section 2.4, table 2 with the well-known prefix comes out right")
{
    CHECK(embedded("64:ff9b::", 96, address) == ipv6("64:ff9b::192.0.2.33"));
}

TEST_CASE("octet 8 stays zero and each bit of the address has its place, for every length")
{
    for (const std::uint32_t length : {32U, 40U, 48U, 56U, 64U, 96U})
        for (std::uint32_t bit = 0; bit < 32; bit++) {
            const Ipv6Address made = embedded("::", length, 0x80000000U >> bit);
            /* RFC 6052 section 2.2: after the prefix, but bits 64 to 71 are stepped over. */
            const std::uint32_t plain = length + bit;
            const std::uint32_t place = plain >= 64 && length <= 64 ? plain + 8 : plain;
            Ipv6Address expected{};
            expected.at(place / 8) = static_cast<std::uint8_t>(0x80 >> place % 8);
            REQUIRE(made == expected);
        }
}

TEST_CASE("only the six lengths of RFC 6052 are lengths")
{
    int lengths = 0;
    for (std::uint32_t length = 0; length <= 256; length++)
        lengths += pref64_length_ok(length) ? 1 : 0;
    CHECK(lengths == 6);
    for (const std::uint32_t length : {32U, 40U, 48U, 56U, 64U, 96U})
        CHECK(pref64_length_ok(length));
}
