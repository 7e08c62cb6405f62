// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns what serves one interface and the VLAN interfaces that lie on it: sockets, the kernel
// program, and the zones. The zones of two interfaces differ only in the addresses of "ns".
#pragma once

#include "server/loader.h"
#include "server/options.h"
#include "server/responder_udp.h"

#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

class ServedInterface
{
public:
    // All arguments but the name must outlive the object. Without `quic` nothing answers over QUIC.
    // Without `faults` answers over connections are right. Throws SetupError.
    ServedInterface(const std::string &name, const ServerOptions &options, TcpResponder &tcp,
                    QuicResponder *quic, ServerCounters &counters, StreamFaults *faults,
                    UdpService &udp);

    // Returns the name that the interface had at the start.
    [[nodiscard]] const std::string &name() const { return name_; }
    // Returns whether the interface is still in this network namespace, under any name. Another
    // thread may call this function.
    [[nodiscard]] bool is_there() const;

    // Returns nothing if sockets alone answer.
    [[nodiscard]] const KernelResponder *kernel() const { return kernel_.get(); }

    // Other content, prepared for exchange().
    struct Next {
        answer_zones zones;
        std::shared_ptr<const KernelResponder::Program> program; // null: sockets alone answer
    };

    // Prepares other content. Another thread may call this function: see
    // KernelResponder::prepare(). Throws SetupError.
    [[nodiscard]] Next prepare(const ServerContent &content) const;
    // Answers from `next`, which then holds the previous content. Throws SetupError, and then has
    // changed nothing.
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
    std::vector<std::unique_ptr<UdpListener>> udp_;
    std::unique_ptr<KernelResponder> kernel_;
};

} // namespace dnsgauge
