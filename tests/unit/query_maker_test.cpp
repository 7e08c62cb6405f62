// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/query_maker.h"

#include "dns/query_type.h"
#include "queries/message_filter.h"
#include "support/packet.h"
#include "system/setup_error.h"
#include "workload/query_list.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using Catch::Contains;

namespace
{

struct Made {
    std::int64_t time_ns;
    std::string client;
    std::string name; // wire form
    std::uint16_t type;
    Bytes message;

    bool operator==(const Made &) const = default;
};

MakeOptions small()
{
    return {.rate = {.per_second = 1000},
            .duration = std::chrono::seconds(2),
            .begin_ns = 1'000'000'000,
            .clients = 50,
            .client_prefix = parse_ip_prefix("198.19.0.0/16"),
            .server = {parse_ip_address("198.18.0.2"), 53},
            .names = parse_name_range("10.0.0.0/24"),
            .zone = parse_zone_name("dns64perf.test"),
            .types = numbered(parse_type_shares("A=60,AAAA=30,MX=10"))};
}

std::vector<Made> made(const MakeOptions &options)
{
    std::vector<Made> queries;
    const auto next = make_queries(options);
    while (const auto query = next()) {
        const auto question = question_of(query->message);
        REQUIRE(question);
        queries.push_back({query->time_ns,
                           to_string(query->source.address),
                           folded(question->name),
                           question->type,
                           {query->message.begin(), query->message.end()}});
    }
    return queries;
}

} // namespace

TEST_CASE("the same seed makes the same queries, another makes others")
{
    MakeOptions options = small();
    const std::vector<Made> first = made(options);
    CHECK(made(options) == first);
    options.seed = 2;
    CHECK(made(options) != first);
}

TEST_CASE("each type has exactly its share of every hundred queries")
{
    const std::vector<Made> queries = made(small());
    REQUIRE(queries.size() > 1000);
    for (std::size_t begin = 0; begin + 100 <= queries.size(); begin += 100) {
        std::map<std::uint16_t, int> types;
        for (std::size_t i = begin; i < begin + 100; i++)
            types[queries[i].type]++;
        CHECK(types == std::map<std::uint16_t, int>{{1, 60}, {28, 30}, {15, 10}});
    }
}

TEST_CASE("names that do not exist and random subdomains have exactly their shares")
{
    MakeOptions options = small();
    options.nxdomain = 30;
    options.random_subdomains = 7;
    options.edns = 50;
    options.dnssec_ok = 20;
    const std::vector<Made> queries = made(options);
    std::set<std::string> random_labels;
    for (std::size_t begin = 0; begin + 100 <= queries.size(); begin += 100) {
        int missing = 0;
        int random = 0;
        int edns = 0;
        int dnssec_ok = 0;
        for (std::size_t i = begin; i < begin + 100; i++) {
            const Made &query = queries[i];
            missing += query.name.substr(1, 3) == "no-" ? 1 : 0;
            if (query.name[0] == 16) {
                random++;
                random_labels.insert(query.name);
            }
            edns += query.message[11];
            dnssec_ok += query.message[11] != 0 && query.message[query.message.size() - 4] == 0x80;
        }
        CHECK(missing == 30);
        CHECK(random == 7);
        CHECK(edns == 50);
        CHECK(dnssec_ok == 20);
    }
    CHECK(random_labels.size() >= queries.size() / 100 * 7);
}

TEST_CASE("arrivals are Poisson's: the gaps' mean and deviation are one")
{
    MakeOptions options = small();
    options.duration = std::chrono::seconds(20);
    const std::vector<Made> queries = made(options);
    // The deviation of a Poisson number with mean 20,000 is 141.
    CHECK(std::abs(static_cast<double>(queries.size()) - 20'000) < 5 * 141);
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 1; i < queries.size(); i++) {
        const double gap = static_cast<double>(queries[i].time_ns - queries[i - 1].time_ns) / 1e6;
        REQUIRE(gap >= 0);
        sum += gap;
        squares += gap * gap;
    }
    const double mean = sum / static_cast<double>(queries.size() - 1);
    const double deviation =
        std::sqrt(squares / static_cast<double>(queries.size() - 1) - mean * mean);
    CHECK(mean == Approx(1).margin(0.05));
    CHECK(deviation == Approx(1).margin(0.05));
    CHECK(queries.front().time_ns >= options.begin_ns);
    CHECK(queries.back().time_ns < options.begin_ns + options.duration.count());
}

TEST_CASE("all clients ask, about equally often, and nobody else does")
{
    MakeOptions options = small();
    options.duration = std::chrono::seconds(10);
    std::map<std::string, int> clients;
    for (const Made &query : made(options))
        clients[query.client]++;
    CHECK(clients.size() == 50);
    CHECK(clients.count("198.19.0.49") == 1);
    for (const auto &[client, count] : clients) {
        CAPTURE(client);
        CHECK(std::abs(count - 200) < 100); // seven deviations
    }
}

TEST_CASE("popularity follows Zipf's law")
{
    MakeOptions options = small();
    options.duration = std::chrono::seconds(100);
    options.names = parse_name_range("10.0.0.0/30");
    std::map<std::string, double> names;
    const std::vector<Made> queries = made(options);
    for (const Made &query : queries)
        names[query.name] += 1.0 / static_cast<double>(queries.size());
    REQUIRE(names.size() == 4);
    // 1 + 1/2 + 1/3 + 1/4 = 25/12
    int rank = 1;
    for (const auto &[name, share] : names)
        CHECK(share == Approx(12.0 / 25 / rank++).margin(0.01));
}

TEST_CASE("options that contradict each other are refused")
{
    const auto refusal = [](auto change) {
        MakeOptions options = small();
        change(options);
        try {
            static_cast<void>(make_queries(options));
        } catch (const SetupError &error) {
            return std::string(error.what());
        }
        return std::string();
    };
    CHECK_THAT(refusal([](MakeOptions &o) { o.clients = 65537; }), Contains("has 65536 addresses"));
    CHECK_THAT(refusal([](MakeOptions &o) { o.server.address = parse_ip_address("::1"); }),
               Contains("of one IP version"));
    CHECK_THAT(refusal([](MakeOptions &o) { o.nxdomain = 60, o.random_subdomains = 41; }),
               Contains("more than 100 percent"));
    CHECK_THAT(refusal([](MakeOptions &o) { o.dnssec_ok = 1; }), Contains("raise --edns"));
    CHECK_THAT(refusal([](MakeOptions &o) { o.names = parse_name_range("0.0.0.0/0"); }),
               Contains("use a smaller range"));
    for (const char *text : {"", "A", "A=", "A=100,", "A=101", "A=50", "X=100", "A=-1,AAAA=101"}) {
        CAPTURE(text);
        if (std::string(text) == "A=100,")
            CHECK_NOTHROW(numbered(parse_type_shares(text)));
        else
            CHECK_THROWS_AS(numbered(parse_type_shares(text)), SetupError);
    }
}
