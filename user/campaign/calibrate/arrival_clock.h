// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The clock at the other end of the Tester's link (bpf/arrival_clock.bpf.c).
#pragma once

#include "host/mapped_memory.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include "arrival_clock_abi.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

struct arrival_clock; // bpftool's skeleton

namespace dnsgauge
{

class ArrivalClock
{
public:
    // For `queries` names from number `first` on, to UDP port `port`; `interface` is one of the
    // thread's present network namespace. Throws SetupError.
    ArrivalClock(std::uint32_t first, std::uint32_t queries, std::uint16_t port,
                 const std::string &interface);
    ~ArrivalClock();

    // Takes no more packets.
    void detach();
    // When each came, CLOCK_MONOTONIC; 0: it did not.
    [[nodiscard]] std::span<const std::uint64_t> arrivals() const;
    [[nodiscard]] arrival_totals totals() const;

private:
    std::uint32_t queries_;
    Skeleton<::arrival_clock> skeleton_;
    std::optional<MappedMemory> memory_;
    std::optional<XdpLink> link_;
};

} // namespace dnsgauge
