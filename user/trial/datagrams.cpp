// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/route.h"
#include "system/privileges.h"
#include "trial/carrier.h"
#include "trial/sender_cpu.h"
#include "xdp/xdp_engine.h"

#include "wire/packet.h"

#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

FrameEnds frame_ends(const TrialPlan &plan, const XdpOptions &options, const Interface &interface,
                     const NextHop &hop)
{
    return {.source_mac = interface.mac,
            .target_mac = hop.mac,
            .vlan = options.vlan,
            .source = hop.source,
            .target = plan.server,
            .target_port = plan.server_port};
}

class Datagrams final : public Carrier
{
public:
    explicit Datagrams(CarrierPlan plan);

    [[nodiscard]] Engine &engine() override { return *engine_; }
    [[nodiscard]] std::vector<unsigned> capabilities() const override;
    void describe(Measurement &measured) const override;
    void describe_run(Measurement &measured) const override;
    [[nodiscard]] std::vector<unsigned> receiving_cpus() const override
    {
        return engine_->receiving_cpus();
    }
    [[nodiscard]] bool next_hop_moved() const override;

private:
    [[nodiscard]] XdpPlan engine_plan(RunPlan run, Rate peak) const;

    const TrialPlan &plan_;
    const Interface &interface_;
    XdpOptions options_;
    std::vector<unsigned> queues_;
    NextHop hop_;
    std::optional<XdpEngine> engine_;
};

Datagrams::Datagrams(CarrierPlan plan)
    : plan_(plan.trial), interface_(plan.interface), options_(xdp_options_in(plan_.engine_options)),
      queues_(choose_queues(plan_, plan.run.cpus.size(), interface_)),
      hop_(find_next_hop(interface_, plan_.server, plan_.source, options_.server_mac))
{
    const auto senders = static_cast<std::uint32_t>(plan.run.cpus.size());
    QuerySources sources = query_sources(plan, hop_.source);
    engine_.emplace(engine_plan(std::move(plan.run), peak_of(plan_, plan.shares, senders)),
                    std::move(sources));
}

XdpPlan Datagrams::engine_plan(RunPlan run, Rate peak) const
{
    XdpOptions options = options_;
    if (!plan_.wants_stamps)
        options.stamps = StampMode::off;
    return {.run = std::move(run),
            .judge = judge_plan(plan_),
            .interface = interface_,
            .options = options,
            .queues = queues_,
            .ends = frame_ends(plan_, options, interface_, hop_),
            .clients = clients_of(plan_),
            .peak = peak};
}

std::vector<unsigned> Datagrams::capabilities() const
{
    return engine_->has_changed_card() ? std::vector<unsigned>{CAP_NET_ADMIN}
                                       : std::vector<unsigned>{};
}

void Datagrams::describe(Measurement &measured) const
{
    if (const FoundQueue *found = found_queue(plan_))
        measured.circumstances.sender_cpus_why += "; " + found->why;
    engine_->describe(measured.circumstances);
    measured.keeps_client_ports = engine_->keeps_client_ports();
    measured.wire_overhead = PACKET_ETHERNET_SIZE + (options_.vlan ? PACKET_VLAN_SIZE : 0U) +
                             (plan_.server.is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) +
                             PACKET_UDP_SIZE + wire_gap;
}

// Names the clocks that stamped packets; "none" means that no packet was stamped.
void Datagrams::describe_run(Measurement &measured) const
{
    Circumstances &with = measured.circumstances;
    for (const LaneTally &lane : measured.tally.lanes) {
        if (lane.stamps.received != 0)
            with.receive_stamps = "hardware";
        if (lane.stamps.transmitted != 0)
            with.transmit_stamps = engine_->transmit_stamps();
        with.contradictory_stamps += lane.stamps.contradictory;
    }
}

// Also finds a wrong --server-mac, if the kernel knows the next hop.
bool Datagrams::next_hop_moved() const
{
    const std::optional<MacAddress> now =
        known_neighbour(interface_, hop_.gateway.value_or(plan_.server));
    return now && *now != hop_.mac;
}

} // namespace

std::unique_ptr<Carrier> make_datagrams(CarrierPlan plan)
{
    return std::make_unique<Datagrams>(std::move(plan));
}

} // namespace dnsgauge
