// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial.h"

#include "engine/cpu_share.h"
#include "engine/idle_cpus.h"
#include "host/ethtool.h"
#include "machine/card.h"
#include "machine/card_stamping.h"
#include "machine/counters.h"
#include "machine/cpu_times.h"
#include "machine/handled.h"
#include "machine/interface_hold.h"
#include "machine/route.h"
#include "machine/zero_copy.h"
#include "trial/cache_fill.h"
#include "trial/circumstances.h"
#include "trial/conclusion.h"
#include "trial/cpu_use.h"
#include "trial/sender_cpu.h"
#include "trial/sending.h"
#include "trial/server_watch.h"
#include "trial/surroundings.h"
#include "trial/testers.h"
#include "userland/privileges.h"
#include "xdp/xdp_engine.h"

#include "wire/packet.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

FrameEnds frame_ends(const TrialPlan &plan, const Interface &interface, const NextHop &hop)
{
    return {.source_mac = interface.mac,
            .target_mac = hop.mac,
            .vlan = plan.vlan,
            .source = hop.source,
            .target = plan.server,
            .target_port = plan.server_port};
}

// Returns how many octets a reply's packet adds to the message on the wire.
unsigned wire_overhead(const TrialPlan &plan)
{
    constexpr unsigned around = 24; // preamble, frame check sequence and gap of Ethernet
    return PACKET_ETHERNET_SIZE + (plan.vlan ? PACKET_VLAN_SIZE : 0U) +
           (plan.server.is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) + PACKET_UDP_SIZE + around;
}

Handled handled_so_far(const Interface &interface)
{
    return read_handled(interface.name, Ethtool(interface.name).statistics(), "/");
}

PlacementResult placement_result(const Interface &interface, const Handled &handled)
{
    return {.handled = handled,
            .notes = handled_notes(handled),
            .card_node = card_node(interface.name, "/"),
            .interrupts = interrupt_cpus(interface.name, "/"),
            .places = cpu_places()};
}

std::vector<SenderTimes> sender_times(const Tally &tally)
{
    std::vector<SenderTimes> times;
    for (const LaneTally &lane : tally.lanes)
        times.push_back({.cpu = lane.cpu, .ran = lane.ran, .waited = lane.waited});
    return times;
}

std::optional<IpPrefix> clients_of(const TrialPlan &plan)
{
    const auto *capture = part_of<CaptureWorkload>(plan.workload);
    return capture == nullptr ? std::nullopt : capture->clients;
}

std::unique_ptr<JointTrial> begin_trial(const TrialPlan &plan, std::size_t senders)
{
    const auto count = static_cast<std::uint32_t>(senders);
    return plan.testers ? plan.testers->begin(plan, count) : make_alone(count);
}

} // namespace

// What a trial holds. Members are destroyed in reverse: the engine first, and the CPUs and the card
// get their settings back last.
class Trial::Parts
{
public:
    explicit Parts(const TrialPlan &plan);
    [[nodiscard]] std::vector<unsigned> capabilities() const;
    TrialResult run(const std::atomic<bool> &stop,
                    const std::function<void(const TrialProgress &)> &progress);

    [[nodiscard]] Circumstances circumstances() const;

private:
    [[nodiscard]] XdpPlan engine_plan(Rate peak) const;
    [[nodiscard]] Measurement measure(const std::atomic<bool> &stop,
                                      const std::function<void(const TrialProgress &)> &progress);
    void describe_lanes(Circumstances &with, const std::vector<LaneTally> &lanes) const;
    [[nodiscard]] bool next_hop_moved() const;

    TrialPlan plan_;
    std::uint64_t queries_;
    Interface interface_;
    std::vector<unsigned> cpus_;
    std::vector<unsigned> queues_;
    std::unique_ptr<JointTrial> joint_;
    CpusKeptFree kept_free_; // of all threads but the senders
    std::optional<CpusKeptAwake> kept_awake_;
    NextHop hop_;
    StampSources stamp_sources_;
    std::optional<CardStamping> card_stamping_;
    StampPlan stamp_plan_;
    Nanoseconds stall_limit_;
    // The clock is loaded before the engine takes its memory: libbpf reads all of the kernel's
    // types.
    ServerWatch server_;
    std::optional<XdpEngine> engine_;
    std::optional<InterfaceHold> hold_;
};

Trial::Parts::Parts(const TrialPlan &plan)
    : plan_(plan), queries_(count_queries(plan)), interface_(find_interface(plan.interface)),
      cpus_(choose_cpus(plan, interface_)), queues_(choose_queues(plan, cpus_.size(), interface_)),
      joint_(begin_trial(plan, cpus_.size())), kept_free_(cpus_),
      hop_(find_next_hop(interface_, plan.server, plan.source, plan.server_mac)),
      stamp_sources_(stamp_sources(plan, interface_)),
      stamp_plan_(start_stamping(plan.stamps, stamp_sources_, card_stamping_)),
      stall_limit_(stall_limit_of(plan)), server_(plan, interface_, stall_limit_)
{
    if (plan.idle_cpus == IdleCpus::poll)
        kept_awake_.emplace();
    if (plan.tx.copy_mode == CopyMode::zero_copy && stamp_sources_.driver &&
        stamp_sources_.driver->zero_copy)
        refuse_obstacle_to_zero_copy(interface_);
    Sending sending = sending_of(plan_, frame_ends(plan_, interface_, hop_), joint_->shares(),
                                 static_cast<std::uint32_t>(cpus_.size()));
    engine_.emplace(engine_plan(sending.peak), std::move(sending.source));
    hold_.emplace(plan.interface); // another series may be in a pause
}

XdpPlan Trial::Parts::engine_plan(Rate peak) const
{
    return {.run = {.cpus = cpus_,
                    .first_share = joint_->shares().first,
                    .shares = joint_->shares().all,
                    .schedule = schedule_of(plan_),
                    .queries = queries_,
                    .timeout = plan_.timeout,
                    .stall_limit = stall_limit_,
                    .bearable = lateness_allowed(plan_.timeout, plan_.tolerances),
                    .catch_up_per_mille =
                        static_cast<std::uint32_t>(std::lround(plan_.catch_up.value_or(0) * 1000)),
                    .intervals = {.length = plan_.interval.value_or(Nanoseconds{}),
                                  .run = plan_.duration},
                    .per_query_file = plan_.per_query_file},
            .judge = judge_plan(plan_),
            .interface = interface_,
            .xdp_mode = plan_.xdp_mode,
            .tx = plan_.tx,
            .queues = queues_,
            .ends = frame_ends(plan_, interface_, hop_),
            .clients = clients_of(plan_),
            .source_ports = plan_.source_ports,
            .first_source_port = plan_.first_source_port,
            .peak = peak,
            .stamps = {.receive = stamp_plan_.receive,
                       .transmit = stamp_plan_.transmit,
                       .has_driver_transmit =
                           stamp_sources_.driver && stamp_sources_.driver->tx_timestamp,
                       .must_have_both = plan_.stamps == StampMode::on}};
}

std::vector<unsigned> Trial::Parts::capabilities() const
{
    std::vector<unsigned> needed{CAP_SYS_NICE};
    if (card_stamping_)
        needed.push_back(CAP_NET_ADMIN);
    return needed;
}

// The senders look at `ends` as often as `progress` is called.
Measurement Trial::Parts::measure(const std::atomic<bool> &stop,
                                  const std::function<void(const TrialProgress &)> &progress)
{
    Measurement measured;
    measured.server = to_string(plan_.server);
    measured.circumstances = circumstances();
    measured.path = engine_->path();
    measured.wire_overhead = wire_overhead(plan_);
    measured.stall_limit = stall_limit_;
    measured.keeps_client_ports = engine_->keeps_client_ports();
    const std::optional<IpPrefix> clients = clients_of(plan_);
    if (clients)
        measured.clients_in = to_string(*clients);
    const std::vector<ReadyTester> ready =
        joint_->get_ready({.circumstances = measured.circumstances, .clients = clients});
    if (plan_.same_modes_as)
        check_same_modes(*plan_.same_modes_as, ready);
    const MachineTimes times_before = read_machine_times();
    const CounterValues before = read_counters(interface_);
    const Surroundings names_before = surroundings_of(interface_.index);
    const Handled handled_before = handled_so_far(interface_);
    const Nanoseconds start = joint_->common_start();
    server_.begin(start);
    MachineTimes times_after;
    Handled handled_after = handled_before;
    CounterValues growth;
    const auto read_counters_again = [&] {
        if (!measured.faults.not_counted)
            measured.faults.not_counted =
                !read_afterwards(measured.doubts, "what " + interface_.name + " dropped",
                                 [&] { growth = grown(before, read_counters(interface_)); });
    };
    std::atomic<bool> ends{stop.load()};

    measured.since = std::chrono::system_clock::now().time_since_epoch() +
                     (start - Clock::now().time_since_epoch());
    measured.tally = engine_->run(
        start, {.stop = ends,
                .progress =
                    [&](const RunProgress &now) {
                        ends = ends || stop || joint_->is_stopped();
                        progress(now);
                    },
                .heard_all =
                    [&] {
                        server_.end();
                        times_after = read_machine_times();
                        static_cast<void>(
                            read_afterwards(measured.doubts, "what each queue and CPU handled",
                                            [&] { handled_after = handled_so_far(interface_); }));
                        // The senders notice that the link is down only when they
                        // send. Some drivers reset their link when a program leaves.
                        read_counters_again();
                        measured.faults.link_failed = growth.contains("carrier_down");
                    },
                .detached =
                    [&] {
                        measured.faults.interrupted = ends || stop;
                        measured.until = measured.since + (Clock::now().time_since_epoch() - start);
                        read_counters_again();
                    }});

    static_cast<void>(
        read_afterwards(measured.doubts,
                        "whether a name of the interface or of the network namespace changed", [&] {
                            for (std::string &doubt :
                                 doubts_of_change(names_before, surroundings_of(interface_.index)))
                                measured.doubts.push_back(std::move(doubt));
                        }));
    measured.losses = engine_->losses(measured.tally, growth);
    static_cast<void>(read_afterwards(measured.doubts,
                                      "whether the next hop has another Ethernet address",
                                      [&] { measured.faults.next_hop_moved = next_hop_moved(); }));
    measured.cpus = cpu_use(times_before, times_after, sender_times(measured.tally),
                            engine_->receiving_cpus(), server_.sides());
    server_.take_absences(measured, start);
    measured.placement = placement_result(interface_, grown(handled_before, handled_after));
    describe_lanes(measured.circumstances, measured.tally.lanes);
    return measured;
}

TrialResult Trial::Parts::run(const std::atomic<bool> &stop,
                              const std::function<void(const TrialProgress &)> &progress)
{
    return conclude(plan_, joint_->exchange(measure(stop, progress)), joint_->shares().all);
}

// This also finds a wrong --server-mac, if the kernel knows the next hop.
bool Trial::Parts::next_hop_moved() const
{
    const std::optional<MacAddress> now =
        known_neighbour(interface_, hop_.gateway.value_or(plan_.server));
    return now && *now != hop_.mac;
}

Circumstances Trial::Parts::circumstances() const
{
    Circumstances circumstances = machine_circumstances();
    circumstances.sender_cpus = cpus_;
    if (plan_.cpus.empty())
        circumstances.sender_cpus_why = default_sender_cpu().why;
    if (const FoundQueue *found = found_queue(plan_))
        circumstances.sender_cpus_why += "; " + found->why;
    circumstances.interface = interface_.name;
    circumstances.driver = interface_.driver;
    circumstances.mtu = interface_.mtu;
    circumstances.link_mbps = interface_.speed_mbps;
    circumstances.queues = static_cast<unsigned>(cpus_.size());
    circumstances.xdp_mode = to_string(engine_->xdp_mode());
    circumstances.af_xdp_mode = engine_->is_zero_copy() ? "zero-copy" : "copy";
    circumstances.umem_pages = engine_->has_huge_pages() ? "huge" : "normal";
    circumstances.busy_poll = plan_.tx.busy_poll;
    circumstances.link_wait = engine_->link_wait();
    circumstances.idle_cpus_poll = kept_awake_ && kept_awake_->are_kept();
    if (!engine_->is_zero_copy())
        circumstances.kick_budget = engine_->kick_budget();
    circumstances.source_address = to_string(hop_.source);
    circumstances.next_hop_mac = to_string(hop_.mac);
    circumstances.source_ports = plan_.source_ports;
    circumstances.first_source_port = plan_.first_source_port;
    circumstances.server_absences = server_.told();
    return circumstances;
}

// Names the clocks that stamped packets; a clock that stamped none is "none".
void Trial::Parts::describe_lanes(Circumstances &with, const std::vector<LaneTally> &lanes) const
{
    for (const LaneTally &lane : lanes) {
        with.sender_nice = std::max(with.sender_nice, lane.nice);
        if (lane.stamps.received != 0)
            with.receive_stamps = "hardware";
        if (lane.stamps.transmitted != 0)
            with.transmit_stamps = engine_->transmit_stamps();
        with.contradictory_stamps += lane.stamps.contradictory;
    }
}

Trial::Trial(const TrialPlan &plan)
{
    static_cast<void>(count_queries(plan));
    fill_cache(plan);
    TrialPlan whole = plan;
    load_list(whole);
    parts_ = std::make_unique<Parts>(whole);
}

Trial::~Trial() = default;

std::vector<unsigned> Trial::capabilities() const
{
    return parts_->capabilities();
}

Circumstances Trial::circumstances() const
{
    return parts_->circumstances();
}

TrialResult Trial::run(const std::atomic<bool> &stop,
                       const std::function<void(const TrialProgress &)> &progress)
{
    return parts_->run(stop, progress);
}

} // namespace dnsgauge
