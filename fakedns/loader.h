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

// A program that answers in the kernel until the object is destroyed.
class KernelSide
{
public:
    KernelSide() = default;
    KernelSide(const KernelSide &) = delete;
    KernelSide &operator=(const KernelSide &) = delete;
    virtual ~KernelSide() = default;

    // Returns native or generic.
    [[nodiscard]] virtual XdpMode mode() const = 0;
    // Returns false once somebody has detached the program, or the interface is gone.
    [[nodiscard]] virtual bool is_attached() const = 0;

    // Returns sums over all CPUs, for the first queue and for each queue that counted anything.
    [[nodiscard]] virtual std::vector<QueueCounters> counters() const = 0;
};

// Returns the sums of the map `counters` of fakedns.bpf.c.
[[nodiscard]] std::vector<QueueCounters> sum_counters(int map_fd, const std::string &interface);

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

    [[nodiscard]] XdpMode mode() const override { return link_.mode(); }
    [[nodiscard]] bool is_attached() const override { return link_.is_attached(); }
    [[nodiscard]] std::vector<QueueCounters> counters() const override;

    // Adds the times of all CPUs.
    void add_times(DurationHistogram &sum) const;

private:
    std::string interface_;
    bool redirects_;                           // see must_redirect()
    std::shared_ptr<const Successor> program_; // the program that answers
    XdpLink link_; // declared after the program, so that it is detached first
};

} // namespace dnsgauge
