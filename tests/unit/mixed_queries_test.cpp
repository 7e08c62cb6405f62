// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/mixed_queries.h"

#include "support/some_mix.h"
#include "support/some_scatter_key.h"
#include "system/setup_error.h"
#include "workload/schedule.h"
#include "workload/streams.h"

#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;
using dnsgauge::testing::some_mix;
using dnsgauge::testing::some_scatter_key;

namespace
{

QueryMix signed_mix()
{
    QueryMix mix = some_mix();
    mix.aaaa_share = 50;
    mix.is_signed = true;
    return mix;
}

MessageFormat some_format()
{
    return {{.recursion_desired = true}};
}

std::vector<std::uint8_t> octets_of(const QueryList::Entry &entry)
{
    return {entry.message.begin(), entry.message.end()};
}

} // namespace

TEST_CASE("each query of a mix is the one that the mix's line describes")
{
    // The hash takes the last digits of the name "no-010-000-000-000.a" in another way.
    const std::string zone = GENERATE("dns64perf.test", "a", "Abc", "four");
    // A stride goes on to other names in one block of names, or to another block.
    const std::uint64_t stride = GENERATE(1U, 3U, 97U, 1009U);
    QueryMix mix = signed_mix();
    mix.zone = parse_zone_name(zone);
    mix.names = parse_name_range("10.0.0.0/18");
    MessageFormat format = some_format();
    format.letters.exact = GENERATE(false, true);
    const MixedQueries mixed(mix, format);
    MixedQueries::Cursor cursor(mixed, stride / 2, stride);
    for (std::uint64_t number = 0; number < 1000; number++) {
        const std::uint64_t index = stride / 2 + number * stride;
        const std::string line =
            mixed_line(mix, mixed_query(mix, index), mixed_address(mix, index));
        CAPTURE(index, line);
        QueryList list("list", some_format());
        list.add_line(line);
        const QueryList::Entry made = cursor.next();
        const QueryList::Entry listed = list.entry(0);
        std::vector<std::uint8_t> octets = octets_of(made);
        REQUIRE(octets == octets_of(listed));
        // A line says how many records are right, and a mix which.
        REQUIRE(made.wants == ((listed.wants >> WANTS_COUNT_SHIFT) != 0 ? listed.wants | WANTS_NAME
                                                                        : listed.wants));
        REQUIRE(mixed.text(index) == list.text(0));
        __u64 hash = 0;
        REQUIRE(question_hash({octets.data(), octets.data() + octets.size()}, &mixed.key(),
                              &hash) != 0);
        REQUIRE(made.expectation == hash);
    }
}

TEST_CASE("a sender's queries go on where the mix's period ends")
{
    const QueryMix mix = signed_mix();
    const MixedQueries mixed(mix, some_format());
    const std::uint64_t start = 3 * mix_period - 50;
    MixedQueries::Cursor cursor(mixed, start, 7);
    for (std::uint64_t index = start; index < start + 100; index += 7) {
        CAPTURE(index);
        REQUIRE(octets_of(cursor.next()) ==
                octets_of(MixedQueries::Cursor(mixed, index, 1).next()));
        REQUIRE(mixed.text(index).starts_with("no-") != mixed_query(mix, index).exists);
    }
}

TEST_CASE("by a key the senders of a mix ask for each name once, and the shares stay")
{
    QueryMix mix = signed_mix();
    mix.names = parse_name_range("10.0.0.0/22");
    const NameRange others = parse_name_range("10.9.0.0/22");
    const MixedQueries mixed =
        MixedQueries(mix, some_format()).of_names(others, some_scatter_key());
    std::vector<MixedQueries::Cursor> cursors;
    for (std::uint64_t sender = 0; sender < 3; sender++)
        cursors.emplace_back(mixed, sender, 3);
    std::set<std::string> asked;
    unsigned in_order = 0;
    for (std::uint64_t index = 0; index < others.count; index++) {
        const QueryList::Entry entry = cursors[index % 3].next();
        const std::string text = question_text(entry.message);
        REQUIRE(text == mixed.text(index));
        REQUIRE(text.starts_with("no-") != mixed_query(mix, index).exists);
        const std::string digits = text.substr(text.starts_with("no-") ? 3 : 0, 15);
        REQUIRE(asked.insert(digits).second);
        REQUIRE(digits.starts_with("010-009-00"));
        in_order += digits == "010-009-00" + std::to_string(index / 256) + "-" +
                                  fmt::format("{:03}", index % 256);
        __u64 hash = 0;
        std::vector<std::uint8_t> octets = octets_of(entry);
        REQUIRE(question_hash({octets.data(), octets.data() + octets.size()}, &mixed.key(),
                              &hash) != 0);
        REQUIRE(entry.expectation == hash);
    }
    CHECK(in_order < 20);
    CHECK(MixedQueries(mix, some_format())
              .of_names(others, {})
              .text(5)
              .substr(3)
              .starts_with("010-009-000-005") == !mixed_query(mix, 5).exists);
}

TEST_CASE("a mix says whether replies' records are to be read")
{
    QueryMix mix = signed_mix();
    mix.is_signed = false;
    CHECK_THROWS_WITH(
        (mix.types = {{.type = "FOO", .percent = 100}}, MixedQueries(mix, some_format())),
        Contains("\"FOO\" is no type"));
}

TEST_CASE("each sender has its share of a mix")
{
    const MixedQueries mixed(signed_mix(), some_format());
    const IpAddress source = parse_ip_address("192.0.2.1");
    MessageStream one(MixedQueries::Cursor(mixed, 1, 3), source, ConstantRate(Rate{1000}, 1, 3));
    for (std::uint64_t index = 1; index < 1000; index += 3) {
        const std::int64_t due = one.due();
        const Query query = one.next();
        MixedQueries::Cursor other(mixed, index, 1);
        const QueryList::Entry right = other.next();
        CHECK(std::vector(query.message.begin(), query.message.end()) == octets_of(right));
        CHECK(query.expectation == right.expectation);
        CHECK(query.wants == right.wants);
        CHECK(query.due_ns == due);
        CHECK(due == static_cast<std::int64_t>(index) * 1'000'000);
    }
}
