// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any bytes as a query to a FakeDNS that misbehaves. Each kind of fault, on all names, spoils
// the answer and nothing else. Servers of an Internet, sound and others, get the same bytes.
#include "fuzz.h"

#include "internet/world_answer.h"
#include "server/responder.h"
#include "support/exact_buffer.h"
#include "support/program_configs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// Returns a plan in which all names have the fault.
std::unique_ptr<fault_plan> plan_of(unsigned kind, std::uint16_t pad_to)
{
    auto plan = std::make_unique<fault_plan>();
    std::fill(std::begin(plan->end) + kind, std::end(plan->end), std::uint16_t{FAULT_BLOCK});
    plan->end[0] = 0;
    plan->pad_to = pad_to;
    return plan;
}

struct Plan {
    unsigned kind;
    std::unique_ptr<fault_plan> plan;
};

std::vector<Plan> all_plans()
{
    std::vector<Plan> all;
    for (unsigned kind = FAULT_NONE + 1; kind < FAULTS; kind++)
        for (const std::uint16_t pad_to : std::array<std::uint16_t, 3>{0, 90, FAULT_PAD_MAX})
            all.push_back({kind, plan_of(kind, pad_to)});
    return all;
}

void check(std::span<const std::uint8_t> query, const answer_zones &zones,
           std::span<const std::uint8_t> right, const Plan &made)
{
    const std::size_t room = std::max<std::size_t>(answer_room(query.size()), FAULT_PAD_MAX);
    const ExactBuffer spoilt(query, room);
    const FaultyAnswer answer =
        faulty_answer_message(spoilt.bytes(), query.size(), zones, *made.plan);
    must(answer.is_answer == !right.empty(), "what is ignored is ignored");
    must(answer.answered.length <= room, "the answer fits");
    must(answer.fault == FAULT_NONE || answer.fault == made.kind, "there is no other fault");
    if (answer.fault != FAULT_NONE || made.plan->pad_to != 0)
        return;
    must(std::ranges::equal(spoilt.bytes().first(answer.answered.length), right),
         "an answer without a fault is right");
}

// Returns an Internet whose servers of all characters are of one kind each in eight.
WorldOptions mixed_options()
{
    WorldOptions options;
    options.characters = {0, 125, 125, 125, 125, 125, 125, 125, 125};
    options.loss = 100;
    return options;
}

void check_world(const World &world, std::span<const std::uint8_t> query, ServerNumber server,
                 bool is_tcp)
{
    const ExactBuffer buffer(query, std::max(world_answer_room, query.size()));
    const WorldAnswer answer = answer_world_query(
        world, {.server = server, .is_tcp = is_tcp, .seconds = 1000}, buffer.bytes(), query.size());
    must(answer.length <= buffer.bytes().size(), "an Internet's answer fits");
    must(is_tcp || answer.length <= DNS_UDP_SIZE, "and fits a datagram");
    if (answer.length == 0)
        return;
    must(answer.length >= DNS_HEADER_SIZE, "it has a header");
    must(std::ranges::equal(buffer.bytes().first(2), query.first(2)), "the ID comes back");
    must((buffer.bytes()[2] & 0x80) != 0, "an answer is a response");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const answer_zones zones = fakedns_test_config().zones;
    static const std::vector<Plan> plans = all_plans();
    const std::span query(data, size);
    const ExactBuffer right(query, answer_room(size));
    const Answered answered = answer_message(right.bytes(), size, zones);
    for (const Plan &plan : plans)
        check(query, zones, right.bytes().first(answered.length), plan);
    static const World world(mixed_options());
    // The root's, a registry's, eight others of every character, and an address that is no
    // server's.
    for (const ServerNumber server :
         {1U, 500U, 20000U, 20001U, 20002U, 20003U, 20004U, 20005U, 20006U, 20007U, 0U})
        for (const bool is_tcp : {false, true})
            check_world(world, query, server, is_tcp);
    return 0;
}
