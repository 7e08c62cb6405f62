// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/trial.h"

#include "engine/cpu_share.h"
#include "host/ethtool.h"
#include "machine/card.h"
#include "machine/counters.h"
#include "machine/cpu_times.h"
#include "machine/interface.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "trial/carrier.h"
#include "trial/circumstances.h"
#include "trial/conclusion.h"
#include "trial/cpu_use.h"
#include "trial/sender_cpu.h"
#include "trial/server_watch.h"
#include "trial/testers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

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

// What the kernel counts on the Tester's machine, and the names of things there: read before the
// queries are sent, and again afterwards. What cannot be read again is a doubt.
class Readings
{
public:
    explicit Readings(const Interface &interface) : interface_(interface) {}

    void read_handled_again(Measurement &measured)
    {
        times_after_ = read_machine_times();
        read_afterwards(measured.doubts, "what each queue and CPU handled",
                        [this] { handled_after_ = handled_so_far(interface_); });
    }
    void read_counters_again(Measurement &measured)
    {
        if (!measured.faults.not_counted)
            measured.faults.not_counted =
                !read_afterwards(measured.doubts, "what " + interface_.name + " dropped", [this] {
                    growth_ = grown(counters_before_, read_counters(interface_));
                });
    }
    void read_names_again(Measurement &measured) const
    {
        read_afterwards(measured.doubts,
                        "whether a name of the interface or of the network namespace changed", [&] {
                            for (std::string &doubt :
                                 doubts_of_change(names_before_, surroundings_of(interface_.index)))
                                measured.doubts.push_back(std::move(doubt));
                        });
    }

    [[nodiscard]] const MachineTimes &times_before() const { return times_before_; }
    [[nodiscard]] const MachineTimes &times_after() const { return times_after_; }
    // Returns by how much the interface's counters have grown.
    [[nodiscard]] const CounterValues &growth() const { return growth_; }
    // Returns what was handled between the readings.
    [[nodiscard]] Handled handled() const { return grown(handled_before_, handled_after_); }

private:
    const Interface &interface_;
    const MachineTimes times_before_ = read_machine_times();
    const CounterValues counters_before_ = read_counters(interface_);
    const Surroundings names_before_ = surroundings_of(interface_.index);
    const Handled handled_before_ = handled_so_far(interface_);
    MachineTimes times_after_;
    Handled handled_after_ = handled_before_;
    CounterValues growth_;
};

std::unique_ptr<JointTrial> begin_trial(const TrialPlan &plan, std::size_t senders)
{
    const auto count = static_cast<std::uint32_t>(senders);
    return plan.testers ? plan.testers->begin(plan, count) : make_alone(count);
}

// Makes the server look up the name that is to be in its cache, if the plan has one. A server that
// was just started may be slow with its first query, so it gets several tries. Throws SetupError if
// it does not answer right.
void fill_cache(const TrialPlan &plan)
{
    constexpr unsigned tries = 3;
    const auto *names = part_of<NamesWorkload>(plan.workload);
    if (names == nullptr || names->cached.percent == 0)
        return;
    NamesWorkload first;
    static_cast<ZoneNames &>(first) = *names;
    static_cast<QueryHeader &>(first) = *names;
    first.aaaa_prefix = names->aaaa_prefix;
    first.names = {CachedShare::name(names->names), 1};
    const TrialPlan one = plan_of_one(plan, first);
    const std::atomic<bool> never{false};
    std::string why;
    for (unsigned i = 0; i < tries; i++) {
        Trial trial(one);
        const TrialResult result = trial.run(never, [](const TrialProgress & /*none*/) {});
        if (result.queries.valid == 1)
            return;
        why = result.why;
    }
    throw SetupError(
        "the server did not answer the name that is to be in its cache, the first of {}, right in "
        "{} tries: {}: see what is wrong with the server (dnsgauge trial --rate 1 --duration 1)",
        to_string(names->names), tries, why);
}

} // namespace

// The parts of a trial. Members are destroyed in reverse: the engine first; the CPUs and the card
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
    [[nodiscard]] RunPlan run_plan() const;
    // Returns a measurement that has no figures yet.
    [[nodiscard]] Measurement described() const;
    [[nodiscard]] Measurement measure(const std::atomic<bool> &stop,
                                      const std::function<void(const TrialProgress &)> &progress);

    TrialPlan plan_;
    std::uint64_t queries_;
    Interface interface_;
    std::vector<unsigned> cpus_;
    std::unique_ptr<JointTrial> joint_;
    CpusKeptFree kept_free_; // of all threads but the senders
    std::optional<CpusKeptAwake> kept_awake_;
    Nanoseconds stall_limit_;
    // Loads its program before the engine takes memory, because libbpf reads all of the kernel's
    // types.
    ServerWatch server_;
    std::unique_ptr<Carrier> carrier_;
    std::optional<InterfaceHold> hold_;
};

Trial::Parts::Parts(const TrialPlan &plan)
    : plan_(plan), queries_(count_queries(plan)), interface_(find_interface(plan.interface)),
      cpus_(choose_cpus(plan)), joint_(begin_trial(plan, cpus_.size())), kept_free_(cpus_),
      stall_limit_(stall_limit_of(plan)), server_(plan, interface_, stall_limit_)
{
    if (plan.idle_cpus == IdleCpus::poll)
        kept_awake_.emplace();
    carrier_ = make_carrier(
        {.trial = plan_, .interface = interface_, .shares = joint_->shares(), .run = run_plan()});
    hold_.emplace(plan.interface); // which another series may hold in a pause
}

RunPlan Trial::Parts::run_plan() const
{
    return {.cpus = cpus_,
            .first_share = joint_->shares().first,
            .shares = joint_->shares().all,
            .schedule = schedule_of(plan_),
            .queries = queries_,
            .timeout = plan_.timeout,
            .wants_copies = plan_.wants_copies,
            .stall_limit = stall_limit_,
            .bearable = pace_of(plan_).kind == Pace::Kind::window
                            ? Nanoseconds::max()
                            : lateness_allowed(plan_.timeout, plan_.tolerances),
            .catch_up_per_mille =
                static_cast<std::uint32_t>(std::lround(plan_.catch_up.value_or(0) * 1000)),
            .intervals = {.length = plan_.interval.value_or(Nanoseconds{}), .run = plan_.duration},
            .per_query_file = plan_.per_query_file,
            .per_query = plan_.per_query,
            .witness = server_.witness()};
}

std::vector<unsigned> Trial::Parts::capabilities() const
{
    std::vector<unsigned> needed = carrier_->capabilities();
    needed.push_back(CAP_SYS_NICE);
    return needed;
}

Measurement Trial::Parts::described() const
{
    Measurement measured;
    measured.server = to_string(plan_.server);
    measured.circumstances = circumstances();
    carrier_->describe(measured);
    measured.path = carrier_->engine().path();
    measured.stall_limit = stall_limit_;
    if (const std::optional<IpPrefix> clients = clients_of(plan_))
        measured.clients_in = to_string(*clients);
    return measured;
}

// The senders look at `ends` as often as `progress` is called.
Measurement Trial::Parts::measure(const std::atomic<bool> &stop,
                                  const std::function<void(const TrialProgress &)> &progress)
{
    Measurement measured = described();
    const std::vector<ReadyTester> ready =
        joint_->get_ready({.circumstances = measured.circumstances, .clients = clients_of(plan_)});
    if (plan_.same_modes_as)
        check_same_modes(*plan_.same_modes_as, ready);
    Readings readings(interface_);
    const Nanoseconds start = joint_->common_start();
    server_.begin(start);
    std::atomic<bool> ends{stop.load()};

    measured.since = std::chrono::system_clock::now().time_since_epoch() +
                     (start - Clock::now().time_since_epoch());
    measured.tally = carrier_->engine().run(
        start, {.stop = ends,
                .progress =
                    [&](const RunProgress &now) {
                        ends = ends || stop || joint_->is_stopped();
                        progress(now);
                    },
                .heard_all =
                    [&] {
                        server_.end();
                        readings.read_handled_again(measured);
                        // Senders notice only while they send that the link is down. Some drivers
                        // reset their link when a program leaves.
                        readings.read_counters_again(measured);
                        measured.faults.link_failed = readings.growth().contains("carrier_down");
                    },
                .detached =
                    [&] {
                        measured.faults.interrupted = ends || stop;
                        measured.until = measured.since + (Clock::now().time_since_epoch() - start);
                        readings.read_counters_again(measured);
                    }});

    readings.read_names_again(measured);
    measured.losses = carrier_->engine().losses(measured.tally, readings.growth());
    read_afterwards(measured.doubts, "whether the next hop has another Ethernet address",
                    [&] { measured.faults.next_hop_moved = carrier_->next_hop_moved(); });
    measured.cpus =
        cpu_use(readings.times_before(), readings.times_after(), sender_times(measured.tally),
                carrier_->receiving_cpus(), server_.sides());
    measured.server_drops = server_.drops();
    measured.probe = server_.probed();
    server_.take_absences(measured, start);
    measured.placement = placement_result(interface_, readings.handled());
    for (const LaneTally &lane : measured.tally.lanes)
        measured.circumstances.sender_nice =
            std::max(measured.circumstances.sender_nice, lane.nice);
    carrier_->describe_run(measured);
    return measured;
}

TrialResult Trial::Parts::run(const std::atomic<bool> &stop,
                              const std::function<void(const TrialProgress &)> &progress)
{
    return conclude(plan_, joint_->exchange(measure(stop, progress)), joint_->shares().all);
}

Circumstances Trial::Parts::circumstances() const
{
    Circumstances circumstances = machine_circumstances();
    circumstances.sender_cpus = cpus_;
    if (plan_.cpus.empty())
        circumstances.sender_cpus_why = default_sender_cpu().why;
    circumstances.interface = interface_.name;
    circumstances.driver = interface_.driver;
    circumstances.mtu = interface_.mtu;
    circumstances.link_mbps = interface_.speed_mbps;
    circumstances.idle_cpus_poll = kept_awake_ && kept_awake_->are_kept();
    circumstances.server_absences = server_.told();
    return circumstances;
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

TrialResult Trial::run(const std::atomic<bool> &stop,
                       const std::function<void(const TrialProgress &)> &progress)
{
    return parts_->run(stop, progress);
}

} // namespace dnsgauge
