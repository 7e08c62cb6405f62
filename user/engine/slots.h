// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of outstanding queries that senders and reply_clock.bpf.c share, and the identities by
// which a reply finds its slot. reply_clock_abi.h describes the scheme.
#pragma once

#include "host/mapped_memory.h"
#include "units/rate.h"

#include "reply_clock_abi.h"

#include <cstddef>
#include <cstdint>
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
    std::uint16_t id_mask = 0;
    // Nonzero: queries keep their clients' ports, and so many bits of the transaction ID number
    // each sender's.
    std::uint32_t id_bits = 0;

    [[nodiscard]] std::uint32_t slots_each() const { return 1U << slot_bits; }
    // Returns the number of identities before the first one is used again: whole rounds of the
    // slots, so that no slot is ever used again early.
    [[nodiscard]] std::uint64_t cycle() const;
};

// Returns the smallest plan in which no slot is used again before twice the timeout has passed at
// `rate`. Throws SetupError if ports × 65,536 transaction IDs are too few for that.
[[nodiscard]] IdentityPlan plan_identities(Rate rate, Nanoseconds timeout, std::uint16_t first_port,
                                           std::uint32_t ports, std::uint32_t senders,
                                           std::uint16_t id_mask);

// Returns the smallest such plan by which queries keep their clients' ports; nothing where
// transaction IDs are too few for that. Each slot has at least two tags, so that a reply to the
// slot's last query is told from one to the present query.
[[nodiscard]] std::optional<IdentityPlan>
plan_client_ports(Rate rate, Nanoseconds timeout, std::uint32_t senders, std::uint16_t id_mask);

// Yields one sender's identities, one after the other.
class IdentityWalk
{
public:
    IdentityWalk(const IdentityPlan &plan, std::uint32_t sender);

    [[nodiscard]] std::uint16_t port() const
    {
        return static_cast<std::uint16_t>(first_port_ + port_);
    }
    [[nodiscard]] std::uint16_t id() const { return static_cast<std::uint16_t>(id_ ^ id_mask_); }
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
            number_ = port_ = 0;
            id_ = first_id_;
        } else if (++port_ == ports_) {
            port_ = 0;
            id_++;
        }
    }

private:
    std::uint64_t number_ = 0;
    std::uint64_t cycle_;
    std::uint64_t slot_mask_;
    std::uint32_t slot_bits_;
    std::uint32_t port_ = 0;
    std::uint32_t ports_;
    std::uint32_t first_id_;
    std::uint32_t id_;
    std::uint32_t first_port_;
    std::uint16_t id_mask_;
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
