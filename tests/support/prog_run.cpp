// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/prog_run.h"

#include "host/percpu.h"
#include "host/tracepoints.h"
#include "system/unique_fd.h"

#include <sys/mman.h>

#include "absence_clock.skel.h"
#include "arrival_clock.skel.h"
#include "echo.skel.h"
#include "fakedns.skel.h"
#include "internet.skel.h"
#include "probe.skel.h"
#include "reply_clock.skel.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dnsgauge::testing
{

namespace
{

[[noreturn]] void fail(const std::string &what, int error)
{
    throw SetupError(what + ": " + std::strerror(error));
}

// Loads the program that misbehaves if there are `faults`.
Skeleton<fakedns> load(const fakedns_config &config, bool redirects,
                       const fault_config *faults = nullptr)
{
    Skeleton<fakedns> skeleton = open_skeleton<fakedns>();
    skeleton->rodata->config = config;
    skeleton->rodata->bounce_redirects = redirects;
    if (faults != nullptr)
        skeleton->rodata->faults = *faults;
    bpf_program__set_autoload(skeleton->progs.fakedns, faults == nullptr);
    bpf_program__set_autoload(skeleton->progs.fakedns_faulty, faults != nullptr);
    load_object(skeleton->obj, "fakedns");
    return skeleton;
}

Skeleton<reply_clock> load(const reply_clock_config &config, Expects expects)
{
    Skeleton<reply_clock> skeleton = open_skeleton<reply_clock>();
    skeleton->rodata->config = config;
    const int error =
        bpf_map__set_max_entries(skeleton->maps.slots, config.senders << config.slot_bits);
    if (error != 0)
        fail("cannot set the number of slots", -error);
    bpf_program__set_autoload(skeleton->progs.reply_clock, expects == Expects::name);
    bpf_program__set_autoload(skeleton->progs.reply_clock_questions, expects == Expects::question);
    load_object(skeleton->obj, "reply_clock");
    return skeleton;
}

} // namespace

RunResult run_program(int program_fd, std::span<const std::uint8_t> frame)
{
    RunResult result;
    result.bytes.resize(4096);
    LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = frame.data(),
                .data_out = result.bytes.data(), .data_size_in = static_cast<__u32>(frame.size()),
                .data_size_out = static_cast<__u32>(result.bytes.size()), .repeat = 1);
    const int error = bpf_prog_test_run_opts(program_fd, &options);
    if (error != 0)
        fail("BPF_PROG_TEST_RUN of " + std::to_string(frame.size()) + " octets", -error);
    result.action = options.retval;
    result.bytes.resize(options.data_size_out);
    return result;
}

std::uint32_t verified_instructions(int program_fd)
{
    bpf_prog_info info{};
    __u32 size = sizeof(info);
    if (bpf_obj_get_info_by_fd(program_fd, &info, &size) != 0)
        fail("cannot ask about a program", errno);
    return info.verified_insns;
}

std::string why_no_bpf()
{
    const std::array<bpf_insn, 2> pass{
        bpf_insn{BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, XDP_PASS},
        bpf_insn{BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    };
    const UniqueFd program{
        bpf_prog_load(BPF_PROG_TYPE_XDP, "probe", "GPL", pass.data(), pass.size(), nullptr)};
    if (program)
        return {};
    return std::string("cannot load a BPF program (") + std::strerror(errno) +
           "): run as root, on a kernel with CONFIG_BPF_SYSCALL";
}

FakednsProgram::FakednsProgram(const fakedns_config &config, bool redirects)
    : skeleton_(load(config, redirects))
{
}

FakednsProgram::~FakednsProgram() = default;

RunResult FakednsProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int FakednsProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.fakedns);
}

fakedns_counters FakednsProgram::counters() const
{
    fakedns_counters sum{};
    const int map = bpf_map__fd(skeleton_->maps.counters);
    for (unsigned queue = 0; queue < FAKEDNS_QUEUES; queue++)
        for (const auto &cpu : read_percpu<fakedns_counters>(map, queue))
            for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
                std::ranges::transform(sum.value[type], cpu.value[type], sum.value[type],
                                       std::plus{});
    return sum;
}

FaultyProgram::FaultyProgram(const fakedns_config &config, const fault_config &faults,
                             bool redirects)
    : skeleton_(load(config, redirects, &faults))
{
}

FaultyProgram::~FaultyProgram() = default;

RunResult FaultyProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int FaultyProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.fakedns_faulty);
}

fault_counters FaultyProgram::counters() const
{
    fault_counters sum{};
    const int map = bpf_map__fd(skeleton_->maps.fault_counters);
    for (const auto &cpu : read_percpu<fault_counters>(map))
        std::ranges::transform(sum.value, cpu.value, sum.value, std::plus{});
    return sum;
}

AbsenceClockProgram::AbsenceClockProgram() : skeleton_(open_skeleton<absence_clock>())
{
    load_object(skeleton_->obj, "absence_clock");
}

AbsenceClockProgram::~AbsenceClockProgram() = default;

int AbsenceClockProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.absence_clock);
}

ProbePrograms::ProbePrograms() : skeleton_(open_skeleton<probe>())
{
    // The verifier leaves out what a program that follows nothing would not do.
    skeleton_->rodata->config = {.log_least_ns = 0,
                                 .patience_ns = 1,
                                 .share = PROBE_ALL,
                                 .recvfrom = 45,
                                 .recvmsg = 47,
                                 .recvmmsg = 299,
                                 .port = 53,
                                 .sees_queueing = 1,
                                 .sees_cpus = 1,
                                 .sees_wire = 1};
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj)
    {
        bpf_program__set_autoload(program, program == skeleton_->progs.probe_sight ||
                                               has_tracepoint(std::string(tracepoint_of(program))));
    }
    load_object(skeleton_->obj, "probe");
}

ProbePrograms::~ProbePrograms() = default;

std::map<std::string, int> ProbePrograms::fds() const
{
    std::map<std::string, int> fds;
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj)
    {
        if (bpf_program__autoload(program))
            fds[bpf_program__name(program)] = bpf_program__fd(program);
    }
    return fds;
}

ArrivalClockProgram::ArrivalClockProgram(const arrival_clock_config &config, std::uint32_t queries)
    : skeleton_(open_skeleton<arrival_clock>())
{
    skeleton_->rodata->config = config;
    if (const int error = bpf_map__set_max_entries(skeleton_->maps.arrivals, queries); error != 0)
        fail("cannot set the number of queries", -error);
    load_object(skeleton_->obj, "arrival_clock");
}

ArrivalClockProgram::~ArrivalClockProgram() = default;

RunResult ArrivalClockProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int ArrivalClockProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.arrival_clock);
}

arrival_totals ArrivalClockProgram::totals() const
{
    arrival_totals sum{};
    for (const auto &cpu : read_percpu<arrival_totals>(bpf_map__fd(skeleton_->maps.totals))) {
        sum.arrived += cpu.arrived;
        sum.repeated += cpu.repeated;
        sum.strange += cpu.strange;
    }
    return sum;
}

std::uint64_t ArrivalClockProgram::arrival(std::uint32_t query) const
{
    std::uint64_t time = 0;
    if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.arrivals), &query, &time) != 0)
        fail("cannot read a time of arrival", errno);
    return time;
}

EchoProgram::EchoProgram(__u16 port, bool redirects) : skeleton_(open_skeleton<echo>())
{
    skeleton_->rodata->port = port;
    skeleton_->rodata->bounce_redirects = redirects;
    load_object(skeleton_->obj, "echo");
}

EchoProgram::~EchoProgram() = default;

RunResult EchoProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int EchoProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.echo);
}

int EchoProgram::to_socket_fd() const
{
    return bpf_program__fd(skeleton_->progs.echo_to_socket);
}

echo_counters EchoProgram::counters() const
{
    echo_counters sum{};
    for (const auto &cpu : read_percpu<echo_counters>(bpf_map__fd(skeleton_->maps.counters)))
        std::ranges::transform(sum.value, cpu.value, sum.value, std::plus{});
    return sum;
}

InternetProgram::InternetProgram(const internet_config &config, int socket)
    : skeleton_(open_skeleton<internet>())
{
    skeleton_->rodata->config = config;
    load_object(skeleton_->obj, "internet");
    const __u32 queue = 0;
    if (socket >= 0 &&
        bpf_map_update_elem(bpf_map__fd(skeleton_->maps.sockets), &queue, &socket, BPF_ANY) != 0)
        fail("cannot hand over an AF_XDP socket", errno);
}

InternetProgram::~InternetProgram() = default;

RunResult InternetProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int InternetProgram::fd() const
{
    return bpf_program__fd(skeleton_->progs.internet);
}

void SlotsUnmapper::operator()(query_slot *slots) const
{
    munmap(slots, size);
}

ReplyClockProgram::ReplyClockProgram(const reply_clock_config &config, Expects expects)
    : expects_(expects), skeleton_(load(config, expects)),
      slot_count_(std::size_t{config.senders} << config.slot_bits)
{
    const std::size_t size = slot_count_ * sizeof(query_slot);
    void *slots = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                       bpf_map__fd(skeleton_->maps.slots), 0);
    if (slots == MAP_FAILED)
        fail("cannot map the slots", errno);
    slots_ = {static_cast<query_slot *>(slots), SlotsUnmapper{size}};
}

ReplyClockProgram::~ReplyClockProgram() = default;

RunResult ReplyClockProgram::run(std::span<const std::uint8_t> frame) const
{
    return run_program(fd(), frame);
}

int ReplyClockProgram::fd() const
{
    return bpf_program__fd(expects_ == Expects::name ? skeleton_->progs.reply_clock
                                                     : skeleton_->progs.reply_clock_questions);
}

reply_totals ReplyClockProgram::totals() const
{
    reply_totals sum{};
    for (const auto &cpu : read_percpu<reply_totals>(bpf_map__fd(skeleton_->maps.totals))) {
        if (cpu.count[REPLY_VALID] != 0) {
            const bool first = sum.count[REPLY_VALID] == 0;
            sum.rtt_min = first ? cpu.rtt_min : std::min<__u64>(sum.rtt_min, cpu.rtt_min);
            sum.rtt_max = std::max(sum.rtt_max, cpu.rtt_max);
        }
        std::ranges::transform(sum.count, cpu.count, sum.count, std::plus{});
        std::ranges::transform(sum.rcodes, cpu.rcodes, sum.rcodes, std::plus{});
        sum.rtt_sum += cpu.rtt_sum;
        sum.rtt_square_low += cpu.rtt_square_low;
        sum.rtt_square_high += cpu.rtt_square_high + (sum.rtt_square_low < cpu.rtt_square_low);
    }
    return sum;
}

std::unique_ptr<rtt_histogram> ReplyClockProgram::rtts() const
{
    auto sum = std::make_unique<rtt_histogram>();
    for (const auto &cpu : read_percpu<rtt_histogram>(bpf_map__fd(skeleton_->maps.rtts)))
        std::ranges::transform(sum->count, cpu.count, sum->count, std::plus{});
    return sum;
}

} // namespace dnsgauge::testing
