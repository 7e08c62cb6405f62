// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel half of the server: fakedns.bpf.c, configured, loaded and attached.
#pragma once

#include "fakedns/counters.h"

#include "fakedns_abi.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <string>
#include <vector>

struct fakedns;

namespace dnsgauge
{

class KernelResponder
{
public:
    // Answers `config.port` on `interface` from now until it is destroyed. Throws
    // UnsupportedError: this kernel or driver cannot; SetupError: anything else, see XdpLink.
    KernelResponder(const fakedns_config &config, const std::string &interface, XdpMode mode);
    ~KernelResponder();

    // native or generic
    [[nodiscard]] XdpMode mode() const { return link_.mode(); }

    // Sums over all CPUs, of the first queue and of each that counted anything.
    [[nodiscard]] std::vector<QueueCounters> counters() const;

private:
    std::string interface_;
    Skeleton<fakedns> skeleton_;
    XdpLink link_; // behind the program: detached first
};

} // namespace dnsgauge
