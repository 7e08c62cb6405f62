// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/connection.h"
#include "streams/open_queries.h"

#include <catch2/catch.hpp>

#include <map>
#include <random>

using namespace dnsgauge;

TEST_CASE("a query is found by its key from when it is added until it is dropped")
{
    std::mt19937 random(1);
    OpenQueries open(50);
    std::map<std::uint64_t, std::uint64_t> expected; // expectations by keys
    std::vector<std::pair<std::uint64_t, std::uint64_t>> order;
    std::size_t dropped = 0;
    for (std::uint64_t i = 1; i < 20'000; i++) {
        const std::uint64_t key =
            query_key(1 + random() % 3, static_cast<std::uint16_t>(random() % 100));
        if (open.is_full() || (!open.empty() && random() % 3 == 0)) {
            const auto [oldest, expectation] = order[dropped++];
            REQUIRE(open.oldest().expectation == expectation);
            open.drop_oldest();
            if (expected.at(oldest) == expectation)
                expected.erase(oldest);
            else // a younger query has the key
                REQUIRE(expected.at(oldest) > expectation);
        }
        if (!open.is_full()) {
            open.add({.expectation = i, .key = key});
            expected[key] = i;
            order.emplace_back(key, i);
        }
        for (std::uint32_t serial = 1; serial <= 3; serial++) {
            const std::uint64_t any = query_key(serial, static_cast<std::uint16_t>(random() % 100));
            const OpenQuery *const found = open.find(any);
            REQUIRE((found != nullptr) == expected.contains(any));
            if (found != nullptr)
                REQUIRE(found->expectation == expected[any]);
        }
    }
    CHECK(open.dropped() == dropped);
}

TEST_CASE("queries without a key are kept in their order, and not found")
{
    OpenQueries open(4);
    open.add({.expectation = 1});
    open.add({.expectation = 2, .key = query_key(1, 7)});
    CHECK(open.find(query_key(1, 7))->expectation == 2);
    CHECK(open.oldest().expectation == 1);
    open.drop_oldest();
    CHECK(open.oldest().expectation == 2);
    open.drop_oldest();
    CHECK(open.empty());
}

TEST_CASE("a connection lists its open queries, whichever are taken out")
{
    OpenQueries open(8);
    Connection connection;
    std::vector<std::uint32_t> numbers;
    for (std::uint16_t i = 0; i < 4; i++) {
        numbers.push_back(open.add({.key = query_key(1, i)}));
        connection.add(open, numbers.back(), 5);
    }
    for (const std::size_t out : {std::size_t{1}, std::size_t{0}, std::size_t{3}}) {
        connection.take_out(open, open.at(numbers[out]));
        CHECK(open.at(numbers[out]).connection == OpenQuery::none);
    }
    CHECK(connection.first_open == numbers[2]);
    CHECK(connection.last_open == numbers[2]);
    CHECK(open.at(numbers[2]).connection == 5);
    connection.take_out(open, open.at(numbers[2]));
    CHECK(!connection.has_open_queries());
}
