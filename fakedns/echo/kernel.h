// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns echo.bpf.c, configured, loaded and attached.
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
    // With options.model xdp the kernel echoes until the object is destroyed; with af_xdp queries
    // go to the AF_XDP sockets in sockets(). Throws UnsupportedError if this kernel or driver
    // cannot do that; SetupError for anything else, see XdpLink.
    explicit KernelEcho(const EchoOptions &options);
    ~KernelEcho();

    // Returns native or generic.
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    // Returns the map of sockets by receive queue.
    [[nodiscard]] int sockets() const;
    // Returns one value for each possible CPU.
    [[nodiscard]] std::vector<echo_counters> counters() const;

private:
    Skeleton<echo> skeleton_;
    std::optional<XdpLink> link_; // declared behind the program, so that the link is detached first
};

} // namespace dnsgauge
