// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/captured_queries.h"
#include "workload/query_list.h"
#include "workload/query_message.h"
#include "workload/query_source.h"

#include "wire/dns.h"
#include "wire/test_name.h"

#include <catch2/catch.hpp>

#include <array>
#include <memory>

using namespace dnsgauge;

namespace
{

constexpr Rate rate{1000};

SourcesPlan plan_of(std::uint64_t queries)
{
    return {.schedule = {.rate = rate, .duration = due_at(rate, queries)},
            .queries = queries,
            .senders = 2,
            .first_share = 1,
            .shares = 3,
            .source = parse_ip_address("192.0.2.1")};
}

std::string text_of(const QuerySources &sources, std::uint64_t number, std::uint64_t expectation)
{
    std::array<char, 1100> room{};
    return {room.data(), sources.put_text(room.data(), number, expectation)};
}

} // namespace

TEST_CASE("each sender has its share of the names, each when it is due")
{
    NamesWorkload names;
    names.names = parse_name_range("10.0.0.0/24");
    const QuerySources sources(names, plan_of(100));
    CHECK(sources.expectations() == ExpectationKind::names);
    for (std::uint32_t sender = 0; sender < 2; sender++) {
        const auto source = sources.make(sender);
        CHECK(source->part().count() == 33);
        for (std::uint64_t i = 0; i < source->part().count(); i++) {
            const std::uint64_t number = 1 + sender + 3 * i;
            CHECK(source->part().number(i) == number);
            CHECK(source->due() == due_at(rate, number).count());
            const Query query = source->next();
            CHECK(query.due_ns == due_at(rate, number).count());
            CHECK(query.expectation == 0x0a000000 + number);
            CHECK(query.message.size() == sources.longest());
            std::uint32_t address = 0;
            CHECK(test_name_read(query.message.data() + DNS_HEADER_SIZE + 1, &address) != 0);
            CHECK(address == query.expectation);
        }
    }
    CHECK(text_of(sources, 0, 0x0a000001) == "010-000-000-001.dns64perf.test");
}

TEST_CASE("each sender has all queries of its clients, or the senders have them in turn")
{
    std::vector<CapturedMessage> messages;
    const auto octets = name_message(name_format(NamesWorkload()));
    for (std::uint8_t i = 0; i < 30; i++)
        messages.push_back({.time_ns = std::int64_t{1'000'000} * i,
                            .source = {IpAddress::of(std::array<std::uint8_t, 4>{
                                           192, 0, 2, static_cast<std::uint8_t>(i % 10)}),
                                       5000},
                            .target = {parse_ip_address("192.0.2.53"), 53},
                            .message = octets});
    std::size_t next = 0;
    CaptureWorkload workload;
    workload.queries = std::make_shared<const CapturedQueries>(
        [&] { return next < messages.size() ? std::optional(messages[next++]) : std::nullopt; });
    const bool by_client = GENERATE(false, true);
    const QuerySources sources(workload,
                               {.queries = 30, .senders = 2, .shares = 2, .by_client = by_client});
    std::uint64_t sent = 0;
    for (std::uint32_t sender = 0; sender < 2; sender++) {
        const auto source = sources.make(sender);
        CHECK(source->part().count() == 15);
        for (std::uint64_t i = 0; i < source->part().count(); i++, sent++) {
            const std::uint64_t number = source->part().number(i);
            const Query query = source->next();
            CHECK(query.due_ns == static_cast<std::int64_t>(1'000'000 * number));
            CHECK(query.client == number % 10);
            CHECK((by_client ? query.client : number) % 2 == sender);
        }
    }
    CHECK(sent == 30);
}

TEST_CASE("each sender has its share of a list")
{
    auto list = std::make_shared<QueryList>("a list", MessageFormat());
    list->add_line("a.example A");
    list->add_line("b.example.org MX");
    list->finish();
    ListWorkload workload;
    workload.queries = list;
    const QuerySources sources(workload, plan_of(9));
    CHECK(sources.expectations() == ExpectationKind::questions);
    CHECK(sources.longest() == list->longest());
    const auto source = sources.make(0);
    CHECK(source->part().count() == 3);
    for (const std::size_t entry : {1U, 0U, 1U}) {
        const Query query = source->next();
        CHECK(query.expectation == list->entry(entry).expectation);
        CHECK(query.source == parse_ip_address("192.0.2.1"));
    }
    CHECK(text_of(sources, 3, 0) == "b.example.org. MX");
}
