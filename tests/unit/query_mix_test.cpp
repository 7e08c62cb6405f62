// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/query_mix.h"

#include "dns/pref64_text.h"
#include "support/scratch_directory.h"
#include "support/some_mix.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <map>
#include <string>
#include <tuple>

using namespace dnsgauge;
using Catch::Contains;
using dnsgauge::testing::some_mix;

namespace
{

// Counts the queries [first, first + count) by what they have.
std::map<std::tuple<bool, bool, std::string>, unsigned>
counted(const QueryMix &mix, std::uint64_t first, std::uint64_t count)
{
    std::map<std::tuple<bool, bool, std::string>, unsigned> found;
    for (std::uint64_t i = first; i < first + count; i++) {
        const MixedQuery query = mixed_query(mix, i);
        found[{query.dnssec_ok, query.exists, mix.types[query.type].type}]++;
    }
    return found;
}

// Returns name `number` of the range.
std::string name_of(unsigned number)
{
    const std::string digits = "00" + std::to_string(number);
    return "010-000-000-" + digits.substr(digits.size() - 3) + ".dns64perf.test ";
}

template <class Found, class Wanted>
unsigned sum_where(const Found &found, const Wanted &wanted)
{
    unsigned sum = 0;
    for (const auto &[what, count] : found)
        sum += wanted(what) ? count : 0;
    return sum;
}

} // namespace

TEST_CASE("each share is exact in every hundred queries")
{
    const QueryMix mix = some_mix();
    for (std::uint64_t block = 0; block < 500; block++) {
        const auto found = counted(mix, block * 100, 100);
        CHECK(sum_where(found, [](const auto &what) { return std::get<0>(what); }) == 80);
        CHECK(sum_where(found, [](const auto &what) { return !std::get<1>(what); }) == 30);
        for (const TypeShare &share : mix.types)
            CHECK(sum_where(found, [&share](const auto &what) {
                      return std::get<2>(what) == share.type;
                  }) == share.percent);
    }
}

TEST_CASE("shares are independent: DO and NXDOMAIN in ten thousand queries, types in a million")
{
    const QueryMix mix = some_mix();
    const auto few = counted(mix, 30'000, 10'000);
    CHECK(sum_where(few, [](const auto &what) {
              return std::get<0>(what) && !std::get<1>(what);
          }) == 2400);
    const auto many = counted(mix, 0, 1'000'000);
    for (const bool dnssec_ok : {false, true})
        for (const bool exists : {false, true})
            for (const TypeShare &share : mix.types)
                CHECK(many.at({dnssec_ok, exists, share.type}) ==
                      (dnssec_ok ? 80 : 20) * (exists ? 70 : 30) * share.percent);
}

TEST_CASE("a mix repeats itself after its period, and not before")
{
    const QueryMix mix = some_mix();
    const auto same = [&mix](std::uint64_t one, std::uint64_t other) {
        const MixedQuery a = mixed_query(mix, one);
        const MixedQuery b = mixed_query(mix, other);
        return a.dnssec_ok == b.dnssec_ok && a.exists == b.exists && a.type == b.type;
    };
    bool all_the_same = true;
    bool half_the_same = true;
    for (std::uint64_t i = 0; i < mix_period; i++) {
        all_the_same = all_the_same && same(i, i + mix_period) && same(i, i + 7 * mix_period);
        half_the_same = half_the_same && same(i, i + mix_period / 2);
    }
    CHECK(all_the_same);
    CHECK(!half_the_same);
}

TEST_CASE("shares are evenly interleaved: any ten queries are near their share")
{
    const QueryMix mix = some_mix();
    for (std::uint64_t first = 0; first < 20'000; first += 7) {
        const auto found = counted(mix, first, 10);
        const unsigned dnssec_ok =
            sum_where(found, [](const auto &what) { return std::get<0>(what); });
        const unsigned missing =
            sum_where(found, [](const auto &what) { return !std::get<1>(what); });
        CHECK((dnssec_ok >= 6 && dnssec_ok <= 10));
        CHECK((missing >= 1 && missing <= 5));
    }
}

TEST_CASE("none and all are shares, too")
{
    QueryMix mix = some_mix();
    mix.dnssec_ok = 0;
    mix.nxdomain = 100;
    mix.types = parse_type_shares("TYPE65280=100");
    const auto found = counted(mix, 0, 1000);
    CHECK(found.size() == 1);
    CHECK(found.at({false, false, "TYPE65280"}) == 1000);
}

TEST_CASE("types whose shares are not 100 together are refused")
{
    for (const char *text : {"", "A", "A=", "=5", "A=50", "A=60,AAAA=50", "A=101", "A=50,,AAAA=50",
                             "A B=100", "A=1e2", "A=-1,AAAA=101"})
        CHECK_THROWS_WITH(parse_type_shares(text), Contains("100 together"));
}

TEST_CASE("a comma may end types with shares")
{
    CHECK(to_string(parse_type_shares("A=100,")) == "A=100");
    CHECK_THROWS_WITH(parse_type_shares("A=100,,"), Contains("100 together"));
}

TEST_CASE("types whose records are unknown are refused")
{
    for (const char *text : {"ANY=100", "A=50,rrsig=50", "TYPE47=100"})
        CHECK_THROWS_WITH(parse_mix_types(text), Contains("leave the type out"));
    CHECK(to_string(parse_type_shares("a=60,aaaa=30,mx=10")) == "A=60,AAAA=30,MX=10");
}

TEST_CASE("in a signed zone an answer to a query with DO has a signature")
{
    QueryMix mix = some_mix();
    mix.is_signed = true;
    const auto line = [&mix](MixedQuery query) { return mixed_line(mix, query, 0x0a000001); };
    CHECK(line({.dnssec_ok = true, .type = 0}) ==
          "010-000-000-001.dns64perf.test A D rcode=NOERROR answers=2 aa rrsig");
    CHECK(line({.dnssec_ok = false, .type = 0}) ==
          "010-000-000-001.dns64perf.test A rcode=NOERROR answers=1 aa");
    CHECK(line({.dnssec_ok = true, .type = 2}) ==
          "010-000-000-001.dns64perf.test MX D rcode=NOERROR answers=0 aa");
    CHECK(line({.dnssec_ok = true, .exists = false, .type = 0}) ==
          "no-010-000-000-001.dns64perf.test A D rcode=NXDOMAIN answers=0 aa");
}

TEST_CASE("with the zone's prefix a line wants the data of an answer")
{
    QueryMix mix = some_mix();
    mix.is_signed = true;
    const auto line = [&mix](MixedQuery query, const char *prefix) {
        return mixed_line(mix, query, 0x0a000001, parse_pref64(prefix));
    };
    CHECK(line({.dnssec_ok = true, .type = 0}, "2001:db8::/96") ==
          "010-000-000-001.dns64perf.test A D data=10.0.0.1 aa rrsig");
    CHECK(line({.dnssec_ok = false, .type = 1}, "2001:db8::/96") ==
          "010-000-000-001.dns64perf.test AAAA data=2001:db8::a00:1 aa");
    CHECK(line({.dnssec_ok = false, .type = 1}, "64:ff9b::/96") ==
          "010-000-000-001.dns64perf.test AAAA data=64:ff9b::a00:1 aa");
    CHECK(line({.dnssec_ok = true, .type = 2}, "2001:db8::/96") ==
          "010-000-000-001.dns64perf.test MX D rcode=NOERROR answers=0 aa");
    mix.aaaa_share = 0;
    CHECK(line({.dnssec_ok = true, .type = 1}, "2001:db8::/96") ==
          "010-000-000-001.dns64perf.test AAAA D rcode=NOERROR answers=0 aa");
    CHECK(line({.dnssec_ok = true, .exists = false, .type = 0}, "2001:db8::/96") ==
          "no-010-000-000-001.dns64perf.test A D rcode=NXDOMAIN answers=0 aa");
}

TEST_CASE("a line asks for a name, and says what is right")
{
    const ScratchDirectory scratch;
    const auto path = scratch.path() / "list";
    QueryMix mix = some_mix();
    mix.aaaa_share = 0;
    {
        OutputFile output(path);
        write_query_mix(mix, 300, {}, output); // the names begin again
        output.commit();
    }
    std::ifstream in(path);
    std::map<std::string, unsigned> rest; // of lines, after their names
    unsigned number = 0;
    for (std::string line; std::getline(in, line); number++) {
        const std::string name = name_of(number % 256);
        const bool exists = line.starts_with(name);
        CHECK((exists || line.starts_with("no-" + name)));
        rest[line.substr(line.find(' ') + 1)]++;
        CHECK(exists == (line.find("rcode=NOERROR") != std::string::npos));
    }
    CHECK(number == 300);
    for (const auto &[text, count] : rest) {
        CAPTURE(text);
        const bool answered = text.starts_with("A ") && text.find("NOERROR") != std::string::npos;
        CHECK(text.ends_with(answered ? "answers=1 aa" : "answers=0 aa"));
    }
}
