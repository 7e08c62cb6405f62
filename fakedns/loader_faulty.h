// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel half of a server that misbehaves: fault.bpf.c, configured, loaded and attached, and
// the holder of its answers.
#pragma once

#include "fakedns/fault_counters.h"
#include "fakedns/frame_holder.h"
#include "fakedns/loader.h"

#include <optional>
#include <string>

struct fakedns_faulty;

namespace dnsgauge
{

// The faults, and the CPU on which answers wait.
struct FaultOptions {
    fault_plan plan{};
    std::optional<unsigned> cpu; // for the thread that holds answers

    // Returns whether there is any fault.
    [[nodiscard]] bool any() const { return plan.end[FAULTS - 1] != 0 || plan.pad_to != 0; }
};

class FaultyKernelResponder : public KernelSide
{
public:
    // Does what KernelResponder's constructor does. If answers must be held and AF_XDP is not
    // available, sockets answer those queries, and a line on stderr says why.
    FaultyKernelResponder(const fakedns_config &config, const FaultOptions &faults,
                          const std::string &interface, XdpMode mode);
    ~FaultyKernelResponder() override;

    [[nodiscard]] XdpMode mode() const override { return link_->mode(); }
    [[nodiscard]] bool is_attached() const override { return link_->is_attached(); }
    [[nodiscard]] std::vector<QueueCounters> counters() const override;
    [[nodiscard]] FaultCounters faults() const;

private:
    std::string interface_;
    std::unique_ptr<FrameHolder> holder_;
    Skeleton<fakedns_faulty> skeleton_;
    std::optional<XdpLink> link_;
};

} // namespace dnsgauge
