// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/loader.h"

#include "host/percpu.h"

#include "fakedns.skel.h"

namespace dnsgauge
{

namespace
{

Skeleton<fakedns> load(const fakedns_config &config)
{
    Skeleton<fakedns> skeleton = open_skeleton<fakedns>();
    skeleton->rodata->config = config;
    load_object(skeleton->obj, "fakedns");
    return skeleton;
}

} // namespace

KernelResponder::KernelResponder(const fakedns_config &config, const std::string &interface,
                                 XdpMode mode)
    : interface_(interface), skeleton_(load(config)),
      link_(bpf_program__fd(skeleton_->progs.fakedns), interface, mode)
{
}

KernelResponder::~KernelResponder() = default;

std::vector<QueueCounters> KernelResponder::counters() const
{
    std::vector<QueueCounters> queues;
    const int map = bpf_map__fd(skeleton_->maps.counters);
    for (unsigned queue = 0; queue < FAKEDNS_QUEUES; queue++) {
        QueueCounters sum{interface_, queue, {}};
        std::uint64_t any = 0;
        for (const fakedns_counters &cpu : read_percpu<fakedns_counters>(map, queue)) {
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

} // namespace dnsgauge
