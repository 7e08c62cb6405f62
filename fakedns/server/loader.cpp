// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/loader.h"

#include "fault_abi.h"
#include "host/bounce.h"
#include "host/percpu.h"
#include "userland/fault_text.h"
#include "userland/standard_output.h"
#include "xsk/socket.h"

#include "fakedns.skel.h"
#include "fakedns_faulty.skel.h"

namespace dnsgauge
{

namespace
{

std::unique_ptr<FrameHolder> make_holder(const FaultOptions &faults, const std::string &interface)
{
    if (!has_held_faults(faults.plan))
        return nullptr;
    try {
        return std::make_unique<FrameHolder>(interface, faults.cpu);
    } catch (const SetupError &error) {
        if (faults.cpu)
            throw;
        say("fakedns: sockets send the answers that wait: {}\n", error.what());
        return nullptr;
    }
}

Skeleton<fakedns_faulty> load(const fakedns_config &config, const FaultOptions &faults,
                              bool has_holder, bool redirects)
{
    Skeleton<fakedns_faulty> skeleton = open_skeleton<fakedns_faulty>();
    skeleton->rodata->config = config;
    skeleton->rodata->bounce_redirects = redirects;
    skeleton->rodata->faults.plan = faults.plan;
    skeleton->rodata->faults.has_holder = has_holder;
    bpf_program__set_autoload(skeleton->progs.fakedns, false);
    load_object(skeleton->obj, "fakedns_faulty");
    return skeleton;
}

} // namespace

class KernelResponder::Successor
{
public:
    // The program shares the counters of `predecessor`, if there is one.
    explicit Successor(const fakedns_config &config, bool redirects,
                       const Successor *predecessor = nullptr)
        : skeleton_(open_skeleton<fakedns>())
    {
        skeleton_->rodata->config = config;
        skeleton_->rodata->bounce_redirects = redirects;
        if (predecessor != nullptr) {
            share(skeleton_->maps.counters, predecessor->skeleton_->maps.counters);
            share(skeleton_->maps.times, predecessor->skeleton_->maps.times);
        }
        // Without a limit the program never stores a bucket.
        if (config.rate_interval_ns == 0)
            check(bpf_map__set_max_entries(skeleton_->maps.buckets, 1));
        load_object(skeleton_->obj, "fakedns");
    }

    [[nodiscard]] int program_fd() const { return bpf_program__fd(skeleton_->progs.fakedns); }
    [[nodiscard]] int counters_fd() const { return bpf_map__fd(skeleton_->maps.counters); }
    [[nodiscard]] int times_fd() const { return bpf_map__fd(skeleton_->maps.times); }

private:
    static void check(int error)
    {
        if (error != 0)
            throw SetupError(std::string("cannot set up a BPF map: ") + std::strerror(-error));
    }

    static void share(bpf_map *to, const bpf_map *from)
    {
        check(bpf_map__reuse_fd(to, bpf_map__fd(from)));
    }

    Skeleton<fakedns> skeleton_;
};

KernelSide::KernelSide(const std::string &interface)
    : interface_(interface), redirects_(must_redirect(interface))
{
}

KernelResponder::KernelResponder(const fakedns_config &config, const std::string &interface,
                                 XdpMode mode)
    : KernelSide(interface), program_(std::make_shared<const Successor>(config, redirects()))
{
    attach(program_->program_fd(), mode);
}

KernelResponder::~KernelResponder()
{
    detach();
}

std::shared_ptr<const KernelResponder::Successor>
KernelResponder::prepare(const fakedns_config &config) const
{
    return std::make_shared<const Successor>(config, redirects(), program_.get());
}

void KernelResponder::exchange(std::shared_ptr<const Successor> &successor)
{
    if (is_attached())
        link().replace_program(successor->program_fd());
    else
        link() = XdpLink(successor->program_fd(), interface(), mode());
    program_.swap(successor);
}

int KernelResponder::counters_map() const
{
    return program_->counters_fd();
}

std::vector<QueueCounters> KernelSide::counters() const
{
    std::vector<QueueCounters> queues;
    for (unsigned queue = 0; queue < FAKEDNS_QUEUES; queue++) {
        QueueCounters sum{interface_, queue, {}};
        std::uint64_t any = 0;
        for (const auto &cpu : read_percpu<fakedns_counters>(counters_map(), queue)) {
            for (unsigned type = 0; type < FAKEDNS_TYPES; type++) {
                for (unsigned i = 0; i < FAKEDNS_COUNTERS; i++) {
                    sum.counters.add(i, type, cpu.value[type][i]);
                    any |= cpu.value[type][i];
                }
            }
        }
        if (queue == 0 || any != 0)
            queues.push_back(std::move(sum));
    }
    return queues;
}

void KernelResponder::add_times(DurationHistogram &sum) const
{
    for (const auto &cpu : read_percpu<fakedns_times>(program_->times_fd())) {
        sum.add_sum(cpu.sum_ns);
        for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++)
            sum.add_bucket(bucket, cpu.count[bucket]);
    }
}

FaultyKernelResponder::FaultyKernelResponder(const fakedns_config &config,
                                             const FaultOptions &faults,
                                             const std::string &interface, XdpMode mode)
    : KernelSide(interface), holder_(make_holder(faults, interface)),
      skeleton_(load(config, faults, holder_ != nullptr, redirects()))
{
    const std::vector<int> sockets = holder_ ? holder_->sockets() : std::vector<int>{};
    for (__u32 queue = 0; queue < sockets.size(); queue++)
        hand_xdp_socket(bpf_map__fd(skeleton_->maps.holders), queue, sockets[queue]);
    attach(bpf_program__fd(skeleton_->progs.fakedns_faulty), mode);
}

FaultyKernelResponder::~FaultyKernelResponder()
{
    detach();
}

int FaultyKernelResponder::counters_map() const
{
    return bpf_map__fd(skeleton_->maps.counters);
}

FaultCounters FaultyKernelResponder::faults() const
{
    FaultCounters sum;
    const int map = bpf_map__fd(skeleton_->maps.fault_counters);
    for (const fault_counters &cpu : read_percpu<fault_counters>(map)) {
        for (unsigned kind = 0; kind < FAULTS; kind++)
            sum.done[kind] += cpu.value[kind];
        sum.unsent += cpu.value[FAULT_UNHELD];
    }
    if (holder_) {
        sum.waiting = holder_->waiting();
        sum.unsent += holder_->unsent();
    }
    return sum;
}

} // namespace dnsgauge
