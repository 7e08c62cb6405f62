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
    // Attaches the clock to `interface` of the calling thread's network namespace. The clock notes
    // queries to UDP port `port` for `queries` names from number `first` on. Throws SetupError.
    ArrivalClock(std::uint32_t first, std::uint32_t queries, std::uint16_t port,
                 const std::string &interface);
    ~ArrivalClock();

    // Detaches the program: no more packets reach it.
    void detach();
    // Returns when each query arrived (CLOCK_MONOTONIC); 0 if it did not arrive.
    [[nodiscard]] std::span<const std::uint64_t> arrivals() const;
    [[nodiscard]] arrival_totals totals() const;

private:
    std::uint32_t queries_;
    Skeleton<::arrival_clock> skeleton_;
    std::optional<MappedMemory> memory_;
    std::optional<XdpLink> link_;
};

} // namespace dnsgauge
