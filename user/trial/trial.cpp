// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial.h"

#include "common/pref64_text.h"
#include "common/privileges.h"
#include "common/setup_error.h"
#include "engine/capture_source.h"
#include "engine/cpu_share.h"
#include "engine/engine.h"
#include "engine/idle_cpus.h"
#include "engine/queries_source.h"
#include "engine/tally.h"
#include "host/ethtool.h"
#include "host/xdp_features.h"
#include "machine/card_stamping.h"
#include "machine/counters.h"
#include "machine/cpu_times.h"
#include "machine/route.h"
#include "trial/circumstances.h"
#include "trial/compliance.h"
#include "trial/cpu_use.h"
#include "trial/interface_losses.h"
#include "trial/sender_cpu.h"
#include "workload/mixed_queries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto neighbour_patience = std::chrono::milliseconds(3000);
constexpr auto start_delay = std::chrono::milliseconds(20); // enough for threads to start
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
        throw SetupError(
            fmt::format("--source-ports {} for {} from port {} on "
                        "would end at {}: 65535 is the last port there is",
                        plan.source_ports,
                        senders == 1 ? "the sender" : fmt::format("each of {} senders", senders),
                        plan.first_source_port, last));
}

IdentityPlan identities_for(const TrialPlan &plan, std::size_t senders)
{
    // A slot is used again when twice the timeout has passed at the rate, or later.
    const Rate rate = plan.captured ? plan.captured->peak_rate(2 * plan.timeout)
                                    : schedule_of(plan).peak(2 * plan.timeout);
    const auto id_mask = static_cast<std::uint16_t>(std::random_device{}());
    // Clients with addresses of their own need no ports of the Tester: nobody but the server sends
    // packets to these addresses.
    if (plan.captured && plan.replay.clients)
        if (const auto identities =
                plan_client_ports(rate, plan.timeout, static_cast<std::uint32_t>(senders), id_mask))
            return *identities;
    // The ports are checked first: they limit how many slots plan_identities() may make.
    check_ports(plan, senders);
    return plan_identities(rate, plan.timeout, plan.first_source_port, plan.source_ports,
                           static_cast<std::uint32_t>(senders), id_mask);
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

std::unique_ptr<const Source> make_source(const TrialPlan &plan, const Interface &interface,
                                          const NextHop &hop)
{
    const QueryFormat format = query_format(plan, interface, hop);
    if (plan.captured)
        return std::make_unique<const CaptureSource>(format, plan.captured, plan.replay.clients);
    if (plan.list)
        return std::make_unique<const QueriesSource<QueryList>>(format, plan.list);
    if (plan.mixed)
        return std::make_unique<const QueriesSource<MixedQueries>>(format, plan.mixed);
    return std::make_unique<const NameSource>(format, plan.names, plan.cached);
}

// Returns whether the replies' records may say something.
bool reads_records(const TrialPlan &plan)
{
    if (plan.list)
        return plan.list->reads_records();
    if (plan.mixed)
        return plan.mixed->reads_records();
    return plan.captured || plan.edns_size;
}

reply_clock_config clock_config(const TrialPlan &plan, const NextHop &hop)
{
    reply_clock_config config{};
    if (plan.list)
        config.questions = plan.list->key();
    if (plan.captured)
        config.questions = plan.captured->key();
    if (plan.mixed)
        config.questions = plan.mixed->key();
    std::copy(plan.zone.wire.begin(), plan.zone.wire.end(), config.rule.zone);
    config.rule.zone_length = plan.zone.length;
    config.rule.type = plan.qtype;
    config.rule.any_data = plan.any_answer ? 1 : 0;
    config.rule.prefix = plan.answer_prefix;
    config.rule.aaaa_share = static_cast<std::uint8_t>(plan.aaaa_share.value_or(0));
    config.rule.aaaa_prefix = plan.aaaa_prefix;
    std::copy(plan.server.bytes.begin(), plan.server.bytes.end(), config.server_address);
    std::copy(hop.source.bytes.begin(), hop.source.bytes.end(), config.tester_address);
    config.is_ipv6 = plan.server.is_ipv6 ? 1 : 0;
    config.reads_records = reads_records(plan) ? 1 : 0;
    config.reads_data = plan.list && plan.list->reads_data() ? 1 : 0;
    config.server_port = plan.server_port;
    if (plan.captured && plan.replay.clients) {
        const IpPrefix &clients = *plan.replay.clients;
        config.has_clients = 1;
        std::ranges::copy(clients.first.bytes, config.tester_address);
        const IpAddress last = clients.address(clients.size() - 1);
        for (std::size_t i = 0; i < clients.first.bytes.size(); i++)
            config.client_bits[i] =
                static_cast<std::uint8_t>(clients.first.bytes[i] ^ last.bytes[i]);
    }
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
    one.per_query_file = {};
    one.interval = {};
    one.since = {};
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
    throw SetupError(fmt::format(
        "the server did not answer the name that is to be in its cache, the first of {}, right in "
        "{} tries: {}: see what is wrong with the server (dnsgauge trial --rate 1 --duration 1)",
        to_string(plan.names), cache_fill_tries, why));
}

std::vector<SenderTimes> sender_times(const Tally &tally)
{
    std::vector<SenderTimes> times;
    for (const LaneTally &lane : tally.lanes)
        times.push_back({.cpu = lane.cpu, .ran = lane.ran, .waited = lane.waited});
    return times;
}

Expect expectation_of(const TrialPlan &plan)
{
    return plan.expect.value_or(Expect::useful);
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

// Returns what replies must be; nothing where the captures tell.
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

std::optional<ListSummary> list_summary(const TrialPlan &plan)
{
    if (!plan.list)
        return std::nullopt;
    return ListSummary{.file = *plan.queries_file,
                       .queries = plan.list->size(),
                       .distinct = plan.list->distinct(),
                       .memory = plan.list->memory(),
                       .shuffle_seed = plan.shuffle_seed,
                       .expect = expectation_of(plan)};
}

std::optional<ReplaySummary> replay_summary(const TrialPlan &plan, bool keeps_ports)
{
    if (!plan.captured)
        return std::nullopt;
    const ReplayWish &wish = plan.replay;
    const CapturedQueries &captured = *plan.captured;
    const CaptureCounts &counts = captured.counts();
    const ReplayOmissions &omissions = captured.omissions();
    return ReplaySummary{.files = wish.files,
                         .server = wish.server ? to_string(*wish.server) : "",
                         .port = wish.port,
                         .clients_in = wish.clients ? to_string(*wish.clients) : "",
                         .clients = captured.clients(),
                         .keeps_ports = keeps_ports,
                         .queries = captured.size(),
                         .played = captured.played(),
                         .speed = wish.speed,
                         .skip = wish.skip,
                         .memory = captured.memory(),
                         .expect = expectation_of(plan),
                         .unanswered = expectation_of(plan) == Expect::captured
                                           ? captured.size() - captured.answered()
                                           : 0,
                         .left_out = {{"tcp", counts.tcp},
                                      {"fragments", counts.fragments},
                                      {"cut", counts.cut},
                                      {"malformed", counts.malformed},
                                      {"other_server", omissions.other_server},
                                      {"unreadable", omissions.unreadable},
                                      {"too_long", omissions.too_long},
                                      {"outside", omissions.outside},
                                      {"other_records", omissions.other_records}}};
}

void describe_names(const TrialPlan &plan, TrialResult &result)
{
    result.zone = plan.zone.text;
    result.names = to_string(plan.names);
    if (plan.mixed) {
        const QueryMix &mix = plan.mixed->mix();
        result.mix = {.dnssec_ok = mix.dnssec_ok,
                      .nxdomain = mix.nxdomain,
                      .types = to_string(mix.types),
                      .aaaa_share = mix.aaaa_share,
                      .is_signed = mix.is_signed};
        return;
    }
    result.qtype = plan.qtype == DNS_TYPE_A ? "A" : "AAAA";
    if (plan.any_answer)
        result.answer = "any";
    else if (plan.qtype == DNS_TYPE_A)
        result.answer = "the address in the name";
    else
        result.answer = to_string(plan.answer_prefix);
}

// Adds what depends on how the replies travel.
ReplyTraits traits_of(ReplyTraits replies, const TrialPlan &plan, const NextHop &hop)
{
    constexpr unsigned around = 24; // preamble, frame check sequence and gap of Ethernet
    const unsigned headers = PACKET_ETHERNET_SIZE + (plan.vlan ? PACKET_VLAN_SIZE : 0U) +
                             (plan.server.is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) +
                             PACKET_UDP_SIZE;
    replies.records_read = clock_config(plan, hop).reads_records != 0;
    if (replies.count != 0)
        replies.wire_octets = replies.mean_size + headers + around;
    return replies;
}

Nanoseconds interval_of(const TrialPlan &plan)
{
    return plan.interval.value_or(Nanoseconds{});
}

std::vector<QueryCounts> counts_of(const std::vector<IntervalSummary> &intervals)
{
    std::vector<QueryCounts> counts;
    for (const IntervalSummary &interval : intervals)
        counts.push_back(interval.queries);
    return counts;
}

void take_intervals(TrialResult &result, const std::vector<IntervalTally> &tallies,
                    const TrialPlan &plan)
{
    result.interval = interval_of(plan);
    IntervalTally later;
    for (std::size_t i = 0; i < tallies.size(); i++) {
        const Nanoseconds since = result.interval * static_cast<std::int64_t>(i);
        result.intervals.push_back(summarize(tallies[i], since));
        if (since >= plan.since)
            later.add(tallies[i]);
    }
    while (!result.intervals.empty() && result.intervals.back().queries.sent == 0)
        result.intervals.pop_back();
    if (plan.since != Nanoseconds{})
        result.later_part = summarize(later, plan.since);
}

Evidence evidence_of(const TrialResult &result, const RunFaults &faults)
{
    return {.queries = result.queries,
            .intervals = counts_of(result.intervals),
            .sending = result.sending,
            .own_losses = result.own_losses,
            .faults = faults,
            .cpus = result.cpus,
            .interface = result.circumstances.interface,
            .next_hop_mac = result.circumstances.next_hop_mac,
            .answer = result.answer,
            .dns64 = result.dns64};
}

Criteria criteria_of(const TrialPlan &plan)
{
    return {.rate = plan.rate,
            .pace = pace_of(plan),
            .duration = plan.duration,
            .timeout = plan.timeout,
            .accept_percent = plan.accept_percent,
            .tolerances = plan.tolerances};
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
    if (plan.replay.is_wanted() && !plan.captured) {
        ReplayWish wish = plan.replay;
        wish.edns_options = plan.edns_options;
        plan.captured = std::make_shared<const CapturedQueries>(wish, plan.duration, wants);
        plan.rate = plan.captured->mean_rate();
        plan.duration = Nanoseconds(plan.captured->due_ns().back()) + due_at(plan.rate, 1);
    }
    const MessageFormat format{.recursion_desired = plan.recursion_desired,
                               .edns_size = plan.edns_size,
                               .dnssec_ok = plan.dnssec_ok,
                               .edns_options = plan.edns_options,
                               .wants = wants.value_or(WANTS_USEFUL)};
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
    [[nodiscard]] EnginePlan engine_plan() const;
    void describe_stamps(Circumstances &with, const StampCounts &counts) const;
    [[nodiscard]] bool next_hop_moved() const;
    void describe(TrialResult &result) const;

    TrialPlan plan_;
    std::uint64_t queries_;
    Interface interface_;
    std::vector<unsigned> cpus_;
    CpusKeptFree kept_free_; // of all threads but the senders
    std::optional<CpusKeptAwake> kept_awake_;
    NextHop hop_;
    StampSources stamp_sources_;
    std::optional<CardStamping> card_stamping_;
    StampPlan stamp_plan_;
    IdentityPlan identities_;
    std::optional<Engine> engine_;
    Sides sides_;
};

Trial::Parts::Parts(const TrialPlan &plan)
    : plan_(plan), queries_(count_queries(plan)), interface_(find_interface(plan.interface)),
      cpus_(choose_cpus(plan, interface_)), kept_free_(cpus_), hop_(resolve(plan, interface_)),
      stamp_sources_(stamp_sources(plan, interface_)),
      stamp_plan_(start_stamping(plan.stamps, stamp_sources_, card_stamping_)),
      sides_(interface_.ends_on_this_machine())
{
    if (plan.idle_cpus == IdleCpus::poll)
        kept_awake_.emplace();
    std::unique_ptr<const Source> source = make_source(plan, interface_, hop_);
    check_mtu(interface_, source->frame_length());
    identities_ = identities_for(plan_, cpus_.size());
    engine_.emplace(engine_plan(), std::move(source));
}

EnginePlan Trial::Parts::engine_plan() const
{
    return {.interface = interface_,
            .xdp_mode = plan_.xdp_mode,
            .tx = plan_.tx,
            .cpus = cpus_,
            .shares = static_cast<std::uint32_t>(cpus_.size()),
            .schedule = schedule_of(plan_),
            .queries = queries_,
            .timeout = plan_.timeout,
            .identities = identities_,
            .replies = clock_config(plan_, hop_),
            .stamps = {.receive = stamp_plan_.receive,
                       .transmit = stamp_plan_.transmit,
                       .has_driver_transmit =
                           stamp_sources_.driver && stamp_sources_.driver->tx_timestamp,
                       .must_have_both = plan_.stamps == StampMode::on},
            .intervals = {.length = interval_of(plan_), .run = plan_.duration},
            .per_query_file = plan_.per_query_file};
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
    MachineTimes times_after;
    CounterValues growth;
    bool carrier_failed = false;
    bool interrupted = false;

    const auto start = Clock::now() + start_delay;
    result.since = std::chrono::system_clock::now().time_since_epoch() + start_delay;
    const Tally tally =
        engine_->run(start.time_since_epoch(),
                     {.stop = stop,
                      .progress = progress,
                      .heard_all =
                          [&] {
                              times_after = read_machine_times();
                              // The senders notice that the link is down only when they send. Some
                              // drivers reset their link when a program leaves.
                              carrier_failed =
                                  grown(before, read_counters(interface_)).contains("carrier_down");
                          },
                      .detached =
                          [&] {
                              interrupted = stop.load();
                              result.until = result.since + (Clock::now() - start);
                              growth = grown(before, read_counters(interface_));
                          }});

    TallySummary figures = summarize(tally, schedule_of(plan_), queries_);
    attribute_losses(figures.own_losses, growth, tally.replies.totals, engine_->xdp_mode());
    figures.faults.interrupted = interrupted;
    figures.faults.link_failed = figures.faults.link_failed || carrier_failed;
    figures.faults.next_hop_moved = next_hop_moved();
    result.queries = figures.queries;
    result.strays = figures.strays;
    result.rcodes = figures.rcodes;
    result.late_rcodes = figures.late_rcodes;
    result.replies = traits_of(std::move(figures.replies), plan_, hop_);
    result.rtt = std::move(figures.rtt);
    result.rtt_hardware = std::move(figures.rtt_hardware);
    take_intervals(result, figures.intervals, plan_);
    result.sending = std::move(figures.sending);
    result.own_losses = std::move(figures.own_losses);
    result.cpus =
        cpu_use(times_before, times_after, sender_times(tally), engine_->receiving_cpus(), sides_);
    describe(result);
    describe_stamps(result.circumstances, figures.stamps);
    for (const LaneTally &lane : tally.lanes)
        result.circumstances.sender_nice = std::max(result.circumstances.sender_nice, lane.nice);

    Judgement judgement = judge(evidence_of(result, figures.faults), criteria_of(plan_));
    result.verdict = judgement.verdict;
    result.why = std::move(judgement.why);
    result.caveats.doubts = std::move(judgement.doubts);
    result.tester_was_limit = judgement.tester_was_limit;
    return result;
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
    return circumstances;
}

// Names the clocks that stamped packets; a clock that stamped none is "none".
void Trial::Parts::describe_stamps(Circumstances &with, const StampCounts &counts) const
{
    with.receive_stamps = counts.received != 0 ? "hardware" : "none";
    with.transmit_stamps = counts.transmitted != 0 ? engine_->transmit_stamps() : "none";
    with.contradictory_stamps = counts.contradictory;
}

void Trial::Parts::describe(TrialResult &result) const
{
    result.server = to_string(plan_.server);
    result.port = plan_.server_port;
    result.list = list_summary(plan_);
    result.replay = replay_summary(plan_, identities_.id_bits != 0);
    if (!result.list && !result.replay)
        describe_names(plan_, result);
    result.dns64 = dns64_conditions(plan_);
    result.caveats.selftest = plan_.selftest;
    result.caveats.deviations = trial_deviations(plan_);
    result.rate = plan_.rate;
    result.pace = pace_of(plan_);
    result.duration = plan_.duration;
    result.timeout = plan_.timeout;
    result.accept_percent = plan_.accept_percent;
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
