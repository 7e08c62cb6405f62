// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One interface that is served, with the VLAN interfaces on top of it: its zones, which are those
// of the others but for the addresses of "ns", its sockets and its kernel program.
#pragma once

#include "fakedns/loader.h"
#include "fakedns/responder_udp.h"
#include "fakedns/server_options.h"

#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

class ServedInterface
{
public:
    // All but the name outlive it. Throws SetupError.
    ServedInterface(const std::string &name, const ServerOptions &options, EventLoop &loop,
                    TcpResponder &tcp, UdpService &udp);

    // As it was called when it was first served.
    [[nodiscard]] const std::string &name() const { return name_; }
    // In this network namespace, by whatever name? May be called by another thread.
    [[nodiscard]] bool is_there() const;

    // Nothing where sockets alone answer.
    [[nodiscard]] const KernelSide *kernel() const { return kernel_.get(); }
    // Adds what its kernel program timed.
    void add_times(DurationHistogram &sum) const;

    // Other content, ready to be answered from.
    struct Next {
        answer_zones zones;
        std::shared_ptr<const KernelResponder::Successor> program;
    };

    // May be called by another thread, see KernelResponder::prepare(). Throws SetupError. Not for
    // one with faults.
    [[nodiscard]] Next prepare(const ServerContent &content) const;
    // `next` becomes what was answered from before. Throws SetupError: nothing has changed.
    void exchange(Next &next);

private:
    [[nodiscard]] answer_zones own_zones(const ServerContent &content) const;
    [[nodiscard]] fakedns_config kernel_config(const ServerContent &content,
                                               const answer_zones &zones) const;
    void attach(const ServerOptions &options);

    std::string name_;
    unsigned index_;
    const ServerSetup &setup_;
    answer_zones zones_;
    std::vector<std::unique_ptr<UdpResponder>> udp_;
    std::unique_ptr<KernelSide> kernel_;
    KernelResponder *changing_ = nullptr; // the same, where it does as it should
};

} // namespace dnsgauge
