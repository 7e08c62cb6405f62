// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of outstanding queries that senders share with reply_clock.bpf.c, and the identities by
// which a reply finds its slot. reply_clock_abi.h describes the scheme.
#pragma once

#include "engine/query_witness.h"
#include "host/mapped_memory.h"
#include "units/rate.h"

#include "reply_clock_abi.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace dnsgauge
{

// The numbers from which every sender makes its identities.
struct IdentityPlan {
    std::uint16_t first_port = 1024; // of the first sender
    std::uint32_t ports = 4000;      // of each sender
    std::uint32_t senders = 1;
    std::uint32_t slot_bits = SLOT_BITS_MIN;
    // If this is not 0, queries keep their clients' ports, and this many bits of the transaction ID
    // number a sender's queries.
    std::uint32_t id_bits = 0;
    scatter_key key{}; // of the order in which identities are used

    [[nodiscard]] std::uint32_t slots_each() const { return 1U << slot_bits; }
    // Returns the number of identities before the first one is used again: whole rounds of the
    // slots, so that no slot is ever used again early.
    [[nodiscard]] std::uint64_t cycle() const;
};

// Returns the smallest plan in which no slot is used again before twice the timeout has passed at
// `rate`. Throws SetupError if ports × 65,536 transaction IDs are too few for that.
[[nodiscard]] IdentityPlan plan_identities(Rate rate, Nanoseconds timeout, std::uint16_t first_port,
                                           std::uint32_t ports, std::uint32_t senders,
                                           const scatter_key &key);

// Returns the smallest such plan in which queries keep their clients' ports; nothing if there are
// too few transaction IDs. Each slot has at least two tags, which tell replies to its present query
// from replies to its last one.
[[nodiscard]] std::optional<IdentityPlan>
plan_client_ports(Rate rate, Nanoseconds timeout, std::uint32_t senders, const scatter_key &key);

// Yields one sender's identities, one after the other.
class IdentityWalk
{
public:
    IdentityWalk(const IdentityPlan &plan, std::uint32_t sender);

    // Returns the port and the transaction ID of the present query. If queries keep their clients'
    // ports, `client_port` is the query's.
    [[nodiscard]] PortAndId identity(std::uint16_t client_port = 0) const
    {
        return at(low_, high_, client_port);
    }
    // Returns the same for the sender's query `query`.
    [[nodiscard]] PortAndId identity_of(std::uint64_t query, std::uint16_t client_port = 0) const
    {
        const std::uint64_t number = query % cycle_;
        return at(static_cast<std::uint32_t>(number % space_.lows),
                  static_cast<std::uint32_t>(number / space_.lows), client_port);
    }
    // Returns the number, from 0, of the sender's port that query `query` left from. Only if no
    // query keeps its client's port.
    [[nodiscard]] std::uint32_t port_of(std::uint64_t query) const
    {
        return identity_of(query).port - first_port_;
    }
    [[nodiscard]] std::uint32_t slot() const
    {
        return static_cast<std::uint32_t>(number_ & slot_mask_);
    }
    [[nodiscard]] std::uint32_t tag() const
    {
        return static_cast<std::uint32_t>(number_ >> slot_bits_);
    }

    void advance()
    {
        if (++number_ == cycle_) {
            number_ = low_ = high_ = 0;
        } else if (++low_ == space_.lows) {
            low_ = 0;
            high_++;
        }
    }

private:
    // Tables of the functions of scatter()'s rounds: a look-up takes a quarter of the instructions
    // of a computation.
    struct Rounds {
        using Table = std::array<std::uint16_t, 65536>;
        std::array<Table, 2> for_high{}; // by the low half
        std::array<Table, 2> for_low{};  // by the high half
    };

    [[nodiscard]] static std::unique_ptr<const Rounds> rounds_of(const IdentityPlan &plan,
                                                                 std::uint32_t sender);
    [[nodiscard]] PortAndId at(std::uint32_t low, std::uint32_t high,
                               std::uint16_t client_port) const
    {
        return rounds_ ? scattered(low, high) : at_client(low, high, client_port);
    }
    [[nodiscard]] PortAndId at_client(std::uint32_t low, std::uint32_t high,
                                      std::uint16_t port) const;
    // Returns the identity of a number with these halves.
    [[nodiscard]] PortAndId scattered(std::uint32_t low, std::uint32_t high) const
    {
        const Rounds &rounds = *rounds_;
        high ^= rounds.for_high[0][low];
        low = wrapped(low + rounds.for_low[0][high]);
        high ^= rounds.for_high[1][low];
        return {.port = static_cast<std::uint16_t>(first_port_ +
                                                   wrapped(low + rounds.for_low[1][high])),
                .id = static_cast<std::uint16_t>(high)};
    }
    [[nodiscard]] std::uint32_t wrapped(std::uint32_t low) const
    {
        return low >= space_.lows ? low - space_.lows : low;
    }

    IdentityPlan plan_;
    scatter_space space_;
    // Null if queries keep their clients' ports, because each port then has its own functions.
    std::unique_ptr<const Rounds> rounds_;
    std::uint64_t number_ = 0;
    std::uint64_t cycle_;
    std::uint64_t slot_mask_;
    std::uint32_t slot_bits_;
    std::uint32_t low_ = 0; // halves of the number, before they are scattered
    std::uint32_t high_ = 0;
    std::uint32_t sender_;
    std::uint32_t first_port_; // of this sender
};

// The slots in memory, mapped from the BPF map.
class SlotTable
{
public:
    SlotTable(int map_fd, const IdentityPlan &plan);

    [[nodiscard]] std::span<query_slot> of_sender(std::uint32_t sender)
    {
        return {static_cast<query_slot *>(memory_.data()) + std::size_t{sender} * slots_each_,
                slots_each_};
    }

private:
    std::uint32_t slots_each_;
    MappedMemory memory_;
};

} // namespace dnsgauge
