// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/loader.h"

#include "dns/fault_text.h"
#include "fault_abi.h"
#include "host/bounce.h"
#include "host/percpu.h"
#include "host/skeleton.h"
#include "system/standard_output.h"
#include "xsk/socket.h"

#include "fakedns.skel.h"

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

void check(int error)
{
    if (error != 0)
        throw SetupError("cannot set up a BPF map: {}", std::strerror(-error));
}

void share(bpf_map *to, const bpf_map *from)
{
    check(bpf_map__reuse_fd(to, bpf_map__fd(from)));
}

} // namespace

class KernelResponder::Program
{
public:
    // Shares the counters of the program `predecessor`, if there is one.
    Program(const fakedns_config &config, const FaultOptions &faults, bool has_holder,
            bool redirects, const Program *predecessor = nullptr)
        : skeleton_(open_skeleton<fakedns>()), is_faulty_(faults.any())
    {
        skeleton_->rodata->config = config;
        skeleton_->rodata->bounce_redirects = redirects;
        skeleton_->rodata->faults.plan = faults.plan;
        skeleton_->rodata->faults.has_holder = has_holder;
        bpf_program__set_autoload(skeleton_->progs.fakedns, !is_faulty_);
        bpf_program__set_autoload(skeleton_->progs.fakedns_faulty, is_faulty_);
        // A kernel without AF_XDP cannot make this map.
        check(bpf_map__set_autocreate(maps().holders, is_faulty_));
        if (predecessor != nullptr) {
            share(maps().counters, predecessor->maps().counters);
            share(maps().times, predecessor->maps().times);
        }
        // Without a limit the program stores no bucket.
        if (config.rate_interval_ns == 0)
            check(bpf_map__set_max_entries(maps().buckets, 1));
        load_object(skeleton_->obj, is_faulty_ ? "fakedns_faulty" : "fakedns");
    }

    [[nodiscard]] int fd() const
    {
        return bpf_program__fd(is_faulty_ ? skeleton_->progs.fakedns_faulty
                                          : skeleton_->progs.fakedns);
    }
    [[nodiscard]] const decltype(fakedns::maps) &maps() const { return skeleton_->maps; }

private:
    Skeleton<fakedns> skeleton_;
    bool is_faulty_;
};

KernelResponder::KernelResponder(const fakedns_config &config, const FaultOptions &faults,
                                 const std::string &interface, XdpMode mode)
    : options_(faults), interface_(interface), redirects_(must_redirect(interface)),
      holder_(make_holder(faults, interface)),
      program_(std::make_shared<const Program>(config, faults, holder_ != nullptr, redirects_))
{
    const std::vector<int> sockets = holder_ ? holder_->sockets() : std::vector<int>{};
    for (__u32 queue = 0; queue < sockets.size(); queue++)
        hand_xdp_socket(bpf_map__fd(program_->maps().holders), queue, sockets[queue]);
    link_.emplace(program_->fd(), interface, mode);
}

std::shared_ptr<const KernelResponder::Program>
KernelResponder::prepare(const fakedns_config &config) const
{
    return std::make_shared<const Program>(config, options_, holder_ != nullptr, redirects_,
                                           program_.get());
}

void KernelResponder::exchange(std::shared_ptr<const Program> &next)
{
    if (is_attached())
        link_->replace_program(next->fd());
    else
        *link_ = XdpLink(next->fd(), interface_, mode());
    program_.swap(next);
}

std::vector<QueueCounters> KernelResponder::counters() const
{
    const int map = bpf_map__fd(program_->maps().counters);
    std::vector<QueueCounters> queues;
    for (unsigned queue = 0; queue < FAKEDNS_QUEUES; queue++) {
        QueueCounters sum{interface_, queue, {}};
        std::uint64_t any = 0;
        for (const auto &cpu : read_percpu<fakedns_counters>(map, queue)) {
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
    for (const auto &cpu : read_percpu<fakedns_times>(bpf_map__fd(program_->maps().times))) {
        sum.add_sum(cpu.sum_ns);
        for (std::uint32_t bucket = 0; bucket < LOG_HISTOGRAM_BUCKETS; bucket++)
            sum.add_bucket(bucket, cpu.count[bucket]);
    }
}

FaultCounters KernelResponder::faults() const
{
    FaultCounters sum;
    const int map = bpf_map__fd(program_->maps().fault_counters);
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
