// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel half of the server: fakedns.bpf.c or, for a server that misbehaves, fault.bpf.c;
// configured, loaded and attached.
#pragma once

#include "server/counters.h"
#include "server/faults.h"
#include "server/frame_holder.h"

#include "fakedns_abi.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

struct fakedns;
struct fakedns_faulty;

namespace dnsgauge
{

// A program that answers in the kernel until the object is destroyed.
class KernelSide
{
public:
    KernelSide(const KernelSide &) = delete;
    KernelSide &operator=(const KernelSide &) = delete;
    virtual ~KernelSide() = default;

    // Returns native or generic.
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] bool is_attached() const { return link_->is_attached(); }
    // Returns sums over all CPUs, for the first queue and for each queue that counted anything.
    [[nodiscard]] std::vector<QueueCounters> counters() const;

protected:
    explicit KernelSide(const std::string &interface);
    void attach(int program, XdpMode mode) { link_.emplace(program, interface_, mode); }
    // Detaches the program. Call this in the destructor, before the program is closed.
    void detach() { link_.reset(); }
    [[nodiscard]] XdpLink &link() { return *link_; }
    [[nodiscard]] const std::string &interface() const { return interface_; }
    [[nodiscard]] bool redirects() const { return redirects_; } // see must_redirect()

private:
    // Returns the map `counters` of the program.
    [[nodiscard]] virtual int counters_map() const = 0;

    std::string interface_;
    bool redirects_;
    std::optional<XdpLink> link_;
};

class KernelResponder : public KernelSide
{
public:
    // Attaches a program that answers `config.port` on `interface` until the object is destroyed.
    // Throws UnsupportedError if this kernel or driver cannot; SetupError for all else, see
    // XdpLink.
    KernelResponder(const fakedns_config &config, const std::string &interface, XdpMode mode);
    ~KernelResponder() override;

    // A program with another configuration: loaded, but attached to nothing.
    class Successor;

    // Loads a program, which takes the verifier's time. Another thread may call this function
    // during the life of the responder. Throws as the constructor does.
    [[nodiscard]] std::shared_ptr<const Successor> prepare(const fakedns_config &config) const;

    // Makes the successor answer, from one packet to the next; `successor` then holds the program
    // that answered before. The counters go on. If somebody has detached the program that answered
    // before, attaches the successor. Throws SetupError, and then has changed nothing.
    void exchange(std::shared_ptr<const Successor> &successor);

    // Adds the times of all CPUs.
    void add_times(DurationHistogram &sum) const;

private:
    [[nodiscard]] int counters_map() const override;

    std::shared_ptr<const Successor> program_; // the program that answers
};

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

    [[nodiscard]] FaultCounters faults() const;

private:
    [[nodiscard]] int counters_map() const override;

    std::unique_ptr<FrameHolder> holder_;
    Skeleton<fakedns_faulty> skeleton_;
};

} // namespace dnsgauge
