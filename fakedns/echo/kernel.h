// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// echo.bpf.c, configured, loaded and attached.
#pragma once

#include "echo/options.h"

#include "echo_abi.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"

#include <optional>
#include <vector>

struct echo;

namespace dnsgauge
{

class KernelEcho
{
public:
    // For options.model xdp the kernel echoes from now until this is destroyed; for af_xdp queries
    // go to the AF_XDP sockets in sockets(). Throws UnsupportedError: this kernel or driver cannot;
    // SetupError: anything else, see XdpLink.
    explicit KernelEcho(const EchoOptions &options);
    ~KernelEcho();

    // native or generic
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    // The map of sockets by receive queue.
    [[nodiscard]] int sockets() const;
    // One for each possible CPU.
    [[nodiscard]] std::vector<echo_counters> counters() const;

private:
    Skeleton<echo> skeleton_;
    std::optional<XdpLink> link_; // behind the program: detached first
};

} // namespace dnsgauge
