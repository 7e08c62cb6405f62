// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel half of the server: fakedns.bpf.c, configured, loaded and attached.
#pragma once

#include "fakedns/counters.h"

#include "fakedns_abi.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <memory>
#include <string>
#include <vector>

struct fakedns;

namespace dnsgauge
{

// A program that answers in the kernel from now until it is destroyed.
class KernelSide
{
public:
    KernelSide() = default;
    KernelSide(const KernelSide &) = delete;
    KernelSide &operator=(const KernelSide &) = delete;
    virtual ~KernelSide() = default;

    // native or generic
    [[nodiscard]] virtual XdpMode mode() const = 0;
    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] virtual bool is_attached() const = 0;

    // Sums over all CPUs, of the first queue and of each that counted anything.
    [[nodiscard]] virtual std::vector<QueueCounters> counters() const = 0;
};

// The sums of the map `counters` of fakedns.bpf.c.
[[nodiscard]] std::vector<QueueCounters> sum_counters(int map_fd, const std::string &interface);

class KernelResponder : public KernelSide
{
public:
    // Answers `config.port` on `interface` from now until it is destroyed. Throws
    // UnsupportedError: this kernel or driver cannot; SetupError: anything else, see XdpLink.
    KernelResponder(const fakedns_config &config, const std::string &interface, XdpMode mode);
    ~KernelResponder() override;

    // A configuration that could be answered by: loaded, but attached to nothing.
    class Successor;

    // Takes the verifier's time. It may be called by another thread than the responder's other
    // functions, while it exists. Throws as the constructor does.
    [[nodiscard]] std::shared_ptr<const Successor> prepare(const fakedns_config &config) const;

    // From one packet to the next the successor answers, and becomes its predecessor. The counters
    // go on. Attaches the successor where the predecessor has been detached. Throws SetupError:
    // nothing has changed.
    void exchange(std::shared_ptr<const Successor> &successor);

    [[nodiscard]] XdpMode mode() const override { return link_.mode(); }
    [[nodiscard]] bool is_attached() const override { return link_.is_attached(); }
    [[nodiscard]] std::vector<QueueCounters> counters() const override;

    // Adds the times of all CPUs.
    void add_times(DurationHistogram &sum) const;

private:
    std::string interface_;
    bool redirects_;                           // see must_redirect()
    std::shared_ptr<const Successor> program_; // the one that answers
    XdpLink link_;                             // behind the program: detached first
};

} // namespace dnsgauge
