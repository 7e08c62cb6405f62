// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/slots.h"

#include "system/setup_error.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t transaction_ids = 65536;
// With fewer slots a tag would not fit into its bits.
constexpr std::uint64_t slots_least = 1U << SLOT_BITS_MIN;
// If transaction IDs alone are identities, four bits of a tag are enough.
constexpr std::uint64_t client_slots_least = 4096;

std::uint64_t outstanding_most(Rate rate, Nanoseconds timeout, std::uint32_t senders)
{
    return queries_in(rate, timeout) / senders + 1;
}

std::uint64_t slots_for(std::uint64_t outstanding, std::uint64_t least)
{
    return std::bit_ceil(std::max(2 * outstanding, least));
}

} // namespace

std::uint64_t IdentityPlan::cycle() const
{
    const std::uint64_t identities =
        id_bits != 0 ? std::uint64_t{1} << id_bits : ports * transaction_ids;
    return identities - identities % slots_each();
}

IdentityPlan plan_identities(Rate rate, Nanoseconds timeout, std::uint16_t first_port,
                             std::uint32_t ports, std::uint32_t senders, const scatter_key &key)
{
    const std::uint64_t outstanding = outstanding_most(rate, timeout, senders);
    const std::uint64_t slots = slots_for(outstanding, slots_least);
    if (slots > ports * transaction_ids)
        throw SetupError(
            "{} queries can be outstanding, but --source-ports {} gives identities for "
            "half of {}: use more source ports, a shorter timeout or a lower rate",
            outstanding, ports, ports * transaction_ids);
    return {.first_port = first_port,
            .ports = ports,
            .senders = senders,
            .slot_bits = static_cast<std::uint32_t>(std::countr_zero(slots)),
            .key = key};
}

std::optional<IdentityPlan> plan_client_ports(Rate rate, Nanoseconds timeout, std::uint32_t senders,
                                              const scatter_key &key)
{
    const std::uint64_t slots =
        slots_for(outstanding_most(rate, timeout, senders), client_slots_least);
    const std::uint64_t identities = transaction_ids / std::bit_ceil(senders);
    if (2 * slots > identities)
        return std::nullopt;
    return IdentityPlan{.senders = senders,
                        .slot_bits = static_cast<std::uint32_t>(std::countr_zero(slots)),
                        .id_bits = static_cast<std::uint32_t>(std::countr_zero(identities)),
                        .key = key};
}

IdentityWalk::IdentityWalk(const IdentityPlan &plan, std::uint32_t sender)
    : plan_(plan), space_(identity_space_of(plan.ports, plan.id_bits)),
      rounds_(rounds_of(plan, sender)), cycle_(plan.cycle()), slot_mask_(plan.slots_each() - 1),
      slot_bits_(plan.slot_bits), sender_(sender),
      first_port_(plan.first_port + sender * plan.ports)
{
}

std::unique_ptr<const IdentityWalk::Rounds> IdentityWalk::rounds_of(const IdentityPlan &plan,
                                                                    std::uint32_t sender)
{
    if (plan.id_bits != 0)
        return nullptr;
    auto rounds = std::make_unique<Rounds>();
    const scatter_space space = identity_space_of(plan.ports, plan.id_bits);
    const std::uint64_t lane = std::uint64_t{sender} << 16U;
    for (std::uint32_t pair = 0; pair < 2; pair++) {
        for (std::uint32_t low = 0; low < space.lows; low++)
            rounds->for_high.at(pair).at(low) = static_cast<std::uint16_t>(
                scatter_round(&plan.key, 2 * pair, lane + low) & space.high_mask);
        for (std::uint32_t high = 0; high <= space.high_mask; high++)
            rounds->for_low.at(pair).at(high) = static_cast<std::uint16_t>(
                scatter_step(&plan.key, space, 2 * pair + 1, lane + high));
    }
    return rounds;
}

PortAndId IdentityWalk::at_client(std::uint32_t low, std::uint32_t high, std::uint16_t port) const
{
    const scatter_pair sent = scatter({low, high}, &plan_.key, space_, port);
    const std::uint32_t id = sender_ << plan_.id_bits | sent.high << plan_.id_bits / 2 | sent.low;
    return {.port = port, .id = static_cast<std::uint16_t>(id)};
}

SlotTable::SlotTable(int map_fd, const IdentityPlan &plan)
    : slots_each_(plan.slots_each()), memory_(sizeof(query_slot) * plan.slots_each() * plan.senders,
                                              MAP_SHARED | MAP_POPULATE, map_fd)
{
    if (memory_.data() == nullptr)
        throw SetupError(
            "cannot map {} MiB for outstanding queries: {}: use a shorter timeout or a "
            "lower rate",
            memory_.size() >> 20U, std::strerror(errno));
}

} // namespace dnsgauge
