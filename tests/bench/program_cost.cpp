// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures what a packet costs in each kernel program, in nanoseconds over an empty program, and
// what the kernel's own steps cost.
//
// A loop in the kernel restores the frame and calls the program (timed_loop.h). The program's loop
// and the empty one take turns within one run; the cost is the difference of their medians. A loop
// of twice as many turns must take twice as long. If it does not, the machine is too noisy for the
// figure, and a word beside the figure says so.
//
// Writes JSON to standard output, of which tests/bench/cost.py makes the table. Exit status: 0
// figures were measured, whatever they are; 2 figures cannot be measured.
#include "bench/timed_loop_abi.h"
#include "host/mapped_memory.h"
#include "host/skeleton.h"
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include "fakedns_cost.skel.h"
#include "kernel_steps.skel.h"
#include "reply_clock_cost.skel.h"
#include "reply_clock_questions_cost.skel.h"

#include <fmt/format.h>
#include <linux/bpf.h>
#include <nlohmann/json.hpp>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

using Json = nlohmann::ordered_json;

constexpr int rounds = 41;
constexpr double batch_ns = 5e6; // a batch takes about this long
constexpr std::uint32_t address = 0x0a000001;
constexpr const char *name = "010-000-000-001.dns64perf.test";
constexpr std::uint16_t aaaa = 28;

Bytes query_frame(bool is_ipv6, const DnsMessage &message)
{
    return Ethernet{} / (is_ipv6 ? Layer{Ipv6{}} : Layer{Ipv4{}}) / Udp{} / Payload{message};
}

// Returns the right reply to transaction ID 0 of the first port of reply_clock_test_config().
DnsMessage reply_message()
{
    return {.id = 0,
            .flags = 0x8500,
            .questions = {{.name = dns_name(name), .type = aaaa}},
            .answers = {{.type = aaaa, .data = from_hex("20010db8 00640000 00000000 0a000001")}}};
}

Bytes reply_frame(bool is_ipv6, const DnsMessage &message)
{
    Ipv4 four;
    Ipv6 six;
    std::swap(four.source, four.target);
    std::swap(six.source, six.target);
    return Ethernet{} / (is_ipv6 ? Layer{six} : Layer{four}) /
           Udp{.source_port = 53, .target_port = 10000} / Payload{message};
}

// Owns one object with both loops over one frame; S is its skeleton. The constructor opens the
// object and sets what all programs share; the caller sets the rest, and load() loads it.
template <class S>
class Loops
{
public:
    explicit Loops(Bytes frame, bool is_ipv6, std::uint32_t action)
        : frame_(std::move(frame)), skeleton_(open_skeleton<S>())
    {
        const std::size_t udp_offset = is_ipv6 ? 54 : 34;
        std::uint16_t checksum = 0; // in memory order, as it is summed up
        std::memcpy(&checksum, frame_.data() + udp_offset + 6, sizeof(checksum));
        cost_setup &setup = skeleton_->rodata->setup;
        setup.sum_without_id = static_cast<__u16>(~checksum);
        setup.frame_length = static_cast<__u32>(frame_.size());
        setup.udp_offset = static_cast<__u32>(udp_offset);
        setup.action = action;
        std::ranges::copy(frame_, skeleton_->bss->frame);
    }

    [[nodiscard]] S &skeleton() { return *skeleton_; }

    void load(bpf_program *not_needed)
    {
        bpf_program__set_autoload(not_needed, false);
        load_object(skeleton_->obj, "for timing");
        variables_.emplace(sizeof(*skeleton_->bss), MAP_SHARED, bpf_map__fd(skeleton_->maps.bss));
        if (variables_->data() == nullptr)
            throw SetupError(std::string("cannot map a program's variables: ") +
                             std::strerror(errno));
    }

    // Returns the nanoseconds of a turn.
    double run(const bpf_program *program, std::uint32_t turns)
    {
        cost_result &result = static_cast<decltype(S::bss)>(variables_->data())->result;
        result.wanted = turns;
        LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame_.data(),
                    .data_size_in = static_cast<__u32>(frame_.size()), .repeat = 1);
        const int error = bpf_prog_test_run_opts(bpf_program__fd(program), &options);
        if (error != 0)
            throw SetupError(std::string("cannot run the timed loop: ") + std::strerror(-error));
        if (result.turns != turns || result.expected != turns)
            throw SetupError(fmt::format("of {} turns {} were made and {} ended as expected: the "
                                         "benchmark's frame does not fit the program",
                                         turns, result.turns, result.expected));
        return static_cast<double>(result.ns) / turns;
    }

private:
    Bytes frame_;
    Skeleton<S> skeleton_;
    std::optional<MappedMemory> variables_;
};

// Has each slot expect `expectation`, and want NOERROR where that is the hash of a question.
void fill_slots(int map_fd, std::uint64_t expectation)
{
    const MappedMemory memory(sizeof(query_slot) * COST_SLOTS, MAP_SHARED, map_fd);
    if (memory.data() == nullptr)
        throw SetupError(std::string("cannot map the slots: ") + std::strerror(errno));
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    const query_slot slot{.word = 0,
                          .sent_ns = static_cast<__u64>(now),
                          .expectation = expectation,
                          .hardware_ns = 0,
                          .wants = WANTS_USEFUL};
    std::ranges::fill(std::span{static_cast<query_slot *>(memory.data()), COST_SLOTS}, slot);
}

double quantile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

template <class S>
Json measure(Loops<S> &loops)
{
    constexpr std::uint32_t probe = 20000;
    const auto &programs = loops.skeleton().progs;
    (void)loops.run(programs.time_examined, probe);
    const auto turns = static_cast<std::uint32_t>(
        std::clamp(batch_ns / loops.run(programs.time_examined, probe), 1e3, 1e6));
    std::vector<double> empty;
    std::vector<double> once;
    std::vector<double> twice;
    for (int i = 0; i < rounds; i++) {
        empty.push_back(loops.run(programs.time_nothing, turns));
        once.push_back(loops.run(programs.time_examined, turns));
        twice.push_back(loops.run(programs.time_examined, 2 * turns));
    }
    const double empty_ns = quantile(empty, 0.5);
    const double ns = quantile(once, 0.5);
    return {{"ns", ns - empty_ns},
            {"empty_ns", empty_ns},
            {"spread_ns", quantile(once, 0.75) - quantile(once, 0.25)},
            {"disproportion_percent", 100 * (quantile(twice, 0.5) / ns - 1)}};
}

Json fakedns_figure(bool is_ipv6, const DnsMessage &query,
                    fakedns_config config = fakedns_test_config(), bool redirects = false)
{
    config.zones.zone[0].aaaa_share = 100;
    Loops<fakedns_cost> loops(query_frame(is_ipv6, query), is_ipv6,
                              redirects ? XDP_REDIRECT : XDP_TX);
    loops.skeleton().rodata->config = config;
    loops.skeleton().rodata->bounce_redirects = redirects;
    loops.load(loops.skeleton().progs.fakedns);
    Json figure = measure(loops);
    figure["verified"] = verified_instructions(FakednsProgram(config, redirects).fd());
    return figure;
}

template <class Cost>
Json reply_clock_figure(bool is_ipv6, Expects expects, std::uint64_t expectation,
                        const DnsMessage &reply)
{
    reply_clock_config config = reply_clock_test_config(is_ipv6);
    config.ports = 1;
    config.slot_bits = COST_SLOT_BITS;
    config.identities = {}; // costs the same: no round has a branch
    Loops<Cost> loops(reply_frame(is_ipv6, reply), is_ipv6, XDP_DROP);
    Cost &skeleton = loops.skeleton();
    skeleton.rodata->config = config;
    if (bpf_map__set_max_entries(skeleton.maps.slots, COST_SLOTS) != 0)
        throw SetupError("cannot set the number of slots");
    loops.load(skeleton.progs.reply_clock);
    fill_slots(bpf_map__fd(skeleton.maps.slots), expectation);
    Json figure = measure(loops);
    figure["verified"] = verified_instructions(ReplyClockProgram(config, expects).fd());
    return figure;
}

Json names_figure(bool is_ipv6)
{
    return reply_clock_figure<reply_clock_cost>(is_ipv6, Expects::name, address, reply_message());
}

// With an OPT record in the reply its records are read.
Json questions_figure(bool is_ipv6, bool edns)
{
    DnsMessage reply = reply_message();
    if (edns)
        reply.additionals = {dns_opt()};
    Bytes message = reply.bytes();
    const question_key key = test_question_key();
    __u64 hash = 0;
    if (!question_hash(wire_cursor{message.data(), message.data() + message.size()}, &key, &hash))
        throw SetupError("the reply has no question");
    return reply_clock_figure<reply_clock_questions_cost>(is_ipv6, Expects::question, hash, reply);
}

Json measure_all()
{
    const DnsMessage plain{.questions = {{.name = dns_name(name), .type = aaaa}}};
    DnsMessage edns = plain;
    edns.additionals = {dns_opt()};
    DnsMessage a = plain;
    a.questions[0].type = 1;
    DnsMessage miss = plain;
    miss.questions[0].name = dns_name("no-such-name.dns64perf.test");
    DnsMessage last_zone = plain;
    last_zone.questions[0].name = dns_name("010-000-000-001.zones.invalid");
    const fakedns_config usual = fakedns_test_config();
    fakedns_config all_timed = usual;
    all_timed.time_every = 1;
    fakedns_config some_timed = usual;
    some_timed.time_every = 100;
    fakedns_config limited = usual;
    limited.rate_interval_ns = 1;
    return {
        {"fakedns AAAA IPv4", fakedns_figure(false, plain)},
        {"fakedns AAAA IPv4, by redirect", fakedns_figure(false, plain, usual, true)},
        {"fakedns AAAA IPv6", fakedns_figure(true, plain)},
        {"fakedns AAAA EDNS IPv4", fakedns_figure(false, edns)},
        {"fakedns A IPv4", fakedns_figure(false, a)},
        {"fakedns NXDOMAIN IPv4", fakedns_figure(false, miss)},
        {"fakedns AAAA IPv4, the last of 8 zones",
         fakedns_figure(false, last_zone, fakedns_many_zones_config())},
        {"fakedns AAAA IPv4, 1 of 100 timed", fakedns_figure(false, plain, some_timed)},
        {"fakedns AAAA IPv4, all timed", fakedns_figure(false, plain, all_timed)},
        {"fakedns AAAA IPv4, rate limit", fakedns_figure(false, plain, limited)},
        {"reply_clock AAAA IPv4", names_figure(false)},
        {"reply_clock AAAA IPv6", names_figure(true)},
        {"reply_clock_questions AAAA IPv4", questions_figure(false, false)},
        {"reply_clock_questions AAAA IPv6", questions_figure(true, false)},
        {"reply_clock_questions EDNS IPv4", questions_figure(false, true)},
    };
}

// Returns the nanoseconds of steps that the kernel takes for a packet, each a median of rounds.
Json steps()
{
    const Skeleton<kernel_steps> skeleton = open_skeleton<kernel_steps>();
    load_object(skeleton->obj, "for timing");
    const auto run = [](const bpf_program *program) {
        constexpr unsigned turns_each = 64; // STEP_TURNS
        Bytes frame(90, 0);
        LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame.data(),
                    .data_size_in = static_cast<__u32>(frame.size()), .repeat = 20'000);
        if (const int error = bpf_prog_test_run_opts(bpf_program__fd(program), &options))
            throw SetupError(std::string("cannot run a step: ") + std::strerror(-error));
        return static_cast<double>(options.duration) / turns_each;
    };
    const auto &programs = skeleton->progs;
    const auto cost = [&](const bpf_program *program, double steps_a_turn) {
        std::vector<double> costs;
        for (int i = 0; i < 9; i++)
            costs.push_back((run(program) - run(programs.time_nothing)) / steps_a_turn);
        return quantile(std::move(costs), 0.5);
    };
    return {{"reading the clock", cost(programs.time_clock_read, 1)},
            {"finding a query's slot", cost(programs.time_slot_read, 1)},
            {"finding and claiming it (compare and swap)", cost(programs.time_slot_claimed, 1)},
            {"finding and raising a counter of this CPU", cost(programs.time_counter_raised, 1)},
            {"moving the packet's end", cost(programs.time_tail_moved_twice, 2)}};
}

} // namespace

int main()
{
    set_libbpf_verbosity(false);
    return dnsgauge::run_program("program_cost", [] {
        if (const std::string why_not = why_no_bpf(); !why_not.empty())
            throw SetupError(why_not);
        print_result(Json{{"programs", measure_all()}, {"steps", steps()}}.dump(2) + "\n");
        return 0;
    });
}
