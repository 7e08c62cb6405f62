// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers queries as `fakedns --internet` does, without receiving or sending: for internet_cost.py.
//
//     internet_cost PART ANSWERS
//
// PART is what the answers say: referral (a public suffix's server refers to a zone), nxdomain (it
// says that there is none), address (a zone's server has A records). `copy` copies the queries, and
// answers none. Prints the nanoseconds of CPU time that an answer takes.
#include "internet/world.h"
#include "internet/world_answer.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

constexpr std::size_t different_queries = 1024;

struct Query {
    std::vector<std::uint8_t> octets;
    ServerNumber server = 0;
};

std::vector<std::uint8_t> query_of(const WireName &name)
{
    std::vector<std::uint8_t> query(DNS_HEADER_SIZE);
    query[5] = 1;
    query[11] = 1;
    query.insert(query.end(), name.octets().begin(), name.octets().end());
    query.insert(query.end(), {0, DNS_TYPE_A, 0, DNS_CLASS_IN});
    query.insert(query.end(), {0, 0, DNS_TYPE_OPT, 4, 208, 0, 0, 0, 0, 0, 0});
    return query;
}

WorldAnswer answer(const World &world, const Query &query, std::span<std::uint8_t> buffer)
{
    std::ranges::copy(query.octets, buffer.begin());
    return answer_world_query(world, {.server = query.server}, buffer, query.octets.size());
}

WorldAnswerKind kind_of(const std::string &part)
{
    if (part == "copy" || part == "referral")
        return WorldAnswerKind::referral;
    if (part == "nxdomain")
        return WorldAnswerKind::nxdomain;
    if (part == "address")
        return WorldAnswerKind::records;
    throw SetupError("no such part: " + part);
}

// Returns queries whose answers are of the kind.
std::vector<Query> queries_of(const World &world, WorldAnswerKind kind)
{
    std::vector<std::uint8_t> buffer(world_answer_room);
    std::vector<Query> queries;
    for (unsigned number = 0; queries.size() < different_queries; number++) {
        const WireName name = WireName::parse(fmt::format("www.d{}.com", number));
        const NameFate fate = world.fate(name);
        const unsigned zone = kind == WorldAnswerKind::records ? fate.zone_count - 1 : 1;
        Query query{query_of(name), world.servers(name, fate, zone).list().front().server};
        if (answer(world, query, buffer).kind == kind)
            queries.push_back(std::move(query));
    }
    return queries;
}

void run(const std::string &part, std::uint64_t answers)
{
    WorldOptions options;
    options.characters = {};
    options.loss = 0;
    const World world(options);
    const std::vector<Query> queries = queries_of(world, kind_of(part));
    const bool copies = part == "copy";
    std::vector<std::uint8_t> buffer(world_answer_room);
    const std::clock_t begin = std::clock();
    for (std::uint64_t i = 0; i < answers; i++) {
        const Query &query = queries[i % queries.size()];
        if (copies)
            std::ranges::copy(query.octets, buffer.begin());
        else if (answer(world, query, buffer).length == 0)
            throw SetupError("a query got no answer");
        asm volatile("" : : "r"(buffer.data()) : "memory");
    }
    const double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    fmt::print("{:.1f}\n", ns / static_cast<double>(answers));
}

} // namespace

int main(int argc, char **argv)
{
    return run_program("internet_cost", [=] {
        if (argc != 3)
            throw SetupError("usage: internet_cost copy|referral|nxdomain|address ANSWERS");
        run(argv[1], std::stoull(argv[2]));
        return 0;
    });
}
