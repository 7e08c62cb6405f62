// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/reply_clock.h"

#include "host/percpu.h"

#include "reply_clock.skel.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <numeric>
#include <thread>

namespace dnsgauge
{

namespace
{

// A CPU that is inside the program when it is detached leaves it within this time.
constexpr auto detach_patience = std::chrono::milliseconds(5);

// BPF_F_XDP_DEV_BOUND_ONLY of newer kernels' <linux/bpf.h>.
constexpr std::uint32_t xdp_device_bound_only = 1U << 6U;

void add_squares(reply_totals &sum, const reply_totals &one)
{
    sum.rtt_square_low += one.rtt_square_low;
    sum.rtt_square_high +=
        one.rtt_square_high + (sum.rtt_square_low < one.rtt_square_low ? 1U : 0U);
}

std::string no_room_for(std::size_t slots)
{
    return "the kernel has no memory for " + std::to_string(slots) + " outstanding queries (" +
           std::to_string((slots * sizeof(query_slot)) >> 20U) +
           " MiB): use a shorter timeout or a lower rate";
}

bpf_program *plain_program(const ::reply_clock &skeleton, SlotsHold hold)
{
    return hold == SlotsHold::names ? skeleton.progs.reply_clock
                                    : skeleton.progs.reply_clock_questions;
}

bpf_program *stamping_program(const ::reply_clock &skeleton, SlotsHold hold)
{
    return hold == SlotsHold::names ? skeleton.progs.reply_clock_hardware
                                    : skeleton.progs.reply_clock_questions_hardware;
}

Skeleton<::reply_clock> load(const reply_clock_config &config, SlotsHold hold,
                             std::optional<unsigned> stamping)
{
    auto skeleton = open_skeleton<::reply_clock>();
    skeleton->rodata->config = config;
    bpf_map__set_max_entries(skeleton->maps.slots, config.senders << config.slot_bits);
    bpf_program__set_autoload(skeleton->progs.reply_clock, false);
    bpf_program__set_autoload(plain_program(*skeleton.get(), hold), true);
    if (stamping) {
        bpf_program *const program = stamping_program(*skeleton.get(), hold);
        bpf_program__set_autoload(program, true);
        bpf_program__set_ifindex(program, *stamping);
        bpf_program__set_flags(program, xdp_device_bound_only);
    }
    try {
        load_object(skeleton->obj, "reply_clock");
    } catch (const NoMemoryError &) {
        throw SetupError(no_room_for(std::size_t{config.senders} << config.slot_bits));
    }
    return skeleton;
}

} // namespace

void add(reply_totals &sum, const reply_totals &one)
{
    if (one.count[REPLY_VALID] != 0) {
        sum.rtt_min =
            sum.count[REPLY_VALID] != 0 ? std::min<__u64>(sum.rtt_min, one.rtt_min) : one.rtt_min;
        sum.rtt_max = std::max<__u64>(sum.rtt_max, one.rtt_max);
    }
    for (unsigned i = 0; i < REPLY_COUNTERS; i++)
        sum.count[i] += one.count[i];
    for (unsigned i = 0; i < DNS_RCODE_COUNTS; i++)
        sum.rcodes[i] += one.rcodes[i];
    for (unsigned i = 0; i < DNS_RCODE_COUNTS; i++)
        sum.late_rcodes[i] += one.late_rcodes[i];
    sum.rtt_sum += one.rtt_sum;
    add_squares(sum, one);
}

void add(reply_traits &sum, const reply_traits &one)
{
    for (unsigned i = 0; i < REPLY_SIZES; i++)
        sum.sizes[i] += one.sizes[i];
    sum.octets += one.octets;
    sum.largest = std::max(sum.largest, one.largest);
    sum.smallest_gap = std::max(sum.smallest_gap, one.smallest_gap);
    sum.aa += one.aa;
    sum.tc += one.tc;
    sum.ad += one.ad;
    sum.rd += one.rd;
    sum.ra += one.ra;
    sum.cd += one.cd;
    sum.z += one.z;
    sum.no_question += one.no_question;
    sum.whole += one.whole;
    sum.rrsig += one.rrsig;
}

ReplyClock::ReplyClock(const reply_clock_config &config, SlotsHold hold,
                       std::optional<unsigned> stamping)
    : hold_(hold)
{
    if (stamping) {
        try {
            skeleton_ = load(config, hold, stamping);
            takes_stamps_ = true;
            return;
        } catch (const UnsupportedError &) { // the program without stamps does everything else
        }
    }
    skeleton_ = load(config, hold, std::nullopt);
}

ReplyClock::~ReplyClock() = default;

void ReplyClock::attach(const std::string &interface, XdpMode mode)
{
    if (takes_stamps_) {
        try {
            link_.emplace(bpf_program__fd(stamping_program(*skeleton_.get(), hold_)), interface,
                          XdpMode::native);
            return;
        } catch (const UnsupportedError &) {
            takes_stamps_ = false;
        }
    }
    link_.emplace(bpf_program__fd(plain_program(*skeleton_.get(), hold_)), interface, mode);
}

void ReplyClock::forget()
{
    const int fd = bpf_map__fd(skeleton_->maps.totals);
    const std::vector<reply_totals> none(read_percpu<reply_totals>(fd).size());
    constexpr __u32 key = 0;
    if (bpf_map_update_elem(fd, &key, none.data(), BPF_ANY) != 0)
        throw SetupError(std::string("cannot write a BPF map: ") + std::strerror(errno));
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

reply_totals ReplyClock::totals() const
{
    reply_totals sum{};
    for (const reply_totals &one : read_percpu<reply_totals>(bpf_map__fd(skeleton_->maps.totals)))
        add(sum, one);
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

ReplyCounts ReplyClock::counts() const
{
    ReplyCounts counts{.totals = totals(), .rtts = {}, .traits = {}};
    for (const rtt_histogram &one : read_percpu<rtt_histogram>(bpf_map__fd(skeleton_->maps.rtts)))
        counts.rtts.add(one.count, counts.totals.rtt_max);
    for (const reply_traits &one : read_percpu<reply_traits>(bpf_map__fd(skeleton_->maps.traits)))
        add(counts.traits, one);
    return counts;
}

ReplyTraits summarize_traits(const reply_traits &traits)
{
    ReplyTraits replies;
    for (std::uint64_t i = 0; i < REPLY_SIZES; i++) {
        replies.count += traits.sizes[i];
        if (traits.sizes[i] != 0)
            replies.sizes.push_back({.from = i * REPLY_SIZE_STEP,
                                     .to = (i + 1) * REPLY_SIZE_STEP - 1,
                                     .count = traits.sizes[i]});
    }
    if (replies.count == 0)
        return replies;
    replies.smallest = std::uint64_t{REPLY_SIZES} * REPLY_SIZE_STEP - traits.smallest_gap;
    replies.largest = traits.largest;
    replies.mean_size = static_cast<double>(traits.octets) / static_cast<double>(replies.count);
    replies.aa = traits.aa;
    replies.ad = traits.ad;
    replies.tc = traits.tc;
    replies.rd = traits.rd;
    replies.ra = traits.ra;
    replies.cd = traits.cd;
    replies.z = traits.z;
    replies.no_question = traits.no_question;
    replies.whole = traits.whole;
    replies.rrsig = traits.rrsig;
    return replies;
}

} // namespace dnsgauge
