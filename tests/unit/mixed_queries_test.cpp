// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/mixed_queries.h"

#include "common/setup_error.h"
#include "workload/message_stream.h"
#include "workload/schedule.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

QueryMix some_mix()
{
    return {.zone = parse_zone_name("dns64perf.test"),
            .names = parse_name_range("10.0.0.0/24"),
            .aaaa_share = 50,
            .dnssec_ok = 80,
            .nxdomain = 30,
            .is_signed = true,
            .types = parse_type_shares("A=60,AAAA=30,MX=10")};
}

MessageFormat some_format()
{
    return {.recursion_desired = true, .edns_size = {}};
}

std::vector<std::uint8_t> octets_of(const QueryList::Entry &entry)
{
    return {entry.message.begin(), entry.message.end()};
}

} // namespace

TEST_CASE("each query of a mix is the one that the mix's line describes")
{
    const QueryMix mix = some_mix();
    const MixedQueries mixed(mix, some_format());
    MixedQueries::Room room{};
    for (std::uint64_t index = 0; index < 30'000; index += index < 300 ? 1 : 97) {
        const std::string line =
            mixed_line(mix, mixed_query(mix, index), mixed_address(mix, index));
        CAPTURE(index, line);
        QueryList list("list", some_format());
        list.add_line(line);
        const QueryList::Entry made = mixed.write(index, room);
        const QueryList::Entry listed = list.entry(0);
        REQUIRE(octets_of(made) == octets_of(listed));
        REQUIRE(made.wants == listed.wants);
        REQUIRE(mixed.text(index) == list.text(0));
        __u64 hash = 0;
        REQUIRE(question_hash({room.data(), room.data() + made.message.size()}, &mixed.key(),
                              &hash) != 0);
        REQUIRE(made.expectation == hash);
    }
}

TEST_CASE("a mix says whether replies' records are to be read")
{
    QueryMix mix = some_mix();
    mix.is_signed = false;
    CHECK(MixedQueries(mix, some_format()).reads_records());
    CHECK_THROWS_WITH(
        (mix.types = {{.type = "FOO", .percent = 100}}, MixedQueries(mix, some_format())),
        Contains("\"FOO\" is no type"));
}

TEST_CASE("each sender has its share of a mix")
{
    const MixedQueries mixed(some_mix(), some_format());
    const IpAddress source = parse_ip_address("192.0.2.1");
    MessageStream one(MixedQueries::Cursor(mixed, 1, 3), source, ConstantRate(Rate{1000}, 1, 3));
    MixedQueries::Room room{};
    for (std::uint64_t index = 1; index < 1000; index += 3) {
        const std::int64_t due = one.due();
        const Query query = one.next();
        const QueryList::Entry right = mixed.write(index, room);
        CHECK(std::vector(query.message.begin(), query.message.end()) == octets_of(right));
        CHECK(query.expectation == right.expectation);
        CHECK(query.wants == right.wants);
        CHECK(query.due_ns == due);
        CHECK(due == static_cast<std::int64_t>(index) * 1'000'000);
    }
}
