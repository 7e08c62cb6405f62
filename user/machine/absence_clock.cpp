// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/absence_clock.h"

#include "host/percpu.h"
#include "machine/cpu_times.h"
#include "machine/text_files.h"
#include "system/cpus.h"

#include "absence_clock.skel.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string>

namespace dnsgauge
{

namespace
{

// The first PID namespace, whose process IDs the kernel's programs see, has this inode.
constexpr ino_t first_pid_namespace = 0xEFFF'FFFCU;

[[noreturn]] void fail(const char *what)
{
    throw SetupError(std::string("cannot ") + what + " a BPF map: " + std::strerror(errno));
}

void require_first_pid_namespace()
{
    struct stat own = {};
    if (stat("/proc/self/ns/pid", &own) != 0 || own.st_ino != first_pid_namespace)
        throw UnsupportedError("this process runs in a PID namespace of its own (a container), "
                               "where the kernel's process IDs are not known");
}

Skeleton<::absence_clock> load(const WatchedServer &server, Nanoseconds limit)
{
    auto skeleton = open_skeleton<::absence_clock>();
    auto &config = skeleton->rodata->config;
    for (const unsigned cpu : server.cpus)
        if (cpu < ABSENCE_CPUS)
            config.cpus[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
    config.limit_ns = static_cast<std::uint64_t>(limit.count());
    bpf_map__set_max_entries(
        skeleton->maps.processes,
        static_cast<__u32>(server.processes.size() + server.unclear.size() + 1));
    bpf_map__set_max_entries(skeleton->maps.absences, AbsenceClock::most_absences);
    load_object(skeleton->obj, "absence_clock");
    return skeleton;
}

void tell(int map_fd, const std::set<int> &processes, std::uint32_t task)
{
    for (const int process : processes)
        if (bpf_map_update_elem(map_fd, &process, &task, BPF_ANY) != 0)
            fail("write");
}

UniqueFd attach_to_scheduler(int program_fd)
{
    UniqueFd link(bpf_raw_tracepoint_open(nullptr, program_fd));
    if (!link)
        throw UnsupportedError("the kernel does not attach a BPF program to its scheduler ({})",
                               std::strerror(errno));
    return link;
}

} // namespace

WatchedServer watched_server(const ServerProcesses &server, const std::filesystem::path &proc)
{
    WatchedServer watched{.processes = {}, .unclear = server.unclear, .cpus = {}};
    for (const auto &[process, name] : server.names)
        watched.processes.insert(process);
    for_each_number(proc, [&](int process) {
        const ThreadTimes told =
            parse_thread(first_line(proc / std::to_string(process) / "stat"), "");
        if (!told.is_kernel)
            return;
        if (carries_packets(server, told.name))
            watched.processes.insert(process);
        else if (told.name.starts_with("ksoftirqd/") || told.name.starts_with("irq/"))
            watched.unclear.insert(process); // carries everybody's packets
    });
    for (const int process : watched.processes) {
        const auto tasks = proc / std::to_string(process) / "task";
        for_each_number(tasks, [&](int thread) {
            const std::string cpus =
                value_of(tasks / std::to_string(thread) / "status", "Cpus_allowed_list:");
            if (!cpus.empty())
                for (const unsigned cpu :
                     parse_cpu_list("CPUs of the server", cpus, ABSENCE_CPUS - 1))
                    watched.cpus.insert(cpu);
        });
    }
    return watched;
}

AbsenceClock::AbsenceClock(const WatchedServer &server, Nanoseconds limit) : cpus_(server.cpus)
{
    require_first_pid_namespace();
    skeleton_ = load(server, limit);
    const int processes = bpf_map__fd(skeleton_->maps.processes);
    tell(processes, server.unclear, ABSENCE_NEITHER);
    tell(processes, server.processes, ABSENCE_SERVER);
    for (const bpf_program *program :
         {skeleton_->progs.absence_clock, skeleton_->progs.absence_waking,
          skeleton_->progs.absence_wakeup})
        links_.push_back(attach_to_scheduler(bpf_program__fd(program)));
}

AbsenceClock::~AbsenceClock() = default;

void AbsenceClock::note_from(std::uint64_t time)
{
    constexpr __u32 key = 0;
    auto variables = *skeleton_->data;
    variables.from_ns = time;
    if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.data), &key, &variables, BPF_ANY) != 0)
        fail("write");
}

void AbsenceClock::begin(Nanoseconds start)
{
    note_from(static_cast<std::uint64_t>(start.count()));
}

void AbsenceClock::end()
{
    note_from(std::numeric_limits<std::uint64_t>::max());
}

std::uint32_t AbsenceClock::noted() const
{
    constexpr __u32 key = 0;
    auto variables = *skeleton_->bss;
    if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.bss), &key, &variables) != 0)
        fail("read");
    return variables.noted;
}

std::vector<absence> AbsenceClock::absences() const
{
    std::vector<absence> all(std::min(noted(), most_absences));
    for (__u32 i = 0; i < all.size(); i++)
        if (bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.absences), &i, &all[i]) != 0)
            fail("read");
    return all;
}

std::uint64_t AbsenceClock::missed() const
{
    return noted() - std::min(noted(), most_absences);
}

std::map<unsigned, absence> AbsenceClock::longest() const
{
    const auto watches = read_percpu<cpu_watch>(bpf_map__fd(skeleton_->maps.watches));
    std::map<unsigned, absence> longest;
    for (const unsigned cpu : cpus_)
        if (cpu < watches.size())
            longest[cpu] = watches[cpu].longest;
    return longest;
}

} // namespace dnsgauge
