// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/name_range.h"
#include "dns/pref64_text.h"
#include "dns/zone_name.h"
#include "system/number_text.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/unique_fd.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

using namespace dnsgauge;
using Catch::Contains;

TEST_CASE("a message is one line, whatever it quotes", "[host]")
{
    CHECK(one_line("no file a\nb: \x1b[2J\x7f\t\r") == "no file a b: ?[2J???");
    CHECK(one_line("gr\u00fc\u00df 1 ~") == "gr\u00fc\u00df 1 ~");
    CHECK(std::string(SetupError("a\nb").what()) == "a b");
}

TEST_CASE("a range of names is an IPv4 prefix", "[host]")
{
    CHECK(parse_name_range("10.0.0.0/8") == NameRange{0x0a000000, 1U << 24U});
    CHECK(parse_name_range("198.0.0.0/11") == NameRange{0xc6000000, 2097152});
    CHECK(parse_name_range("0.0.0.0/0") == NameRange{0, std::uint64_t{1} << 32U});
    CHECK(parse_name_range("255.255.255.255/32") == NameRange{0xffffffff, 1});
    for (const char *text : {"10.0.0.0/8", "0.0.0.0/0", "1.2.3.4/32"})
        CHECK(to_string(parse_name_range(text)) == text);
}

TEST_CASE("what is no range of names is refused", "[host]")
{
    for (const char *text :
         {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8",
          "10.0.0.0/8 ", "10/8", "10.0.0.256/8", "::/8", "10.0.0.0/8/8", "10.0.0.0/0x8"}) {
        INFO(text);
        CHECK_THROWS_WITH(parse_name_range(text),
                          Contains("names of your own") && Contains("--queries"));
    }
    CHECK_THROWS_WITH(parse_name_range("10.1.2.3/8"), Contains("10.0.0.0/8?"));
    CHECK_THROWS_WITH(parse_name_range("128.0.0.0/0"), Contains("0.0.0.0/0?"));
}

TEST_CASE("a Pref64 has the lengths of RFC 6052", "[host]")
{
    for (const char *text :
         {"2001:db8::/32", "2001:db8:100::/40", "2001:db8:122::/48", "2001:db8:122:300::/56",
          "2001:db8:122:344::/64", "64:ff9b::/96", "2001:db8:122:344::/96"}) {
        INFO(text);
        CHECK(to_string(parse_pref64(text)) == text);
    }
    for (const char *text : {"", "2001:db8::", "2001:db8::/", "2001:db8::/33", "2001:db8::/128",
                             "2001:db8::/129", "2001:db8::/96x", "10.0.0.0/8", "x::/96"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_pref64(text), SetupError);
    }
    CHECK_THROWS_WITH(parse_pref64("2001:db8::1/96"), Contains("2001:db8::/96?"));
    CHECK_THROWS_WITH(parse_pref64("2001:db8:1::/32"), Contains("2001:db8::/32?"));
    CHECK_THROWS_WITH(parse_pref64("2001:db8:0:0:100::/96"), Contains("bits 64 to 71"));
}

TEST_CASE("a zone's name has small letters and no last dot", "[host]")
{
    const std::string wire("\x09"
                           "dns64perf\x04test\0",
                           16);
    for (const char *text : {"dns64perf.test", "dns64perf.test.", "DNS64perf.TEST"}) {
        const ZoneName name = parse_zone_name(text);
        CHECK(name.text == "dns64perf.test");
        REQUIRE(name.length == wire.size());
        CHECK(std::equal(wire.begin(), wire.end(), name.wire.begin()));
    }
}

TEST_CASE("a zone's name fits the programs", "[host]")
{
    const std::string longest = std::string(30, 'a') + "." + std::string(30, 'b');
    CHECK(parse_zone_name(longest).length == 63);
    CHECK_THROWS_WITH(parse_zone_name(longest + "b"), Contains("at most 61"));
    for (const char *text : {"", ".", "..", "a..b", ".a", "a..", "a b", "a/b", "\xc3\xa4.test"}) {
        INFO(text);
        CHECK_THROWS_AS(parse_zone_name(text), SetupError);
    }
}

TEST_CASE("a number that might be octal is told from others", "[host]")
{
    for (const char *text : {"00", "010", "-010", "+01", "08", "00.5"}) {
        INFO(text);
        CHECK(has_leading_zero(text));
    }
    for (const char *text : {"", "0", "-0", "-", "10", "100", "0.5", "0x10", "1000", "auto"}) {
        INFO(text);
        CHECK_FALSE(has_leading_zero(text));
    }
}

TEST_CASE("what is printed moves no cursor")
{
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    const UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    REQUIRE(std::fflush(stdout) == 0); // of what Catch2 has printed
    const UniqueFd before(dup(STDOUT_FILENO));
    REQUIRE(dup2(writer.get(), STDOUT_FILENO) >= 0);
    print_result("a\x1b[2J\tb\x07 gr\u00fc\u00df \u009b1m\r\nc\rd\x7f\n");
    REQUIRE(dup2(before.get(), STDOUT_FILENO) >= 0);
    writer = UniqueFd();
    std::array<char, 100> text{};
    REQUIRE(read(reader.get(), text.data(), text.size()) > 0);
    CHECK(std::string(text.data()) == "a?[2J\tb? gr\u00fc\u00df ?1m\r\nc?d?\n");
}
