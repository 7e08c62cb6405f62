// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Configures, loads and attaches the kernel half of the server: fakedns.bpf.c or, for a server that
// misbehaves, fault.bpf.c.
#pragma once

#include "server/counters.h"
#include "server/faults.h"
#include "server/frame_holder.h"

#include "fakedns_abi.h"
#include "host/xdp_link.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The faults, and the CPU on which answers wait.
struct FaultOptions {
    fault_plan plan{};
    std::optional<unsigned> cpu; // for the thread that holds answers

    // Returns whether there is any fault.
    [[nodiscard]] bool any() const { return plan.end[FAULTS - 1] != 0 || plan.pad_to != 0; }
};

// Owns a program that answers in the kernel until the object is destroyed.
class KernelResponder
{
public:
    // Attaches a program that answers `config.port` on `interface`, with the faults of `faults`,
    // which outlives the object. If answers must be held and AF_XDP is not available, sockets
    // answer those queries, and a line on stderr says why. Throws UnsupportedError if this kernel
    // or driver cannot do that; SetupError for all other errors, see XdpLink.
    KernelResponder(const fakedns_config &config, const FaultOptions &faults,
                    const std::string &interface, XdpMode mode);

    // A loaded program.
    class Program;

    // Loads a program with another configuration, which takes time for the verifier. Another thread
    // may call this function during the life of the responder. Throws as the constructor does.
    [[nodiscard]] std::shared_ptr<const Program> prepare(const fakedns_config &config) const;

    // Swaps the answering program with `next`, between two packets. The counters go on. If somebody
    // has detached the old program, attaches the new one. Throws SetupError, and then has changed
    // nothing.
    void exchange(std::shared_ptr<const Program> &next);

    // Returns native or generic.
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] bool is_attached() const { return link_->is_attached(); }
    // Returns sums over all CPUs, for the first queue and for each queue that counted anything.
    [[nodiscard]] std::vector<QueueCounters> counters() const;
    // Adds the times of all CPUs.
    void add_times(DurationHistogram &sum) const;
    [[nodiscard]] FaultCounters faults() const;

private:
    const FaultOptions &options_;
    std::string interface_;
    bool redirects_;                         // see must_redirect()
    std::unique_ptr<FrameHolder> holder_;    // null if no answer is held here
    std::shared_ptr<const Program> program_; // the program that answers
    std::optional<XdpLink> link_;            // declared last: the program is detached first
};

} // namespace dnsgauge
