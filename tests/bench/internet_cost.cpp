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
#include "userland/setup_error.h"
#include "userland/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

constexpr std::size_t different_queries = 1024;

enum class Part { copy, referral, nxdomain, address };

constexpr auto parts = words<Part>({{Part::copy, "copy"},
                                    {Part::referral, "referral"},
                                    {Part::nxdomain, "nxdomain"},
                                    {Part::address, "address"}});

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

// Returns queries whose answers are of the kind.
std::vector<Query> queries_of(const World &world, Part part)
{
    const auto kind = part == Part::nxdomain  ? WorldAnswerKind::nxdomain
                      : part == Part::address ? WorldAnswerKind::records
                                              : WorldAnswerKind::referral;
    std::vector<std::uint8_t> buffer(world_answer_room);
    std::vector<Query> queries;
    for (unsigned number = 0; queries.size() < different_queries; number++) {
        const WireName name = WireName::parse(fmt::format("www.d{}.com", number));
        const NameFate fate = world.fate(name);
        const unsigned zone = part == Part::address ? fate.zone_count - 1 : 1;
        Query query{query_of(name), world.servers(name, fate, zone).list().front().server};
        if (answer(world, query, buffer).kind == kind)
            queries.push_back(std::move(query));
    }
    return queries;
}

std::uint64_t cpu_ns()
{
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

void run(Part part, std::uint64_t answers)
{
    WorldOptions options;
    options.characters = {};
    options.loss = 0;
    const World world(options);
    const std::vector<Query> queries = queries_of(world, part);
    std::vector<std::uint8_t> buffer(world_answer_room);
    const std::uint64_t begin = cpu_ns();
    for (std::uint64_t i = 0; i < answers; i++) {
        const Query &query = queries[i % queries.size()];
        if (part == Part::copy)
            std::ranges::copy(query.octets, buffer.begin());
        else if (answer(world, query, buffer).length == 0)
            throw SetupError("a query got no answer");
        asm volatile("" : : "r"(buffer.data()) : "memory");
    }
    fmt::print("{:.1f}\n", static_cast<double>(cpu_ns() - begin) / static_cast<double>(answers));
}

} // namespace

int main(int argc, char **argv)
{
    try {
        const auto part = argc == 3 ? parts.value_of(argv[1]) : std::nullopt;
        if (!part)
            throw SetupError("usage: internet_cost copy|referral|nxdomain|address ANSWERS");
        run(*part, std::stoull(argv[2]));
    } catch (const std::exception &error) {
        fmt::print(stderr, "internet_cost: {}\n", error.what());
        return 2;
    }
    return 0;
}
