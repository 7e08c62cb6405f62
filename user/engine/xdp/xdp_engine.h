// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Datagrams by AF_XDP: sockets that send, and a program that judges and times the replies inside
// the kernel.
#pragma once

#include "dns/ip_prefix.h"
#include "engine/engine.h"
#include "engine/lane_threads.h"
#include "engine/query_log.h"
#include "machine/interface.h"
#include "workload/query_source.h"
#include "xdp/frames.h"
#include "xdp/link.h"
#include "xdp/reply_clock.h"
#include "xdp/sender.h"
#include "xdp/slots.h"
#include "xdp/stamps.h"
#include "xdp/xdp_options.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dnsgauge
{

struct XdpPlan {
    RunPlan run;
    JudgePlan judge;

    Interface interface;
    XdpOptions options;
    std::vector<unsigned> queues; // the lanes' transmit queues
    FrameEnds ends;
    std::optional<IpPrefix> clients; // the addresses of the clients of captures
    Rate peak;                       // the highest rate of this host's lanes over twice the timeout
};

class XdpEngine final : public Engine
{
public:
    // Loads and attaches the program, binds the sockets and opens the per-query file. Waits until
    // the link is up and each queue has sent a frame, which no host answers; a veth pair needs
    // neither. Drops packets that waited in a veth end's ring. Throws SetupError, and then leaves
    // nothing attached and no file emptied.
    XdpEngine(XdpPlan plan, QuerySources sources);
    ~XdpEngine() override;

    [[nodiscard]] RunPath path() const override { return path_over(plan_.interface); }
    [[nodiscard]] Tally run(Nanoseconds start, const RunWatch &watch) override;
    [[nodiscard]] OwnLosses losses(const Tally &tally, const CounterValues &growth) const override;

    // Adds how queries and replies travel.
    void describe(Circumstances &with) const;
    // Returns whether each query leaves from its client's port.
    [[nodiscard]] bool keeps_client_ports() const { return identities_.id_bits != 0; }
    // Returns whether the card's settings are changed until the engine ends.
    [[nodiscard]] bool has_changed_card() const { return card_stamping_.has_value(); }
    // Returns whose transmit stamps are taken: "none", "software" or "hardware".
    [[nodiscard]] const char *transmit_stamps() const { return transmit_stamps_; }
    // Returns the CPUs that dealt with at least a hundredth of the replies each.
    [[nodiscard]] std::vector<unsigned> receiving_cpus() const { return clock_.receiving_cpus(); }

private:
    class Lane;

    void await_link();
    void make_stamp_books();
    void make_log();
    void send(const RunWatch &watch);
    void listen(const RunWatch &watch);
    [[nodiscard]] RunProgress progress_now() const;
    [[nodiscard]] Tally settle();

    // Members are destroyed in reverse: senders and sockets before the memory that they use, and
    // the program last.
    XdpPlan plan_;
    QuerySources sources_;
    IdentityPlan identities_;
    StampSources stamp_sources_;
    std::optional<CardStamping> card_stamping_;
    StampPlan stamps_;
    const char *transmit_stamps_ = "none";
    ReplyClock clock_;
    SlotTable slots_;
    std::vector<IdentityWalk> walks_; // one for each lane, for the log; empty if not needed
    std::optional<QueryLog> log_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<LaneThread> threads_; // the lanes', in a run
    std::int64_t start_ns_ = 0;
    Nanoseconds link_wait_{};
};

} // namespace dnsgauge
