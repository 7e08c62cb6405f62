// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/some_scatter_key.h"
#include "xdp/slots.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <set>
#include <utility>

using namespace dnsgauge;
using dnsgauge::testing::some_scatter_key;
using namespace std::chrono_literals;

namespace
{

IdentityPlan plan_of(std::uint32_t ports, std::uint32_t slot_bits, std::uint32_t senders = 1)
{
    IdentityPlan plan;
    plan.ports = ports;
    plan.slot_bits = slot_bits;
    plan.senders = senders;
    plan.key = some_scatter_key();
    return plan;
}

// Finds the slot of a reply, as reply_clock.bpf.c does.
struct Found {
    std::uint32_t sender;
    std::uint32_t slot;
    std::uint32_t tag;
};

Found find(const IdentityPlan &plan, std::uint32_t port, std::uint16_t id)
{
    const std::uint32_t offset = port - plan.first_port;
    const std::uint32_t sender = offset / plan.ports;
    const scatter_pair found =
        gather({offset % plan.ports, id}, &plan.key, identity_space_of(plan.ports, 0), sender);
    const std::uint32_t number = found.high * plan.ports + found.low;
    return {sender, number & (plan.slots_each() - 1), number >> plan.slot_bits};
}

} // namespace

TEST_CASE("a reply finds the slot its query was put in, round after round")
{
    const std::uint32_t ports = GENERATE(1U, 3U, 7U, 20U);
    const IdentityPlan plan = plan_of(ports, 8, 2);
    const std::uint32_t sender = GENERATE(0U, 1U);
    IdentityWalk walk(plan, sender);
    const std::uint64_t steps = plan.cycle() + 1000;
    for (std::uint64_t i = 0; i < steps; i++, walk.advance()) {
        const auto [port, id] = walk.identity();
        const Found found = find(plan, port, id);
        if (found.sender != sender || found.slot != walk.slot() || found.tag != walk.tag())
            FAIL("query " << i << " is not found again");
    }
}

TEST_CASE("the port of a query is known afterwards, round after round")
{
    const IdentityPlan plan = plan_of(3, 8, 2);
    IdentityWalk walk(plan, 1);
    const std::uint64_t steps = plan.cycle() + 1000;
    for (std::uint64_t i = 0; i < steps; i++, walk.advance())
        if (walk.port_of(i) != (walk.identity().port - plan.first_port) % plan.ports ||
            walk.identity_of(i).id != walk.identity().id)
            FAIL("query " << i << " left from another port, or with another ID");
}

TEST_CASE("no identity returns before all have been used, no slot before all others")
{
    const IdentityPlan plan = plan_of(3, 8);
    IdentityWalk walk(plan, 0);
    std::set<std::pair<std::uint16_t, std::uint16_t>> seen;
    for (std::uint64_t i = 0; i < plan.cycle(); i++, walk.advance()) {
        if (walk.slot() != i % plan.slots_each())
            FAIL("query " << i << " is in slot " << walk.slot());
        const auto [port, id] = walk.identity();
        seen.emplace(port, id);
    }
    CHECK(seen.size() == plan.cycle());
    CHECK(walk.slot() == 0);
    const auto [port, id] = walk.identity();
    CHECK(seen.count({port, id}) == 1);
}

TEST_CASE("the slots hold what can be outstanding in twice the timeout")
{
    for (const std::uint64_t rate : {1ULL, 1000ULL, 100'000ULL, 1'000'000ULL, 3'000'000ULL}) {
        const IdentityPlan plan = plan_identities(Rate{rate}, 250ms, 1024, 4000, 1, {});
        CHECK(plan.slots_each() >= rate / 2);
        CHECK(plan.slots_each() <= std::max<std::uint64_t>(8192, 2 * rate));
        CHECK(plan.cycle() % plan.slots_each() == 0);
        // The tag must hold the rest of the largest identity.
        CHECK((plan.cycle() - 1) >> plan.slot_bits < 1ULL << SLOT_TAG_BITS);
    }
}

TEST_CASE("too few source ports for rate and timeout are refused")
{
    CHECK_THROWS_WITH(plan_identities(Rate{1'000'000}, 1s, 1024, 1, 1, {}),
                      Catch::Contains("--source-ports"));
    CHECK_NOTHROW(plan_identities(Rate{1'000'000}, 1s, 1024, 40, 1, {}));
}

TEST_CASE("where queries keep their clients' ports, the transaction ID finds the slot")
{
    const std::uint32_t senders = GENERATE(1U, 2U, 3U);
    const std::uint16_t client_port = GENERATE(as<std::uint16_t>{}, 53, 65535);
    const auto plan = plan_client_ports(Rate{10'000}, 250ms, senders, some_scatter_key());
    REQUIRE(plan);
    std::set<std::uint16_t> seen;
    for (std::uint32_t sender = 0; sender < senders; sender++) {
        IdentityWalk walk(*plan, sender);
        for (std::uint64_t i = 0; i < 2 * plan->cycle() + 7; i++, walk.advance()) {
            const auto [port, id16] = walk.identity(client_port);
            const std::uint32_t id = id16;
            if (port != client_port || walk.identity_of(i, client_port).id != id)
                FAIL("query " << i << " has another identity afterwards");
            const scatter_space space = identity_space_of(0, plan->id_bits);
            const std::uint32_t scattered = id & ((1U << plan->id_bits) - 1);
            const scatter_pair found = gather({scattered % space.lows, scattered / space.lows},
                                              &plan->key, space, client_port);
            const std::uint32_t of_sender = found.high * space.lows + found.low;
            if (id >> plan->id_bits != sender || walk.slot() != i % plan->slots_each() ||
                (of_sender & (plan->slots_each() - 1)) != walk.slot() ||
                of_sender >> plan->slot_bits != walk.tag())
                FAIL("query " << i << " is not found again");
            if (i < plan->cycle() && !seen.insert(static_cast<std::uint16_t>(id)).second)
                FAIL("ID " << id << " comes twice");
        }
    }
    CHECK(plan->cycle() >= 2 * std::uint64_t{plan->slots_each()});
}

TEST_CASE("transaction IDs are too few for the ports of clients that ask much")
{
    CHECK(plan_client_ports(Rate{60'000}, 250ms, 1, {}));
    CHECK_FALSE(plan_client_ports(Rate{70'000}, 250ms, 1, {}));
    CHECK_FALSE(plan_client_ports(Rate{10'000}, 2s, 1, {}));
    CHECK_FALSE(plan_client_ports(Rate{1}, 250ms, 16, {}));
}
