// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/checks.h"

#include "calibrate/fakedns_process.h"
#include "dns/fault_text.h"
#include "engine/query_log.h"
#include "host/mapped_memory.h"
#include "host/percpu.h"
#include "host/skeleton.h"
#include "host/xdp_link.h"
#include "machine/interface.h"
#include "stats/summary.h"
#include "system/setup_error.h"

#include "arrival_clock_abi.h"

#include "arrival_clock.skel.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

// A CPU that still runs the detached program has left it after this time.
constexpr auto detach_patience = std::chrono::milliseconds(5);

std::size_t whole_pages(std::size_t size)
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return (size + page - 1) / page * page;
}

// The clock at the other end of the Tester's link (bpf/arrival_clock.bpf.c).
class ArrivalClock
{
public:
    // Attaches the clock to `interface` of the calling thread's network namespace. The clock notes
    // queries to UDP port `port` for `queries` names from number `first` on. Throws SetupError.
    ArrivalClock(std::uint32_t first, std::uint32_t queries, std::uint16_t port,
                 const std::string &interface)
        : queries_(queries), skeleton_(open_skeleton<::arrival_clock>())
    {
        skeleton_->rodata->config.first = first;
        skeleton_->rodata->config.port = port;
        bpf_map__set_max_entries(skeleton_->maps.arrivals, queries);
        load_object(skeleton_->obj, "arrival_clock");
        memory_.emplace(whole_pages(queries * sizeof(std::uint64_t)), MAP_SHARED,
                        bpf_map__fd(skeleton_->maps.arrivals));
        if (memory_->data() == nullptr)
            throw SetupError(std::string("cannot map the times of arrival: ") +
                             std::strerror(errno));
        link_.emplace(bpf_program__fd(skeleton_->progs.arrival_clock), interface,
                      XdpMode::automatic);
    }

    // Detaches the program: no more packets reach it.
    void detach()
    {
        link_.reset();
        std::this_thread::sleep_for(detach_patience);
    }

    // Returns when each query arrived (CLOCK_MONOTONIC); 0 if it did not arrive.
    [[nodiscard]] std::span<const std::uint64_t> arrivals() const
    {
        return {static_cast<const std::uint64_t *>(memory_->data()), queries_};
    }

    // Returns how many queries arrived again.
    [[nodiscard]] std::uint64_t repeated() const
    {
        std::uint64_t sum = 0;
        for (const arrival_totals &one :
             read_percpu<arrival_totals>(bpf_map__fd(skeleton_->maps.totals)))
            sum += one.repeated;
        return sum;
    }

private:
    std::uint32_t queries_;
    Skeleton<::arrival_clock> skeleton_;
    std::optional<MappedMemory> memory_;
    std::optional<XdpLink> link_;
};

constexpr NameRange names{.first = 10U << 24U, .count = 1U << 24U};
constexpr std::uint64_t arrivals_most = 1U << 22U;
constexpr std::uint32_t all_have_aaaa = 100; // percent
constexpr std::uint64_t pacing_least = 3;    // queries
// Late replies come this long after the timeout. A reply is late, and not lost, until twice the
// timeout.
constexpr auto late_by = std::chrono::milliseconds(5);

// Returns the plan of a trial that may send late: checks that count or time replies need no
// punctual queries.
TrialPlan patient(const CheckBench &bench, Rate rate)
{
    TrialPlan plan = bench.trial;
    plan.rate = rate;
    auto &asked = give_part<ZoneNames>(plan.workload);
    asked.names = names;
    asked.allow_repeats = false;
    plan.duration = std::min<Nanoseconds>(plan.duration, due_at(rate, names.count));
    plan.tolerances.lateness = plan.tolerances.overrun_least = std::chrono::hours(1);
    return plan;
}

TrialResult run_trial(const TrialPlan &plan, const std::atomic<bool> &stop)
{
    if (stop)
        throw Stopped();
    TrialResult result = Trial(plan).run(stop, [](const TrialProgress & /*none*/) {});
    if (stop)
        throw Stopped();
    for (const TesterResult &tester : result.testers)
        if (!tester.trial)
            throw SetupError(result.why);
    return result;
}

std::uint64_t senders_of(const TrialResult &part)
{
    return part.circumstances.sender_cpus.size();
}

// Some neighbours among all `of` senders. Each sender sends every `of`-th query.
struct SendersShare {
    std::uint64_t first = 0;
    std::uint64_t count = 1;
    std::uint64_t of = 1;
};

struct SharePrediction {
    std::uint64_t queries = 0;
    FaultCounts faults{};
};

// Returns how many names these senders ask for, one with each query, and which faults the names
// have.
SharePrediction predict_share(const fault_plan &faults, const NameRange &asked,
                              const SendersShare &share)
{
    SharePrediction prediction;
    for (std::uint64_t sender = share.first; sender < share.first + share.count; sender++)
        for (std::uint64_t i = sender; i < asked.count; i += share.of) {
            const NameRange one{.first = static_cast<std::uint32_t>(asked.first + i), .count = 1};
            const FaultCounts found = predict_faults(faults, one, all_have_aaaa);
            std::ranges::transform(prediction.faults, found, prediction.faults.begin(),
                                   std::plus());
            prediction.queries++;
        }
    return prediction;
}

// Returns what `look` finds in each Tester's part, if there are several Testers.
template <class Look>
auto by_tester(const TrialResult &result, Look look)
{
    std::vector<OfTester<std::invoke_result_t<Look, const TrialResult &>>> found;
    for (const TesterResult &tester : result.testers)
        found.push_back({tester.rank, tester.host, look(*tester.trial)});
    return found;
}

std::string all_faults(Nanoseconds timeout)
{
    return fmt::format("loss=1%,delay=4%:exponential:1ms,late=1%:{}ns,duplicate=3%,"
                       "wrong-address=1.5%,wrong-question=0.5%,wrong-id=0.7%,servfail=2%,"
                       "truncated=0.8%,empty=1.2%,garbage=0.9%,wrong-owner=0.6%,"
                       "extra-record=1.1%,missing-record=0.4%,trailing-octets=1.3%,"
                       "extended-rcode=0.3%,not-authoritative=1.4%",
                       (timeout + late_by).count());
}

// Returns how many of the `planned` queries the faults put into each class.
QueryCounts predicted_queries(std::uint64_t planned, const FaultCounts &faults)
{
    return {.sent = planned,
            .valid = faults[FAULT_NONE] + faults[FAULT_DELAY] + faults[FAULT_DUPLICATE],
            .late = faults[FAULT_LATE],
            .lost = faults[FAULT_LOSS] + faults[FAULT_WRONG_ID],
            .invalid = {.rcode = faults[FAULT_SERVFAIL] + faults[FAULT_EXTENDED_RCODE],
                        .no_answer = faults[FAULT_EMPTY],
                        .wrong_data = faults[FAULT_WRONG_ADDRESS],
                        .wrong_owner = faults[FAULT_WRONG_OWNER],
                        .extra_records = faults[FAULT_EXTRA_RECORD],
                        .trailing_octets = faults[FAULT_TRAILING_OCTETS],
                        .wrong_flags = faults[FAULT_NOT_AUTHORITATIVE],
                        .truncated = faults[FAULT_TRUNCATED],
                        .wrong_question = faults[FAULT_WRONG_QUESTION],
                        .malformed = faults[FAULT_GARBAGE] + faults[FAULT_MISSING_RECORD]}};
}

std::vector<CountedClass> compare(const TrialResult &result, std::uint64_t planned,
                                  const FaultCounts &faults)
{
    const QueryCounts &found = result.queries;
    const QueryCounts predicted = predicted_queries(planned, faults);
    // An HTTP request and a QUIC stream have one response each.
    const bool has_duplicates =
        result.transport != Transport::doh && result.transport != Transport::doq;
    const StrayCounts strays{.duplicate = has_duplicates ? faults[FAULT_DUPLICATE] : 0,
                             .unexpected = faults[FAULT_WRONG_ID]};
    std::vector<CountedClass> classes{{"sent", found.sent, predicted.sent},
                                      {"valid", found.valid, predicted.valid},
                                      {"late", found.late, predicted.late},
                                      {"lost", found.lost, predicted.lost}};
    for (const InvalidClass &each : invalid_classes)
        classes.push_back({each.key, found.invalid.*each.count, predicted.invalid.*each.count});
    for (const StrayClass &each : stray_classes)
        classes.push_back({each.key, result.strays.*each.count, strays.*each.count});
    return classes;
}

RttExcess excess_of(std::vector<double> rtts, Nanoseconds delay)
{
    std::ranges::sort(rtts);
    const auto excess = [&](std::uint64_t per_mille) {
        return static_cast<std::int64_t>(percentile(rtts, per_mille)) - delay.count();
    };
    return {.p50 = excess(500), .p99 = excess(990)};
}

constexpr std::uint64_t burst_part = 10;

std::uint64_t percentile(const std::vector<std::uint64_t> &sorted, std::uint64_t percent)
{
    return sorted[(sorted.size() * percent + 99) / 100 - 1];
}

void set_lateness(PacingFigures &figures, std::vector<std::int64_t> offsets)
{
    const std::int64_t punctual = std::ranges::min(offsets);
    std::vector<std::uint64_t> lateness;
    for (const std::int64_t offset : offsets)
        lateness.push_back(static_cast<std::uint64_t>(offset - punctual));
    std::ranges::sort(lateness);
    figures.lateness = {
        .p50 = percentile(lateness, 50), .p99 = percentile(lateness, 99), .max = lateness.back()};
}

void set_gaps(PacingFigures &figures, std::vector<std::uint64_t> times, Rate rate)
{
    std::ranges::sort(times);
    std::vector<std::uint64_t> gaps;
    for (std::size_t i = 1; i < times.size(); i++)
        gaps.push_back(times[i] - times[i - 1]);
    std::ranges::sort(gaps);
    figures.gap_min = gaps.front();
    figures.gap_p1 = percentile(gaps, 1);
    figures.gap_p50 = percentile(gaps, 50);
    figures.gap_p99 = percentile(gaps, 99);
    figures.gap_max = gaps.back();
    const std::uint64_t limit = nanoseconds_per_second / burst_part;
    const auto bursts = std::ranges::count_if(
        gaps, [&](std::uint64_t gap) { return gap * rate.per_second < limit; });
    figures.burst_share = static_cast<double>(bursts) / static_cast<double>(gaps.size());
}

} // namespace

FakednsOfAll::FakednsOfAll(const CheckBench &bench, const std::string &faults)
    : mine_(bench.fakedns, faults)
{
    if (bench.trial.testers)
        others_ = bench.trial.testers->serve(bench.trial, faults);
}

void FakednsOfAll::check_alive() const
{
    mine_.check_alive();
    if (others_)
        others_->check_alive();
}

CountingCheck check_counting(const CheckBench &bench, Rate rate)
{
    const TrialPlan plan = patient(bench, rate);
    const std::string text = all_faults(plan.timeout);
    fault_plan faults{};
    parse_faults(text, faults);
    const FakednsOfAll fakedns(bench, text);
    const TrialResult result = run_trial(plan, bench.stop);
    fakedns.check_alive();
    const NameRange asked{.first = names.first, .count = count_queries(plan)};
    CountingCheck check{
        .rate = rate,
        .classes = compare(result, asked.count, predict_faults(faults, asked, all_have_aaaa))};
    std::uint64_t all = 0; // senders
    for (const TesterResult &tester : result.testers)
        all += senders_of(*tester.trial);
    std::uint64_t first = 0;
    check.testers = by_tester(result, [&](const TrialResult &part) {
        const SharePrediction mine =
            predict_share(faults, asked, {.first = first, .count = senders_of(part), .of = all});
        first += senders_of(part);
        return CountingCheck{.rate = rate, .classes = compare(part, mine.queries, mine.faults)};
    });
    return check;
}

DelayCheck check_rtt(const CheckBench &bench, Rate rate, std::optional<Nanoseconds> delay)
{
    TrialPlan plan = patient(bench, rate);
    // The usual timeout is enough for the floor. With a longer timeout fast trials would need more
    // ports.
    if (!delay)
        plan.timeout = std::min(plan.timeout, CalibrationTerms{}.timeout);
    std::vector<double> rtts;
    if (delay && !plan.testers)
        plan.per_query = [&rtts](const QueryRecord &query) {
            if (query.state == QUERY_VALID)
                rtts.push_back(static_cast<double>(query.rtt_ns));
        };
    const FakednsOfAll fakedns(bench, delay ? fmt::format("delay=100%:{}ns", delay->count())
                                            : std::string());
    const TrialResult result = run_trial(plan, bench.stop);
    fakedns.check_alive();
    const auto look = [rate, &delay](const TrialResult &seen) {
        return DelayCheck{.rate = rate,
                          .delay = delay.value_or(Nanoseconds{}),
                          .is_held = delay.has_value(),
                          .sent = seen.queries.sent,
                          .valid = seen.queries.valid,
                          .late = seen.queries.late,
                          .rtt = seen.rtt};
    };
    DelayCheck check = look(result);
    check.testers = by_tester(result, look);
    if (!rtts.empty())
        check.excess = excess_of(std::move(rtts), *delay);
    return check;
}

PacingCheck check_pacing(const CheckBench &bench, Rate rate)
{
    TrialPlan plan = patient(bench, rate);
    plan.duration = std::clamp<Nanoseconds>(plan.duration, due_at(rate, pacing_least),
                                            due_at(rate, arrivals_most));
    // The shortest wait will do, because nobody answers.
    plan.timeout = std::chrono::milliseconds(10);
    const std::uint64_t planned = count_queries(plan);
    std::optional<ArrivalClock> clock;
    {
        const NetworkNamespaceVisit visit = visit_to(bench.fakedns.netns);
        clock.emplace(names.first, static_cast<std::uint32_t>(planned), plan.server_port,
                      bench.fakedns.interface);
        static_cast<void>(find_interface(bench.fakedns.interface)); // has a carrier again
    }
    const TrialResult result = run_trial(plan, bench.stop);
    clock->detach();
    return {.rate = rate,
            .sent = result.queries.sent,
            .planned = planned,
            .repeated = clock->repeated(),
            .told_lateness_p99 = result.sending.lateness.p99,
            .seen = pacing_of(clock->arrivals(), rate)};
}

PacingFigures pacing_of(std::span<const std::uint64_t> arrivals, Rate rate)
{
    PacingFigures figures;
    std::vector<std::uint64_t> times;
    std::vector<std::int64_t> offsets; // of arrivals, from a schedule that begins at 0
    for (std::size_t i = 0; i < arrivals.size(); i++) {
        if (arrivals[i] == 0)
            continue;
        if (!times.empty() && arrivals[i] < times.back())
            figures.disordered++;
        times.push_back(arrivals[i]);
        offsets.push_back(static_cast<std::int64_t>(arrivals[i]) - due_at(rate, i).count());
    }
    figures.arrived = times.size();
    if (times.size() < 2)
        return figures;
    figures.span_error = offsets.back() - offsets.front();
    const auto span = static_cast<double>(times.back()) - static_cast<double>(times.front());
    figures.rate_error = span > 0 ? -static_cast<double>(figures.span_error) / span : std::nan("");
    set_lateness(figures, std::move(offsets));
    set_gaps(figures, std::move(times), rate);
    return figures;
}

} // namespace dnsgauge
