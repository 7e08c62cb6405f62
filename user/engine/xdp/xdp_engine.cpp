// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/xdp_engine.h"

#include "engine/listening.h"
#include "host/bpf_kernel.h"
#include "machine/card.h"
#include "system/random.h"
#include "system/setup_error.h"
#include "system/system_calls.h"
#include "xdp/frames.h"
#include "xdp/interface_losses.h"
#include "xdp/link.h"

#include "wire/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

// Throws SetupError if the interface cannot send the longest frame.
void check_length(const XdpPlan &plan, const QuerySources &sources)
{
    const std::uint32_t length = MessageFrames(plan.ends, sources.longest()).length();
    if (length > plan.interface.mtu + PACKET_ETHERNET_SIZE + PACKET_VLAN_SIZE)
        throw SetupError("a query takes {} octets, but the MTU of {} is {}: raise it", length,
                         plan.interface.name, plan.interface.mtu);
}

void check_ports(const XdpPlan &plan)
{
    const std::size_t senders = plan.run.cpus.size();
    const std::uint64_t last =
        plan.options.first_source_port + plan.options.source_ports * senders - 1;
    if (last > 65535)
        throw SetupError("--source-ports {} for {} from port {} on would end at {}, and the last "
                         "port is 65535: give fewer source ports",
                         plan.options.source_ports,
                         senders == 1 ? "the sender" : fmt::format("each of {} senders", senders),
                         plan.options.first_source_port, last);
}

IdentityPlan identities_for(const XdpPlan &plan)
{
    const auto senders = static_cast<std::uint32_t>(plan.run.cpus.size());
    const scatter_key key = new_scatter_key();
    // Clients with addresses of their own need no ports of the Tester: only the server sends to
    // these addresses.
    if (plan.clients)
        if (const auto identities = plan_client_ports(plan.peak, plan.run.timeout, senders, key))
            return *identities;
    // The ports are checked first: they limit how many slots plan_identities() may make.
    check_ports(plan);
    return plan_identities(plan.peak, plan.run.timeout, plan.options.first_source_port,
                           plan.options.source_ports, senders, key);
}

reply_clock_config config_of(const XdpPlan &plan, const IdentityPlan &identities)
{
    reply_clock_config config{};
    config.rule = plan.judge.rule;
    config.questions = plan.judge.questions;
    config.reads_data = plan.judge.reads_data ? 1 : 0;
    config.timeout_ns = static_cast<std::uint64_t>(plan.run.timeout.count());
    std::ranges::copy(plan.ends.target.bytes, config.server_address);
    std::ranges::copy(plan.ends.source.bytes, config.tester_address);
    config.is_ipv6 = plan.ends.target.is_ipv6 ? 1 : 0;
    config.server_port = plan.ends.target_port;
    if (plan.clients) {
        const IpAddress last = plan.clients->address(plan.clients->size() - 1);
        config.has_clients = 1;
        std::ranges::copy(plan.clients->first.bytes, config.tester_address);
        for (std::size_t i = 0; i < last.bytes.size(); i++)
            config.client_bits[i] =
                static_cast<std::uint8_t>(plan.clients->first.bytes[i] ^ last.bytes[i]);
    }
    config.first_port = identities.first_port;
    config.ports = identities.ports;
    config.senders = identities.senders;
    config.slot_bits = identities.slot_bits;
    config.identities = identities.key;
    config.id_bits = static_cast<std::uint8_t>(identities.id_bits);
    return config;
}

} // namespace

// A sender with its transmit queue.
class XdpEngine::Lane
{
public:
    Lane(const XdpPlan &plan, std::uint32_t number, bool takes_stamps)
        : umem_(Sender::send_frames, takes_stamps),
          socket_(plan.interface.name, plan.queues[number], umem_, plan.options.tx), number_(number)
    {
        if (plan.run.intervals.count() != 0)
            intervals_.emplace(plan.run.intervals);
    }

    void send_first_frames(const XdpPlan &plan)
    {
        dnsgauge::send_first_frames(plan.interface, umem_, socket_, plan.options.tx.busy_poll);
    }
    void make_stamp_book(const IdentityPlan &identities, bool same_clock)
    {
        stamps_.emplace(identities.slots_each(), umem_.send_frames(), same_clock);
    }
    void make_sender(const XdpPlan &plan, const IdentityPlan &identities,
                     const QuerySources &sources, SlotTable &slots, QueryLog *log);
    [[nodiscard]] LaneTally tally(const XdpPlan &plan) const;

    [[nodiscard]] const Umem &umem() const { return umem_; }
    [[nodiscard]] const TxSocket &socket() const { return socket_; }
    [[nodiscard]] Sender &sender() { return *sender_; }

private:
    Umem umem_;
    TxSocket socket_;
    std::uint32_t number_;
    std::optional<StampBook> stamps_;
    std::optional<IntervalBook> intervals_;
    std::unique_ptr<Sender> sender_;
};

void XdpEngine::Lane::make_sender(const XdpPlan &plan, const IdentityPlan &identities,
                                  const QuerySources &sources, SlotTable &slots, QueryLog *log)
{
    QueryRing *ring = log != nullptr ? &log->ring(number_) : nullptr;
    const bool logs_all = plan.run.per_query_file || plan.run.per_query;
    const SenderPlan mine{.lane = number_,
                          .duration = plan.run.schedule.duration,
                          .timeout = plan.run.timeout,
                          .stall_limit = plan.run.stall_limit,
                          .bearable = plan.run.bearable,
                          .catch_up_per_mille = plan.run.catch_up_per_mille,
                          .has_card = !plan.interface.ends_on_this_machine(),
                          .identities = identities};
    sender_ = dnsgauge::make_sender(sources, plan.ends, mine,
                                    {.umem = umem_,
                                     .socket = socket_,
                                     .slots = slots.of_sender(number_),
                                     .log = logs_all ? ring : nullptr,
                                     .late_log = logs_all ? nullptr : ring,
                                     .stamps = stamps_ ? &*stamps_ : nullptr,
                                     .intervals = intervals_ ? &*intervals_ : nullptr});
}

LaneTally XdpEngine::Lane::tally(const XdpPlan &plan) const
{
    LaneTally tally = sender_->tally();
    tally.share = plan.run.first_share + number_;
    tally.queue = plan.queues[number_];
    tally.cpu = plan.run.cpus[number_];
    tally.kicks = socket_.statistics().kicks;
    return tally;
}

XdpEngine::XdpEngine(XdpPlan plan, QuerySources sources)
    : plan_(std::move(plan)), sources_(std::move(sources)), identities_(identities_for(plan_)),
      stamp_sources_(stamp_sources(plan_.options, plan_.interface)),
      stamps_(start_stamping(plan_.options.stamps, stamp_sources_, card_stamping_)),
      clock_(config_of(plan_, identities_), sources_.expectations(),
             stamps_.receive ? std::optional(plan_.interface.index) : std::nullopt),
      slots_(clock_.slots_fd(), identities_)
{
    if (plan_.options.tx.copy_mode == CopyMode::zero_copy && stamp_sources_.driver &&
        stamp_sources_.driver->zero_copy)
        refuse_obstacle_to_zero_copy(plan_.interface);
    check_length(plan_, sources_);
    check_bpf_clock();
    // Packets of earlier traffic may lie in the ring until a program reads them.
    if (plan_.interface.ends_on_this_machine())
        drain_ring(plan_.interface);
    clock_.attach(plan_.interface.name, plan_.options.xdp_mode);
    for (std::uint32_t i = 0; i < plan_.run.cpus.size(); i++)
        lanes_.push_back(std::make_unique<Lane>(plan_, i, stamps_.transmit));
    await_link();
    // Packets that came before the first query do not belong to the run.
    clock_.forget();
    make_stamp_books();
    // Opening the log empties an existing file, so the log comes last, when nothing can be refused
    // any more.
    make_log();
    for (const auto &lane : lanes_)
        lane->make_sender(plan_, identities_, sources_, slots_, log_ ? &*log_ : nullptr);
}

XdpEngine::~XdpEngine() = default;

void XdpEngine::make_log()
{
    QueryLogPlan plan{.file = plan_.run.per_query_file,
                      .put_query =
                          [this](char *end, const QueryRecord &record) {
                              return sources_.put_text(end, record.query, record.expectation);
                          },
                      .take = plan_.run.per_query,
                      .witness = plan_.run.witness,
                      .sent =
                          [this](const QueryRecord &record) {
                              return walks_[record.sender].identity_of(
                                  record.place, sources_.client_port(record.query));
                          }};
    const auto senders = static_cast<std::uint32_t>(lanes_.size());
    if (plan.witness != nullptr)
        for (std::uint32_t sender = 0; sender < senders; sender++)
            walks_.emplace_back(identities_, sender);
    if (plan.is_wanted())
        log_.emplace(std::move(plan), senders);
}

// A veth pair's link stays up, whatever its programs do.
void XdpEngine::await_link()
{
    if (plan_.interface.ends_on_this_machine())
        return;
    const auto begin = Clock::now();
    static_cast<void>(find_interface(plan_.interface.name)); // has a carrier again
    for (const auto &lane : lanes_)
        lane->send_first_frames(plan_);
    link_wait_ = Clock::now() - begin;
}

// The sockets are bound by now and know their mode, which decides who stamps what is sent: the
// kernel in copy mode, the card in zero-copy mode.
void XdpEngine::make_stamp_books()
{
    const bool has_room = lanes_.front()->umem().has_stamps();
    const bool is_zero_copy = lanes_.front()->socket().is_zero_copy();
    const bool are_software = has_room && !is_zero_copy;
    const bool are_hardware =
        has_room && is_zero_copy && stamp_sources_.driver && stamp_sources_.driver->tx_timestamp;
    if (are_software)
        transmit_stamps_ = "software";
    if (are_hardware)
        transmit_stamps_ = "hardware";
    const bool both = clock_.takes_stamps() && are_hardware;
    if (plan_.options.stamps == StampMode::on && !both)
        throw SetupError("--hardware-timestamps on: " + plan_.interface.name + " stamps what it " +
                         (clock_.takes_stamps() ? "receives, but not what it sends"
                                                : "sends, but not what it receives") +
                         ": give auto or off");
    if (!are_software && !are_hardware && !clock_.takes_stamps())
        return;
    for (const auto &lane : lanes_)
        lane->make_stamp_book(identities_, both);
}

OwnLosses XdpEngine::losses(const Tally &tally, const CounterValues &growth) const
{
    OwnLoss unsent{.name = "unsent",
                   .label = {"{} queued but not sent", "{} queued but not sent"},
                   .why = {"the kernel did not send {} of the queries it was given",
                           "the kernel did not send {} of the queries it was given"}};
    OwnLoss refused{.name = "invalid_descriptors",
                    .label = {"{} refused by AF_XDP", "{} refused by AF_XDP"},
                    .why = {"AF_XDP refused {} query", "AF_XDP refused {} queries"}};
    OwnLoss recycled{.name = "recycled_early",
                     .label = {"{} slot used again too early", "{} slots used again too early"},
                     .why = {"the sender stalled for so long that {} query lost its place before "
                             "the timeout had passed",
                             "the sender stalled for so long that {} queries lost their place "
                             "before the timeout had passed"},
                     .is_of_stall = true};
    for (const LaneTally &lane : tally.lanes)
        unsent.count += lane.unsent;
    for (const auto &lane : lanes_) {
        refused.count += lane->socket().statistics().invalid_descriptors;
        recycled.count += lane->sender().recycled_early();
    }
    OwnLosses losses{.kinds = {unsent, refused, recycled}};
    attribute_losses(losses, growth, tally.replies, clock_.mode());
    return losses;
}

void XdpEngine::describe(Circumstances &with) const
{
    const TxSocket &socket = lanes_.front()->socket();
    const bool has_huge_pages =
        std::ranges::all_of(lanes_, [](const auto &lane) { return lane->umem().has_huge_pages(); });
    with.queues = static_cast<unsigned>(plan_.queues.size());
    with.modes = {{"xdp_mode", to_string(clock_.mode())},
                  {"af_xdp_mode", socket.is_zero_copy() ? "zero-copy" : "copy"},
                  {"umem_pages", has_huge_pages ? "huge" : "normal"}};
    with.busy_poll = plan_.options.tx.busy_poll;
    with.link_wait = link_wait_;
    with.kick_budget = socket.is_zero_copy() ? 0 : socket.kick_budget();
    with.source_address = to_string(plan_.ends.source);
    with.next_hop_mac = to_string(plan_.ends.target_mac);
    with.source_ports = plan_.options.source_ports;
    with.first_source_port = plan_.options.first_source_port;
}

Tally XdpEngine::run(Nanoseconds start, const RunWatch &watch)
{
    start_ns_ = start.count();
    send(watch);
    listen(watch);
    watch.heard_all();
    clock_.detach();
    // A busy machine may have sent frames after their sender stopped waiting. They count as sent.
    for (const auto &lane : lanes_)
        lane->sender().reap();
    watch.detached();
    return settle();
}

void XdpEngine::send(const RunWatch &watch)
{
    if (log_)
        log_->start(static_cast<std::uint64_t>(start_ns_));
    threads_ = run_lanes(
        Nanoseconds(start_ns_),
        {.cpus = plan_.run.cpus,
         .confine = confine_to_sending,
         .run = [this](std::size_t lane,
                       std::atomic<bool> &halt) { lanes_[lane]->sender().run(start_ns_, halt); },
         .is_spoilt =
             [this] {
                 return std::ranges::any_of(
                     lanes_, [](const auto &lane) { return lane->sender().is_spoilt(); });
             },
         .progress = [this] { return progress_now(); }},
        watch);
}

// A stopped run does not wait for late replies.
void XdpEngine::listen(const RunWatch &watch)
{
    Nanoseconds last{}; // from the start
    for (const auto &lane : lanes_)
        last = std::max(last, lane->sender().last_sent());
    const Listening listening(Nanoseconds(start_ns_) + last, plan_.run.timeout,
                              plan_.run.wants_copies);
    for (;;) {
        const RunProgress now = progress_now();
        const std::uint64_t settled = now.valid + now.wrong;
        const std::uint64_t open = watch.stop || now.sent <= settled ? 0 : now.sent - settled;
        const Nanoseconds rest = listening.rest(Clock::now().time_since_epoch(), open);
        if (rest <= Nanoseconds{})
            return;
        std::this_thread::sleep_for(std::min<Nanoseconds>(rest, progress_interval));
        if (rest > progress_interval)
            watch.progress(progress_now());
    }
}

RunProgress XdpEngine::progress_now() const
{
    RunProgress progress;
    progress.elapsed_s =
        static_cast<double>(Clock::now().time_since_epoch().count() - start_ns_) / 1e9;
    for (const auto &lane : lanes_)
        progress.sent += lane->sender().sent_so_far();
    const QueryCounts counts = query_counts(clock_.answered());
    progress.valid = counts.valid;
    progress.wrong = counts.late + counts.invalid.total();
    return progress;
}

// Settles the remaining queries first, because the counts need their stamps.
Tally XdpEngine::settle()
{
    for (const auto &lane : lanes_)
        lane->sender().settle_remaining();
    Tally tally{.replies = clock_.tally()};
    tally.log_failed = log_ && !log_->finish();
    for (std::size_t lane = 0; lane < lanes_.size(); lane++)
        threads_[lane].tell(tally.lanes.emplace_back(lanes_[lane]->tally(plan_)));
    return tally;
}

} // namespace dnsgauge
