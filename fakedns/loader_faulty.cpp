// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/loader_faulty.h"

#include "fault_abi.h"
#include "host/bounce.h"
#include "host/percpu.h"
#include "userland/fault_text.h"
#include "userland/standard_output.h"

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

FaultyKernelResponder::FaultyKernelResponder(const fakedns_config &config,
                                             const FaultOptions &faults,
                                             const std::string &interface, XdpMode mode)
    : interface_(interface), holder_(make_holder(faults, interface)),
      skeleton_(load(config, faults, holder_ != nullptr, must_redirect(interface)))
{
    const std::vector<int> sockets = holder_ ? holder_->sockets() : std::vector<int>{};
    for (__u32 queue = 0; queue < sockets.size(); queue++)
        if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.holders), &queue, &sockets[queue],
                                BPF_ANY) != 0)
            throw SetupError("cannot hand an AF_XDP socket to the kernel program");
    link_.emplace(bpf_program__fd(skeleton_->progs.fakedns_faulty), interface, mode);
}

FaultyKernelResponder::~FaultyKernelResponder() = default;

std::vector<QueueCounters> FaultyKernelResponder::counters() const
{
    return sum_counters(bpf_map__fd(skeleton_->maps.counters), interface_);
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
