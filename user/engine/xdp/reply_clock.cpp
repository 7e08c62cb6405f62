// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/reply_clock.h"

#include "host/percpu.h"

#include "reply_clock.skel.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <numeric>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

// A CPU that still runs the detached program has left it after this time.
constexpr auto detach_patience = std::chrono::milliseconds(5);

// BPF_F_XDP_DEV_BOUND_ONLY of newer kernels' <linux/bpf.h>.
constexpr std::uint32_t xdp_device_bound_only = 1U << 6U;

bpf_program *program_of(const ::reply_clock &skeleton, ExpectationKind expectations, bool stamps)
{
    const auto &all = skeleton.progs;
    if (expectations == ExpectationKind::names)
        return stamps ? all.reply_clock_hardware : all.reply_clock;
    return stamps ? all.reply_clock_questions_hardware : all.reply_clock_questions;
}

Skeleton<::reply_clock> load(const reply_clock_config &config, ExpectationKind expectations,
                             std::optional<unsigned> stamping)
{
    auto skeleton = open_skeleton<::reply_clock>();
    skeleton->rodata->config = config;
    bpf_map__set_max_entries(skeleton->maps.slots, config.senders << config.slot_bits);
    bpf_program__set_autoload(skeleton->progs.reply_clock, false);
    bpf_program__set_autoload(program_of(*skeleton.get(), expectations, false), true);
    if (stamping) {
        bpf_program *const program = program_of(*skeleton.get(), expectations, true);
        bpf_program__set_autoload(program, true);
        bpf_program__set_ifindex(program, *stamping);
        bpf_program__set_flags(program, xdp_device_bound_only);
    }
    try {
        load_object(skeleton->obj, "reply_clock");
    } catch (const NoMemoryError &) {
        const std::size_t slots = std::size_t{config.senders} << config.slot_bits;
        throw SetupError("the kernel has no memory for {} outstanding queries ({} MiB): use a "
                         "shorter timeout or a lower rate",
                         slots, (slots * sizeof(query_slot)) >> 20U);
    }
    return skeleton;
}

QueryTally queries_of(const reply_totals &totals)
{
    QueryTally queries;
    for (int judgement = 0; judgement < JUDGEMENTS; judgement++)
        queries.states[state_for(static_cast<enum judgement>(judgement))] = totals.count[judgement];
    queries.states[QUERY_LATE] = totals.count[REPLY_LATE];
    std::ranges::copy(totals.rcodes, queries.rcodes.begin());
    std::ranges::copy(totals.late_rcodes, queries.late_rcodes.begin());
    return queries;
}

} // namespace

ReplyTally tally_of(const reply_totals &totals, const rtt_histogram &rtts,
                    const reply_traits &traits)
{
    static_assert(REPLY_SIZE_STEP == TraitsTally::size_step);
    ReplyTally tally{.queries = queries_of(totals), .passed = totals.count[REPLY_PASSED]};
    const std::uint64_t valid = totals.count[REPLY_VALID];
    constexpr unsigned shift = 2U * REPLY_RTT_SQUARE_SHIFT;
    RttTally::Numbers numbers{.count = valid,
                              .min = valid != 0 ? totals.rtt_min : ~std::uint64_t{0},
                              .sum_low = totals.rtt_sum,
                              .squares_high = totals.rtt_square_high << shift |
                                              totals.rtt_square_low >> (64U - shift),
                              .squares_low = totals.rtt_square_low << shift};
    numbers.histogram.add(rtts.count, totals.rtt_max);
    tally.queries.rtts = RttTally(std::move(numbers));
#define TAKE_COUNT(NAME, key, label, fate, kind) tally.strays.key = totals.count[REPLY_##NAME];
    STRAY_CLASSES(TAKE_COUNT)
#undef TAKE_COUNT
    tally.traits = {.sizes = {std::begin(traits.sizes), std::end(traits.sizes)},
                    .octets = traits.octets,
                    .smallest = std::uint64_t{REPLY_SIZES} * REPLY_SIZE_STEP - traits.smallest_gap,
                    .largest = traits.largest,
#define TAKE_COUNT(key) .key = traits.key,
                    REPLY_TRAITS(TAKE_COUNT)
#undef TAKE_COUNT
    };
    return tally;
}

ReplyClock::ReplyClock(const reply_clock_config &config, ExpectationKind expectations,
                       std::optional<unsigned> stamping)
    : expectations_(expectations)
{
    if (stamping) {
        try {
            skeleton_ = load(config, expectations, stamping);
            takes_stamps_ = true;
            return;
        } catch (const UnsupportedError &) { // the program without stamps does everything else
        }
    }
    skeleton_ = load(config, expectations, std::nullopt);
}

ReplyClock::~ReplyClock() = default;

void ReplyClock::attach(const std::string &interface, XdpMode mode)
{
    if (takes_stamps_) {
        try {
            link_.emplace(bpf_program__fd(program_of(*skeleton_.get(), expectations_, true)),
                          interface, XdpMode::native);
            return;
        } catch (const UnsupportedError &) {
            takes_stamps_ = false;
        }
    }
    link_.emplace(bpf_program__fd(program_of(*skeleton_.get(), expectations_, false)), interface,
                  mode);
}

void ReplyClock::forget()
{
    const int fd = bpf_map__fd(skeleton_->maps.totals);
    const std::vector<reply_totals> none(read_percpu<reply_totals>(fd).size());
    constexpr __u32 key = 0;
    if (bpf_map_update_elem(fd, &key, none.data(), BPF_ANY) != 0)
        throw SetupError("cannot write a BPF map: {}", std::strerror(errno));
}

void ReplyClock::detach()
{
    link_.reset();
    std::this_thread::sleep_for(detach_patience);
}

int ReplyClock::slots_fd() const
{
    return bpf_map__fd(skeleton_->maps.slots);
}

QueryTally ReplyClock::answered() const
{
    QueryTally sum;
    for (const reply_totals &one : read_percpu<reply_totals>(bpf_map__fd(skeleton_->maps.totals)))
        sum.add(queries_of(one));
    return sum;
}

std::vector<unsigned> ReplyClock::receiving_cpus() const
{
    constexpr std::uint64_t share = 100;
    const auto all = read_percpu<reply_totals>(bpf_map__fd(skeleton_->maps.totals));
    const auto dealt_with = [](const reply_totals &one) {
        return std::accumulate(std::begin(one.count), std::end(one.count), std::uint64_t{});
    };
    std::uint64_t sum = 0;
    for (const reply_totals &one : all)
        sum += dealt_with(one);
    std::vector<unsigned> cpus;
    for (unsigned cpu = 0; cpu < all.size(); cpu++)
        if (const std::uint64_t mine = dealt_with(all[cpu]); mine != 0 && mine * share >= sum)
            cpus.push_back(cpu);
    return cpus;
}

ReplyTally ReplyClock::tally() const
{
    const auto totals = read_percpu<reply_totals>(bpf_map__fd(skeleton_->maps.totals));
    const auto rtts = read_percpu<rtt_histogram>(bpf_map__fd(skeleton_->maps.rtts));
    const auto traits = read_percpu<reply_traits>(bpf_map__fd(skeleton_->maps.traits));
    ReplyTally sum;
    for (std::size_t cpu = 0; cpu < totals.size(); cpu++)
        sum.add(tally_of(totals[cpu], rtts[cpu], traits[cpu]));
    return sum;
}

} // namespace dnsgauge
