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

Counters sum_counters(int map_fd)
{
    Counters sum;
    for (const fakedns_counters &cpu : read_percpu<fakedns_counters>(map_fd)) {
        for (unsigned i = 0; i < FAKEDNS_COUNTERS; i++)
            sum.value[i] += cpu.value[i];
    }
    return sum;
}

KernelResponder::KernelResponder(const fakedns_config &config, const std::string &interface,
                                 XdpMode mode)
    : skeleton_(load(config)), link_(bpf_program__fd(skeleton_->progs.fakedns), interface, mode)
{
}

KernelResponder::~KernelResponder() = default;

Counters KernelResponder::counters() const
{
    return sum_counters(bpf_map__fd(skeleton_->maps.counters));
}

} // namespace dnsgauge
