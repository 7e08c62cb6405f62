// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/loader.h"

#include "host/bounce.h"
#include "host/percpu.h"

#include "fakedns.skel.h"

namespace dnsgauge
{

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

KernelResponder::KernelResponder(const fakedns_config &config, const std::string &interface,
                                 XdpMode mode)
    : interface_(interface), redirects_(must_redirect(interface)),
      program_(std::make_shared<const Successor>(config, redirects_)),
      link_(program_->program_fd(), interface, mode)
{
}

KernelResponder::~KernelResponder() = default;

std::shared_ptr<const KernelResponder::Successor>
KernelResponder::prepare(const fakedns_config &config) const
{
    return std::make_shared<const Successor>(config, redirects_, program_.get());
}

void KernelResponder::exchange(std::shared_ptr<const Successor> &successor)
{
    if (link_.is_attached())
        link_.replace_program(successor->program_fd());
    else
        link_ = XdpLink(successor->program_fd(), interface_, link_.mode());
    program_.swap(successor);
}

std::vector<QueueCounters> KernelResponder::counters() const
{
    return sum_counters(program_->counters_fd(), interface_);
}

std::vector<QueueCounters> sum_counters(int map_fd, const std::string &interface)
{
    std::vector<QueueCounters> queues;
    for (unsigned queue = 0; queue < FAKEDNS_QUEUES; queue++) {
        QueueCounters sum{interface, queue, {}};
        std::uint64_t any = 0;
        for (const auto &cpu : read_percpu<fakedns_counters>(map_fd, queue)) {
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

} // namespace dnsgauge
