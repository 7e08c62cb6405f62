// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel half of the server: fakedns.bpf.c, configured, loaded and attached.
#pragma once

#include "fakedns/counters.h"

#include "fakedns_abi.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <string>

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

    // Sums over all CPUs.
    [[nodiscard]] virtual Counters counters() const = 0;
};

// The sums of the map `counters` of fakedns.bpf.c.
[[nodiscard]] Counters sum_counters(int map_fd);

class KernelResponder : public KernelSide
{
public:
    // Answers `config.port` on `interface` from now until it is destroyed. Throws
    // UnsupportedError: this kernel or driver cannot; SetupError: anything else, see XdpLink.
    KernelResponder(const fakedns_config &config, const std::string &interface, XdpMode mode);
    ~KernelResponder() override;

    [[nodiscard]] XdpMode mode() const override { return link_.mode(); }
    [[nodiscard]] Counters counters() const override;

private:
    Skeleton<fakedns> skeleton_;
    XdpLink link_; // behind the program: detached first
};

} // namespace dnsgauge
