// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial.h"

#include "common/pref64_text.h"
#include "common/privileges.h"
#include "common/setup_error.h"
#include "engine/cpu_share.h"
#include "engine/frame_template.h"
#include "engine/hardware_rtt.h"
#include "engine/idle_cpus.h"
#include "engine/query_log.h"
#include "engine/reply_clock.h"
#include "engine/sender.h"
#include "engine/slots.h"
#include "engine/tally.h"
#include "host/bpf_clock.h"
#include "host/ethtool.h"
#include "host/xdp_features.h"
#include "machine/card_stamping.h"
#include "machine/counters.h"
#include "machine/cpu_times.h"
#include "machine/ring_drain.h"
#include "machine/route.h"
#include "trial/circumstances.h"
#include "trial/compliance.h"
#include "trial/cpu_use.h"
#include "trial/interface_losses.h"
#include "trial/listening.h"
#include "trial/sender_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <random>
#include <semaphore>
#include <thread>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto neighbour_patience = std::chrono::milliseconds(3000);
constexpr auto start_delay = std::chrono::milliseconds(20); // threads are running by then
constexpr auto progress_interval = std::chrono::milliseconds(200);
// The driver of links that end on this very machine.
constexpr const char *one_machine_driver = "veth";
constexpr unsigned cache_fill_tries = 3;

std::vector<unsigned> choose_cpus(const TrialPlan &plan, const Interface &interface)
{
    const std::vector<unsigned> allowed = allowed_cpus();
    std::vector<unsigned> cpus =
        plan.cpus.empty() ? std::vector<unsigned>{default_sender_cpu()} : plan.cpus;
    for (const unsigned cpu : cpus)
        if (std::find(allowed.begin(), allowed.end(), cpu) == allowed.end())
            throw SetupError(fmt::format("--cpus names CPU {}, but only {} may be used here", cpu,
                                         fmt::join(allowed, ",")));
    if (cpus.size() > interface.tx_queues)
        throw SetupError(fmt::format("--cpus asks for {} senders, one transmit queue each, but {} "
                                     "has {}: name fewer CPUs, or add queues (ethtool -L)",
                                     cpus.size(), interface.name, interface.tx_queues));
    return cpus;
}

void check_ports(const TrialPlan &plan, std::size_t senders)
{
    const std::uint64_t last = plan.first_source_port + plan.source_ports * senders - 1;
    if (last > 65535)
        throw SetupError(fmt::format("--source-ports {} for each of {} senders from port {} on "
                                     "would end at {}: 65535 is the last port there is",
                                     plan.source_ports, senders, plan.first_source_port, last));
}

IdentityPlan identities_for(const TrialPlan &plan, std::size_t senders)
{
    // First: there are no more slots than ports have transaction IDs.
    check_ports(plan, senders);
    return plan_identities(plan.rate, plan.timeout, plan.first_source_port, plan.source_ports,
                           static_cast<std::uint32_t>(senders),
                           static_cast<std::uint16_t>(std::random_device{}()));
}

void check_mtu(const Interface &interface, std::uint32_t frame_length)
{
    if (frame_length > interface.mtu + PACKET_ETHERNET_SIZE + PACKET_VLAN_SIZE)
        throw SetupError(fmt::format("a query takes {} octets, but the MTU of {} is {}: raise it",
                                     frame_length, interface.name, interface.mtu));
}

QueryFormat query_format(const TrialPlan &plan, const Interface &interface, const NextHop &hop)
{
    QueryFormat format;
    format.source_mac = interface.mac;
    format.target_mac = hop.mac;
    format.vlan = plan.vlan;
    format.source = hop.source;
    format.target = plan.server;
    format.target_port = plan.server_port;
    format.zone = plan.zone;
    format.type = plan.qtype;
    format.recursion_desired = plan.recursion_desired;
    format.edns_size = plan.edns_size;
    format.dnssec_ok = plan.dnssec_ok;
    return format;
}

NextHop resolve(const TrialPlan &plan, const Interface &interface)
{
    NextHop hop;
    if (plan.source)
        hop.source = *plan.source;
    if (plan.server_mac)
        hop.mac = *plan.server_mac;
    if (plan.source && plan.server_mac)
        return hop;
    const Route route = find_route(interface, plan.server);
    if (!plan.source)
        hop.source = route.source;
    hop.gateway = route.gateway;
    if (!plan.server_mac)
        hop.mac =
            find_neighbour(interface, route.gateway.value_or(plan.server), neighbour_patience);
    return hop;
}

reply_clock_config clock_config(const TrialPlan &plan, const NextHop &hop,
                                const IdentityPlan &identities)
{
    reply_clock_config config{};
    std::copy(plan.zone.wire.begin(), plan.zone.wire.end(), config.rule.zone);
    config.rule.zone_length = plan.zone.length;
    config.rule.type = plan.qtype;
    config.rule.any_data = plan.any_answer ? 1 : 0;
    config.rule.prefix = plan.answer_prefix;
    config.rule.aaaa_share = static_cast<std::uint8_t>(plan.aaaa_share);
    config.rule.aaaa_prefix = plan.aaaa_prefix;
    config.timeout_ns = static_cast<std::uint64_t>(plan.timeout.count());
    std::copy(plan.server.bytes.begin(), plan.server.bytes.end(), config.server_address);
    std::copy(hop.source.bytes.begin(), hop.source.bytes.end(), config.tester_address);
    config.is_ipv6 = plan.server.is_ipv6 ? 1 : 0;
    config.server_port = plan.server_port;
    config.first_port = identities.first_port;
    config.ports = identities.ports;
    config.senders = identities.senders;
    config.slot_bits = identities.slot_bits;
    config.id_mask = identities.id_mask;
    return config;
}

StampSources stamp_sources(const TrialPlan &plan, const Interface &interface)
{
    return {.interface = interface.name,
            .driver = read_xdp_features(interface.index),
            .card = Ethtool(interface.name).timestamping(),
            .native_xdp = plan.xdp_mode != XdpMode::generic,
            .zero_copy = plan.tx.copy_mode != CopyMode::copy};
}

StampPlan start_stamping(StampMode mode, const StampSources &sources,
                         std::optional<CardStamping> &card)
{
    const StampPlan plan = plan_stamps(mode, sources);
    if (!plan.card)
        return plan;
    try {
        card.emplace(sources.interface);
    } catch (const UnsupportedError &) {
        if (mode == StampMode::on)
            throw;
        return mode == StampMode::any ? plan : StampPlan{};
    }
    return plan;
}

// Has the server look up the name that is to be in its cache. One that has just been started may
// take its time for the first query.
void fill_cache(const TrialPlan &plan)
{
    TrialPlan one = plan;
    one.cached = {};
    one.names = {CachedShare::name(plan.names), 1};
    one.rate = Rate{1};
    one.duration = std::chrono::seconds(1);
    one.accept_percent = 100;
    one.cpus.resize(std::min<std::size_t>(one.cpus.size(), 1));
    one.per_query_file = {};
    one.stamps = StampMode::off;
    const std::atomic<bool> never{false};
    std::string why;
    for (unsigned tries = 0; tries < cache_fill_tries; tries++) {
        Trial trial(one);
        const TrialResult result = trial.run(never, [](const TrialProgress & /*none*/) {});
        if (result.queries.valid == 1)
            return;
        why = result.why;
    }
    throw SetupError(fmt::format("the name that is to be in the server's cache, the first of {}, "
                                 "was not answered right in {} times: {}: see what is wrong with "
                                 "the server (dnsgauge trial --rate 1 --duration 1)",
                                 to_string(plan.names), cache_fill_tries, why));
}

} // namespace

std::uint64_t count_queries(const TrialPlan &plan)
{
    const std::uint64_t queries = queries_in(plan.rate, plan.duration);
    if (queries == 0)
        throw SetupError("rate times duration is less than one query: raise --rate or --duration");
    const std::uint64_t names = plan.cached.names_for(queries);
    if (names > plan.names.count && !plan.allow_repeats)
        throw SetupError(fmt::format(
            "{} queries/s for {} s need {} different names, but --names {} has {}: use a larger "
            "range, a lower rate or a shorter trial, or --allow-repeats",
            plan.rate.per_second, seconds(plan.duration), names, to_string(plan.names),
            plan.names.count));
    return queries;
}

std::uint64_t count_names(const TrialPlan &plan)
{
    return plan.cached.names_for(count_queries(plan));
}

std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan)
{
    if (plan.dut != Dut::dns64)
        return std::nullopt;
    return Dns64Conditions{.aaaa_share = plan.aaaa_share,
                           .aaaa_prefix = to_string(plan.aaaa_prefix),
                           .cached_share = plan.cached.percent};
}

// All a trial holds while it is prepared and run. Members are destroyed in reverse: sockets before
// the memory they send from, and the program last.
class Trial::Parts
{
public:
    explicit Parts(const TrialPlan &plan);
    [[nodiscard]] std::vector<unsigned> capabilities() const;
    TrialResult run(const std::atomic<bool> &stop,
                    const std::function<void(const TrialProgress &)> &progress);

    [[nodiscard]] Circumstances circumstances() const;

private:
    struct Lane {
        explicit Lane(bool wants_stamps) : umem(Sender::send_frames, wants_stamps) {}

        Umem umem;
        std::optional<TxSocket> socket;
        std::optional<StampBook> stamps;
        std::unique_ptr<Sender> sender;
        bool pinned = true;
        int nice = 0;
        SenderTimes times;
        std::exception_ptr failure;
    };

    void make_lanes();
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan, Lane &lane);
    void make_stamp_books();
    void describe_stamps(Circumstances &with, const StampCounts &counts) const;
    void send(const std::atomic<bool> &stop,
              const std::function<void(const TrialProgress &)> &progress);
    void listen(const std::atomic<bool> &stop,
                const std::function<void(const TrialProgress &)> &progress);
    [[nodiscard]] std::vector<SenderTimes> sender_times() const;
    [[nodiscard]] TrialProgress progress_now() const;
    [[nodiscard]] Tally tally() const;
    void take_figures(TrialResult &result, const Tally &tally, const CounterValues &growth) const;
    [[nodiscard]] TrialEnd end_state(bool interrupted);
    [[nodiscard]] bool next_hop_moved() const;
    void describe(TrialResult &result) const;

    TrialPlan plan_;
    std::uint64_t queries_;
    Interface interface_;
    std::vector<unsigned> cpus_;
    CpusKeptFree kept_free_; // of all threads but the senders
    std::optional<CpusKeptAwake> kept_awake_;
    NextHop hop_;
    IdentityPlan identities_;
    FrameTemplate frame_;
    std::optional<QueryLog> log_;
    StampSources stamp_sources_;
    std::optional<CardStamping> card_stamping_;
    StampPlan stamp_plan_;
    std::string transmit_stamps_ = "none";
    ReplyClock clock_;
    SlotTable slots_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    Sides sides_;
    std::int64_t start_ns_ = 0;
    Nanoseconds since_{}; // the same moment by the wall clock
};

Trial::Parts::Parts(const TrialPlan &plan)
    : plan_(plan), queries_(count_queries(plan)), interface_(find_interface(plan.interface)),
      cpus_(choose_cpus(plan, interface_)), kept_free_(cpus_), hop_(resolve(plan, interface_)),
      identities_(identities_for(plan, cpus_.size())), frame_(query_format(plan, interface_, hop_)),
      stamp_sources_(stamp_sources(plan, interface_)),
      stamp_plan_(start_stamping(plan.stamps, stamp_sources_, card_stamping_)),
      clock_(clock_config(plan, hop_, identities_), SlotsHold::names,
             stamp_plan_.receive ? std::optional(interface_.index) : std::nullopt),
      slots_(clock_.slots_fd(), identities_), sides_(interface_.driver == one_machine_driver)
{
    if (plan.idle_cpus == IdleCpus::poll)
        kept_awake_.emplace();
    check_mtu(interface_, frame_.length());
    check_bpf_clock();
    // Before the program comes, which packets may wait for that belong to no query of this trial.
    if (interface_.driver == one_machine_driver)
        drain_ring(interface_);
    clock_.attach(interface_.name, plan.xdp_mode);
    // What has come before the first query is none of this trial's.
    clock_.forget();
    make_lanes();
}

void Trial::Parts::make_lanes()
{
    const auto senders = static_cast<std::uint32_t>(cpus_.size());
    for (std::uint32_t i = 0; i < senders; i++) {
        lanes_.push_back(std::make_unique<Lane>(stamp_plan_.transmit));
        lanes_.back()->socket.emplace(interface_.name, i, lanes_.back()->umem, plan_.tx);
    }
    make_stamp_books();
    // Nothing can be refused any more: a file that is there already is not emptied for nothing.
    if (plan_.per_query_file)
        log_.emplace(*plan_.per_query_file, put_names_of(plan_.zone.text), senders);
    for (std::uint32_t i = 0; i < senders; i++) {
        Lane &lane = *lanes_[i];
        const SenderPlan plan{.number = i,
                              .senders = senders,
                              .queries = queries_,
                              .rate = plan_.rate,
                              .timeout = plan_.timeout,
                              .identities = identities_};
        lane.sender = make_sender(plan, lane);
    }
}

std::unique_ptr<Sender> Trial::Parts::make_sender(const SenderPlan &plan, Lane &lane)
{
    const std::uint32_t number = plan.number;
    const ConstantRate times(plan.rate, number, plan.senders);
    QueryRing *const ring = log_ ? &log_->ring(number) : nullptr;
    StampBook *const stamps = lane.stamps ? &*lane.stamps : nullptr;
    return std::make_unique<NameSender>(
        plan, NameStream(NameWalk(plan_.names, number, plan.senders, plan_.cached), times), frame_,
        lane.umem, *lane.socket, slots_.of_sender(number), ring, stamps);
}

// Only here it is known which stamps there are: those of a frame that is copied are the kernel's.
void Trial::Parts::make_stamp_books()
{
    const Lane &first = *lanes_.front();
    if (first.umem.has_stamps() && !first.socket->is_zero_copy())
        transmit_stamps_ = "software";
    else if (first.umem.has_stamps() && stamp_sources_.driver &&
             stamp_sources_.driver->tx_timestamp)
        transmit_stamps_ = "hardware";
    const bool both = clock_.takes_stamps() && transmit_stamps_ == "hardware";
    if (plan_.stamps == StampMode::on && !both)
        throw SetupError("--hardware-timestamps on: " + interface_.name + " stamps what it " +
                         (clock_.takes_stamps() ? "receives, but not what it sends"
                                                : "sends, but not what it receives"));
    if (transmit_stamps_ == "none" && !clock_.takes_stamps())
        return;
    for (const auto &lane : lanes_)
        lane->stamps.emplace(identities_.slots_each(), lane->umem.send_frames(), both);
}

std::vector<unsigned> Trial::Parts::capabilities() const
{
    std::vector<unsigned> needed{CAP_SYS_NICE};
    if (card_stamping_)
        needed.push_back(CAP_NET_ADMIN);
    return needed;
}

TrialResult Trial::Parts::run(const std::atomic<bool> &stop,
                              const std::function<void(const TrialProgress &)> &progress)
{
    TrialResult result;
    result.circumstances = circumstances();
    const MachineTimes times_before = read_machine_times();
    const CounterValues before = read_counters(interface_);
    send(stop, progress);
    listen(stop, progress);
    const MachineTimes times_after = read_machine_times();
    // The senders notice only a link that is down when they send. And before the program goes:
    // there are drivers that reset their link then.
    const bool link_failed = grown(before, read_counters(interface_)).contains("carrier_down");
    clock_.detach();
    // What a busy machine sent after its sender had given up waiting was sent all the same.
    for (const auto &lane : lanes_)
        lane->sender->reap();
    const bool interrupted = stop.load();
    for (const auto &lane : lanes_)
        result.circumstances.sender_nice = std::max(result.circumstances.sender_nice, lane->nice);
    result.since = since_;
    result.until = since_ + (Clock::now().time_since_epoch() - Nanoseconds(start_ns_));

    result.cpus =
        cpu_use(times_before, times_after, sender_times(), clock_.receiving_cpus(), sides_);
    describe(result);
    const CounterValues growth = grown(before, read_counters(interface_));
    TrialEnd end = end_state(interrupted);
    end.link_failed = end.link_failed || link_failed;
    take_figures(result, tally(), growth);
    judge_trial(result, plan_.tolerances, end);
    return result;
}

void Trial::Parts::take_figures(TrialResult &result, const Tally &tally,
                                const CounterValues &growth) const
{
    TallySummary figures = summarize(tally, plan_.rate, queries_);
    result.queries = figures.queries;
    result.strays = figures.strays;
    result.rcodes = figures.rcodes;
    result.rtt = std::move(figures.rtt);
    result.rtt_hardware = std::move(figures.rtt_hardware);
    result.sending = std::move(figures.sending);
    result.own_losses = std::move(figures.own_losses);
    attribute_losses(result.own_losses, growth, tally.replies.totals, clock_.mode());
    describe_stamps(result.circumstances, figures.stamps);
}

void Trial::Parts::send(const std::atomic<bool> &stop,
                        const std::function<void(const TrialProgress &)> &progress)
{
    const auto start = Clock::now() + start_delay;
    start_ns_ = start.time_since_epoch().count();
    since_ = std::chrono::system_clock::now().time_since_epoch() + start_delay;
    if (log_)
        log_->start(static_cast<std::uint64_t>(start_ns_));

    std::counting_semaphore<> ended{0};
    std::atomic<bool> halt{false};
    std::vector<std::jthread> threads;
    // Whatever goes wrong here, nobody waits for the rest of the trial.
    struct Halting {
        std::atomic<bool> &halt;
        ~Halting() { halt = true; }
    };
    const Halting halting{halt};
    for (std::size_t i = 0; i < lanes_.size(); i++)
        threads.emplace_back([this, i, &halt, &ended] {
            Lane &lane = *lanes_[i];
            lane.pinned = pin_this_thread(cpus_[i]);
            lane.nice = prefer_this_thread();
            try {
                drop_privileges();
                const ThreadTimes before = read_own_times();
                lane.sender->run(start_ns_, halt);
                const ThreadTimes after = read_own_times();
                lane.times = {.cpu = cpus_[i],
                              .ran = after.ran - before.ran,
                              .waited = after.waited - before.waited};
            } catch (const SetupError &) {
                lane.failure = std::current_exception();
                halt = true;
            }
            ended.release();
        });

    std::this_thread::sleep_until(start);
    for (std::size_t running = lanes_.size(); running != 0;) {
        if (ended.try_acquire_for(progress_interval))
            running--;
        else
            progress(progress_now());
        halt = halt || stop;
    }
    for (const auto &lane : lanes_)
        if (lane->failure)
            std::rethrow_exception(lane->failure);
}

// Who has stopped the trial does not wait for late replies.
void Trial::Parts::listen(const std::atomic<bool> &stop,
                          const std::function<void(const TrialProgress &)> &progress)
{
    std::int64_t last = start_ns_;
    for (const auto &lane : lanes_)
        last = std::max(last, lane->sender->record().last_sent_ns);
    const Listening listening(Nanoseconds(last), plan_.timeout);
    for (;;) {
        const TrialProgress now = progress_now();
        const std::uint64_t settled = now.valid + now.wrong;
        const std::uint64_t open = stop || now.sent <= settled ? 0 : now.sent - settled;
        const Nanoseconds rest = listening.rest(Clock::now().time_since_epoch(), open);
        if (rest <= Nanoseconds{})
            return;
        std::this_thread::sleep_for(std::min<Nanoseconds>(rest, progress_interval));
        if (rest > progress_interval)
            progress(progress_now());
    }
}

std::vector<SenderTimes> Trial::Parts::sender_times() const
{
    std::vector<SenderTimes> times;
    for (const auto &lane : lanes_)
        times.push_back(lane->times);
    return times;
}

TrialProgress Trial::Parts::progress_now() const
{
    const reply_totals totals = clock_.totals();
    TrialProgress progress;
    progress.elapsed_s =
        static_cast<double>(Clock::now().time_since_epoch().count() - start_ns_) / 1e9;
    for (const auto &lane : lanes_)
        progress.sent += lane->sender->sent_so_far();
    const QueryCounts counts = query_counts(progress.sent, totals);
    progress.valid = counts.valid;
    progress.wrong = counts.late + counts.invalid.total();
    return progress;
}

// After the remaining queries have been settled, which tells the last stamps.
Tally Trial::Parts::tally() const
{
    Tally tally{.replies = clock_.counts(), .lanes = {}};
    for (std::uint32_t i = 0; i < lanes_.size(); i++) {
        const Lane &lane = *lanes_[i];
        const SenderRecord &record = lane.sender->record();
        const TxStatistics statistics = lane.socket->statistics();
        tally.lanes.push_back(
            {.share = i,
             .handed_over = record.handed_over,
             .unsent = lane.sender->not_completed(),
             .invalid_descriptors = statistics.invalid_descriptors,
             .recycled_early = record.recycled_early,
             .kicks = statistics.kicks,
             .last_sent = Nanoseconds(std::max(record.last_sent_ns - start_ns_, std::int64_t{0})),
             .driver_lag = Nanoseconds(record.driver_lag_ns),
             .lateness = record.lateness,
             .bursts = record.bursts,
             .stamps = lane.stamps ? lane.stamps->counts() : StampCounts{},
             .hardware_rtts = lane.stamps ? lane.stamps->rtts() : RttTally{}});
    }
    return tally;
}

TrialEnd Trial::Parts::end_state(bool interrupted)
{
    TrialEnd end;
    end.interrupted = interrupted;
    end.next_hop_moved = next_hop_moved();
    for (std::size_t i = 0; i < lanes_.size(); i++)
        if (!lanes_[i]->pinned)
            end.not_pinned_to = cpus_[i];
    for (const auto &lane : lanes_) {
        lane->sender->settle_remaining();
        end.link_failed = end.link_failed || lane->sender->record().link_failed;
        end.not_logged += lane->sender->record().not_logged;
    }
    if (log_)
        end.log_failed = !log_->finish();
    return end;
}

bool Trial::Parts::next_hop_moved() const
{
    if (plan_.server_mac)
        return false;
    const std::optional<MacAddress> now =
        known_neighbour(interface_, hop_.gateway.value_or(plan_.server));
    return now && *now != hop_.mac;
}

Circumstances Trial::Parts::circumstances() const
{
    Circumstances circumstances = machine_circumstances();
    circumstances.sender_cpus = cpus_;
    circumstances.interface = interface_.name;
    circumstances.driver = interface_.driver;
    circumstances.mtu = interface_.mtu;
    circumstances.link_mbps = interface_.speed_mbps;
    circumstances.queues = static_cast<unsigned>(lanes_.size());
    circumstances.xdp_mode = to_string(clock_.mode());
    circumstances.af_xdp_mode = lanes_.front()->socket->is_zero_copy() ? "zero-copy" : "copy";
    circumstances.umem_pages =
        std::ranges::all_of(lanes_, [](const auto &lane) { return lane->umem.has_huge_pages(); })
            ? "huge"
            : "normal";
    circumstances.busy_poll = plan_.tx.busy_poll;
    circumstances.idle_cpus_poll = kept_awake_ && kept_awake_->are_kept();
    if (!lanes_.front()->socket->is_zero_copy())
        circumstances.kick_budget = lanes_.front()->socket->kick_budget();
    circumstances.source_address = to_string(hop_.source);
    circumstances.next_hop_mac = to_string(hop_.mac);
    circumstances.source_ports = plan_.source_ports;
    circumstances.first_source_port = plan_.first_source_port;
    return circumstances;
}

// Stamps that never came are none.
void Trial::Parts::describe_stamps(Circumstances &with, const StampCounts &counts) const
{
    with.receive_stamps = counts.received != 0 ? "hardware" : "none";
    with.transmit_stamps = counts.transmitted != 0 ? transmit_stamps_ : "none";
    with.contradictory_stamps = counts.contradictory;
}

void Trial::Parts::describe(TrialResult &result) const
{
    result.server = to_string(plan_.server);
    result.port = plan_.server_port;
    result.zone = plan_.zone.text;
    result.names = to_string(plan_.names);
    result.qtype = plan_.qtype == DNS_TYPE_A ? "A" : "AAAA";
    if (plan_.any_answer)
        result.answer = "any";
    else if (plan_.qtype == DNS_TYPE_A)
        result.answer = "the address in the name";
    else
        result.answer = to_string(plan_.answer_prefix);
    result.dns64 = dns64_conditions(plan_);
    result.selftest = plan_.selftest;
    result.deviations = trial_deviations(plan_);
    result.rate = plan_.rate;
    result.duration = plan_.duration;
    result.timeout = plan_.timeout;
    result.accept_percent = plan_.accept_percent;
}

Trial::Trial(const TrialPlan &plan)
{
    static_cast<void>(count_queries(plan));
    if (plan.cached.percent != 0)
        fill_cache(plan);
    parts_ = std::make_unique<Parts>(plan);
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
