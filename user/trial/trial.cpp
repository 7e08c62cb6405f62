// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial.h"

#include "engine/cpu_share.h"
#include "engine/idle_cpus.h"
#include "engine/tally.h"
#include "host/ethtool.h"
#include "host/xdp_features.h"
#include "machine/absence_clock.h"
#include "machine/card.h"
#include "machine/card_stamping.h"
#include "machine/counters.h"
#include "machine/cpu_times.h"
#include "machine/handled.h"
#include "machine/interface_hold.h"
#include "machine/route.h"
#include "machine/zero_copy.h"
#include "trial/circumstances.h"
#include "trial/conclusion.h"
#include "trial/cpu_use.h"
#include "trial/sender_cpu.h"
#include "trial/server_stalls.h"
#include "trial/surroundings.h"
#include "trial/testers.h"
#include "userland/counted.h"
#include "userland/pref64_text.h"
#include "userland/privileges.h"
#include "userland/query_type.h"
#include "userland/setup_error.h"
#include "workload/mixed_queries.h"
#include "workload/played_queries.h"
#include "xdp/capture_source.h"
#include "xdp/queries_source.h"
#include "xdp/xdp_engine.h"

#include "wire/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto neighbour_patience = std::chrono::milliseconds(3000);
constexpr unsigned cache_fill_tries = 3;

std::vector<unsigned> choose_cpus(const TrialPlan &plan, const Interface &interface)
{
    std::vector<unsigned> cpus =
        plan.cpus.empty() ? std::vector<unsigned>{default_sender_cpu().cpu} : plan.cpus;
    require_allowed(cpus);
    if (cpus.size() > interface.tx_queues)
        throw SetupError(fmt::format("--cpus asks for {} senders, one transmit queue each, but {} "
                                     "has {}: name fewer CPUs, or add queues (ethtool -L)",
                                     cpus.size(), interface.name, interface.tx_queues));
    return cpus;
}

std::vector<unsigned> choose_queues(const TrialPlan &plan, std::size_t senders,
                                    const Interface &interface)
{
    std::vector<unsigned> queues = plan.sender_queues;
    if (const FoundQueue *found = found_queue(plan))
        queues = {found->queue};
    if (queues.empty()) {
        queues.resize(senders);
        std::iota(queues.begin(), queues.end(), 0U);
    }
    if (queues.size() != senders)
        throw SetupError(fmt::format("--sender-queues names {} for {}: name one for each CPU of "
                                     "--cpus",
                                     counted(queues.size(), "queue"), counted(senders, "sender")));
    if (const unsigned last = *std::ranges::max_element(queues); last >= interface.tx_queues)
        throw SetupError(fmt::format("--sender-queues: {} has no transmit queue {}: it has {}, "
                                     "from 0 on",
                                     interface.name, last, counted(interface.tx_queues, "queue")));
    return queues;
}

// Returns the queries of the captures that this Tester plays; nothing if no capture is played.
std::optional<PlayedQueries> played_of(const TrialPlan &plan, std::size_t senders, Shares shares)
{
    if (!plan.captured)
        return std::nullopt;
    return PlayedQueries(
        plan.captured,
        {.first = shares.first, .count = static_cast<std::uint32_t>(senders), .of = shares.all});
}

// Returns the highest rate of all these senders over twice the timeout or more, in which no slot
// may be used again. Each sender has one of the `shares` of the schedule.
Rate peak_of(const TrialPlan &plan, const std::optional<PlayedQueries> &played, std::size_t senders,
             std::uint32_t shares)
{
    const Rate most =
        played ? played->peak_rate(2 * plan.timeout) : schedule_of(plan).peak(2 * plan.timeout);
    const std::uint64_t among = played ? senders : shares;
    return {(most.per_second + among - 1) / among * senders};
}

// Returns how long a sender may stand still before that is a stall. A Poisson pace's own bursts are
// left out.
Nanoseconds stall_limit_of(const TrialPlan &plan)
{
    if (plan.captured)
        return stall_limit(PlayedQueries(plan.captured).peak_rate(2 * plan.timeout));
    const SchedulePlan schedule = schedule_of(plan);
    return stall_limit(schedule.pace.kind == Pace::Kind::steps ? schedule.peak({}) : plan.rate);
}

FrameEnds frame_ends(const TrialPlan &plan, const Interface &interface, const NextHop &hop)
{
    return {.source_mac = interface.mac,
            .target_mac = hop.mac,
            .vlan = plan.vlan,
            .source = hop.source,
            .target = plan.server,
            .target_port = plan.server_port};
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

// `order` is random, and the same for all Testers.
std::unique_ptr<const Source> make_source(const TrialPlan &plan, const Interface &interface,
                                          const NextHop &hop, const identity_key &order,
                                          std::optional<PlayedQueries> played)
{
    const NameKey key = plan.name_order == NameOrder::random ? NameKey(order) : NameKey();
    const FrameEnds ends = frame_ends(plan, interface, hop);
    if (played)
        return std::make_unique<const CaptureSource>(ends, *std::move(played), plan.replay.clients);
    if (plan.list)
        return std::make_unique<const QueriesSource<QueryList>>(ends, plan.list);
    if (plan.mixed)
        return std::make_unique<const QueriesSource<MixedQueries>>(
            ends, std::make_shared<const MixedQueries>(plan.mixed->of_names(plan.names, key)));
    QueryFormat format;
    static_cast<FrameEnds &>(format) = ends;
    format.zone = plan.zone;
    format.type = plan.qtype;
    format.recursion_desired = plan.recursion_desired;
    format.edns_size = plan.edns_size;
    format.dnssec_ok = plan.dnssec_ok;
    return std::make_unique<const NameSource>(format, plan.names, plan.cached, key);
}

JudgePlan judge_plan(const TrialPlan &plan)
{
    JudgePlan judge;
    if (plan.list)
        judge.questions = plan.list->key();
    if (plan.captured)
        judge.questions = plan.captured->key();
    if (plan.mixed)
        judge.questions = plan.mixed->key();
    judge_rule &rule = judge.rule;
    std::ranges::copy(plan.zone.wire, rule.zone);
    rule.zone_length = plan.zone.length;
    rule.type = plan.qtype;
    rule.any_data = plan.any_answer ? 1 : 0;
    rule.prefix = plan.answer_prefix;
    // Only behind a DNS64 server do names have data of two kinds.
    if (!plan.mixed)
        rule.aaaa_share = static_cast<std::uint8_t>(plan.aaaa_share.value_or(0));
    rule.aaaa_prefix = plan.aaaa_prefix;
    rule.accepts = plan.accepts | (plan.list || plan.captured ? ACCEPTS_CNAMES : 0U);
    // A server that is asked for recursion may be a resolver; a DNS64 server is always asked for
    // it.
    rule.wants_aa = plan.recursion_desired ? 0 : 1;
    rule.counts_answers = plan.captured ? 1 : 0;
    judge.reads_data = plan.mixed || (plan.list && plan.list->reads_data()) ||
                       (plan.captured && plan.captured->reads_data());
    return judge;
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

// Returns how many octets a reply's packet has on the wire besides the message.
unsigned wire_overhead(const TrialPlan &plan)
{
    constexpr unsigned around = 24; // preamble, frame check sequence and gap of Ethernet
    return PACKET_ETHERNET_SIZE + (plan.vlan ? PACKET_VLAN_SIZE : 0U) +
           (plan.server.is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) + PACKET_UDP_SIZE + around;
}

// Has the server look up the name that is to be in its cache. A server that was just started may
// take its time for the first query, and gets several tries.
void fill_cache(const TrialPlan &plan)
{
    TrialPlan one = plan;
    one.cached = {};
    one.names = {CachedShare::name(plan.names), 1};
    one.rate = Rate{1};
    one.pace = {};
    one.duration = std::chrono::seconds(1);
    one.accept_percent = 100;
    one.cpus.resize(std::min<std::size_t>(one.cpus.size(), 1));
    one.sender_queues.resize(std::min<std::size_t>(one.sender_queues.size(), 1));
    one.per_query_file = {};
    one.interval = {};
    one.since = {};
    one.stamps = StampMode::off;
    one.testers = nullptr;
    const std::atomic<bool> never{false};
    std::string why;
    for (unsigned tries = 0; tries < cache_fill_tries; tries++) {
        Trial trial(one);
        const TrialResult result = trial.run(never, [](const TrialProgress & /*none*/) {});
        if (result.queries.valid == 1)
            return;
        why = result.why;
    }
    throw SetupError(fmt::format(
        "the server did not answer the name that is to be in its cache, the first of {}, right in "
        "{} tries: {}: see what is wrong with the server (dnsgauge trial --rate 1 --duration 1)",
        to_string(plan.names), cache_fill_tries, why));
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

// Returns the server's processes on this machine. Returns none if the link ends on another machine,
// unless the user names them.
ServerProcesses server_processes(const TrialPlan &plan, const Interface &interface)
{
    const char *proc = "/proc";
    if (!interface.ends_on_this_machine() && !plan.server_process)
        return {};
    const NamespaceProcesses processes = processes_by_namespace(proc);
    return find_server({.address = plan.server,
                        .port = plan.server_port,
                        .process = plan.server_process.value_or("")},
                       processes, veth_links(interface.name, processes, proc), proc);
}

std::vector<SenderTimes> sender_times(const Tally &tally)
{
    std::vector<SenderTimes> times;
    for (const LaneTally &lane : tally.lanes)
        times.push_back({.cpu = lane.cpu, .ran = lane.ran, .waited = lane.waited});
    return times;
}

QueryMix mix_of(const TrialPlan &plan)
{
    const MixWish &wish = plan.mix;
    QueryMix mix{.zone = plan.zone,
                 .names = plan.names,
                 .aaaa_share = plan.aaaa_share.value_or(100),
                 .dnssec_ok = wish.dnssec_ok,
                 .nxdomain = wish.nxdomain,
                 .is_signed = wish.is_signed,
                 .types = wish.types};
    if (mix.types.empty())
        mix.types = {{.type = query_type_text(plan.qtype), .percent = 100}};
    return mix;
}

// Returns what replies must be; nothing if the captures tell.
std::optional<std::uint32_t> wants_of(Expect expect)
{
    switch (expect) {
    case Expect::answered:
        return WANTS_ANY_RCODE;
    case Expect::useful:
        return WANTS_USEFUL;
    case Expect::captured:
        break;
    }
    return std::nullopt;
}

std::unique_ptr<JointTrial> begin_trial(const TrialPlan &plan, std::size_t senders)
{
    const auto count = static_cast<std::uint32_t>(senders);
    return plan.testers ? plan.testers->begin(plan, count) : make_alone(count);
}

} // namespace

Pace pace_of(const TrialPlan &plan)
{
    return plan.pace.value_or(
        Pace{.kind = plan.replay.is_wanted() ? Pace::Kind::original : Pace::Kind::constant});
}

SchedulePlan schedule_of(const TrialPlan &plan)
{
    return {.pace = pace_of(plan), .rate = plan.rate, .duration = plan.duration};
}

std::uint64_t count_queries(const TrialPlan &plan)
{
    if (plan.captured)
        return plan.captured->size();
    const std::uint64_t queries = schedule_of(plan).queries();
    if (queries == 0)
        throw SetupError("rate times duration is less than one query: raise --rate or --duration");
    const std::uint64_t names = plan.cached.names_for(queries);
    if (!plan.queries_file && !plan.replay.is_wanted() && names > plan.names.count &&
        !plan.allow_repeats)
        throw SetupError(fmt::format(
            "{} queries/s for {} s need {} different names, but --names {} has {}: use a larger "
            "range, a lower rate or a shorter trial, or --allow-repeats",
            plan.rate.per_second, seconds(plan.duration), names, to_string(plan.names),
            plan.names.count));
    return queries;
}

std::uint64_t count_names(const TrialPlan &plan)
{
    const std::uint64_t queries = count_queries(plan);
    return plan.queries_file || plan.replay.is_wanted() ? 0 : plan.cached.names_for(queries);
}

void load_list(TrialPlan &plan)
{
    const std::optional<std::uint32_t> wants = wants_of(expectation_of(plan));
    const CaseWish letters{.exact = letter_case_of(plan) == LetterCase::exact,
                           .seed = plan.case_seed};
    if (plan.replay.is_wanted()) {
        if (!plan.captured) {
            ReplayWish wish = plan.replay;
            wish.edns_options = plan.edns_options;
            wish.letters = letters;
            wish.without_data = (plan.accepts & ACCEPTS_DATA) != 0;
            plan.captured = std::make_shared<const CapturedQueries>(wish, plan.duration, wants);
        }
        plan.rate = plan.captured->mean_rate();
        plan.duration = plan.captured->sending_time();
    }
    const MessageFormat format{.recursion_desired = plan.recursion_desired,
                               .edns_size = plan.edns_size,
                               .dnssec_ok = plan.dnssec_ok,
                               .edns_options = plan.edns_options,
                               .wants = wants.value_or(WANTS_USEFUL),
                               .letters = letters};
    if (plan.mix.is_wanted() && !plan.mixed)
        plan.mixed = std::make_shared<const MixedQueries>(mix_of(plan), format);
    if (!plan.queries_file || plan.list)
        return;
    QueryList list = read_query_list(*plan.queries_file, format);
    if (plan.shuffle_seed)
        list.shuffle(*plan.shuffle_seed);
    plan.list = std::make_shared<const QueryList>(std::move(list));
}

std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan)
{
    if (plan.dut != Dut::dns64)
        return std::nullopt;
    return Dns64Conditions{.aaaa_share = plan.aaaa_share.value_or(0),
                           .aaaa_prefix = to_string(plan.aaaa_prefix),
                           .cached_share = plan.cached.percent};
}

Expect expectation_of(const TrialPlan &plan)
{
    return plan.expect.value_or(Expect::useful);
}

LetterCase letter_case_of(const TrialPlan &plan)
{
    return plan.letter_case.value_or(plan.case_seed ? LetterCase::exact : LetterCase::any);
}

namespace
{

// Returns the rules that hold for the source of the plan's queries, whatever the user accepts.
std::uint32_t rules_of(const TrialPlan &plan)
{
    std::uint32_t rules = (1U << JUDGE_RULE_COUNT) - 1;
    if (plan.list || plan.captured)
        rules &= ~std::uint32_t{ACCEPTS_CNAMES};
    // A server that is asked for recursion may be a resolver.
    else if (!plan.mixed && plan.recursion_desired)
        rules &= ~std::uint32_t{ACCEPTS_AA};
    if (!plan.captured || expectation_of(plan) != Expect::captured)
        rules &= ~std::uint32_t{ACCEPTS_DATA};
    return rules;
}

} // namespace

JudgedBy judged_by(const TrialPlan &plan)
{
    JudgedBy judged;
#define TAKE_RULE(NAME, key, rule)                                                                 \
    if ((rules_of(plan) & ACCEPTS_##NAME) != 0)                                                    \
        ((plan.accepts & ACCEPTS_##NAME) != 0 ? judged.accepted : judged.rules).push_back(#key);
    JUDGE_RULES(TAKE_RULE)
#undef TAKE_RULE
    return judged;
}

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
    void watch_server();
    void take_absences(Measurement &measured, Nanoseconds start) const;
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
    std::optional<XdpEngine> engine_;
    std::optional<InterfaceHold> hold_;
    Sides sides_;
    std::optional<AbsenceClock> absences_;
    std::string absences_told_; // see Circumstances::server_absences
};

Trial::Parts::Parts(const TrialPlan &plan)
    : plan_(plan), queries_(count_queries(plan)), interface_(find_interface(plan.interface)),
      cpus_(choose_cpus(plan, interface_)), queues_(choose_queues(plan, cpus_.size(), interface_)),
      joint_(begin_trial(plan, cpus_.size())), kept_free_(cpus_), hop_(resolve(plan, interface_)),
      stamp_sources_(stamp_sources(plan, interface_)),
      stamp_plan_(start_stamping(plan.stamps, stamp_sources_, card_stamping_)),
      stall_limit_(stall_limit_of(plan)), sides_(server_processes(plan, interface_))
{
    if (plan.idle_cpus == IdleCpus::poll)
        kept_awake_.emplace();
    if (plan.tx.copy_mode == CopyMode::zero_copy && stamp_sources_.driver &&
        stamp_sources_.driver->zero_copy)
        refuse_obstacle_to_zero_copy(interface_);
    std::optional<PlayedQueries> played = played_of(plan_, cpus_.size(), joint_->shares());
    const Rate peak = peak_of(plan_, played, cpus_.size(), joint_->shares().all);
    std::unique_ptr<const Source> source =
        make_source(plan_, interface_, hop_, joint_->shares().order, std::move(played));
    // The clock is loaded before the engine takes its memory: libbpf reads all of the kernel's
    // types.
    if (interface_.ends_on_this_machine())
        watch_server();
    engine_.emplace(engine_plan(peak), std::move(source));
    hold_.emplace(plan.interface); // another series may be in a pause
}

// A trial works without it.
void Trial::Parts::watch_server()
{
    if (sides_.server().names.empty()) {
        absences_told_ = "not recorded: " + sides_.server().why;
        return;
    }
    try {
        absences_.emplace(watched_server(sides_.server(), "/proc"), stall_limit_);
        absences_told_ = "recorded";
    } catch (const SetupError &error) {
        absences_told_ = std::string("not recorded: ") + error.what();
    }
}

void Trial::Parts::take_absences(Measurement &measured, Nanoseconds start) const
{
    if (!absences_)
        return;
    measured.server_stalls = server_stalls(absences_->absences(), start);
    take_longest(measured.cpus, absences_->longest());
    if (absences_->missed() != 0)
        measured.circumstances.server_absences =
            fmt::format("recorded, but for the last {}: there were more than {}",
                        absences_->missed(), AbsenceClock::most_absences);
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
            .clients = plan_.captured ? plan_.replay.clients : std::nullopt,
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
    if (plan_.replay.clients)
        measured.clients_in = to_string(*plan_.replay.clients);
    const std::vector<ReadyTester> ready = joint_->get_ready(
        {.circumstances = measured.circumstances, .clients = plan_.replay.clients});
    if (plan_.same_modes_as)
        check_same_modes(*plan_.same_modes_as, ready);
    const MachineTimes times_before = read_machine_times();
    const CounterValues before = read_counters(interface_);
    const Surroundings names_before = surroundings_of(interface_.index);
    const Handled handled_before = handled_so_far(interface_);
    const Nanoseconds start = joint_->common_start();
    if (absences_)
        absences_->begin(start);
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
                        if (absences_)
                            absences_->end();
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
                            engine_->receiving_cpus(), sides_);
    take_absences(measured, start);
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
    circumstances.server_absences = absences_told_;
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
    if (plan.cached.percent != 0)
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
