// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "probe/probe.h"

#include "engine/histogram.h"
#include "host/percpu.h"
#include "host/tracepoints.h"
#include "machine/text_files.h"
#include "probe/shared_address.h"
#include "system/monotonic_clock.h"
#include "system/namespace_visit.h"
#include "system/setup_error.h"

#include "probe.skel.h"

#include <bpf/btf.h>
#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr const char *proc = "/proc";
constexpr auto never = std::numeric_limits<std::uint64_t>::max();

std::uint32_t ids_of(const ProbePlace &place)
{
    return static_cast<std::uint32_t>(std::ceil(place.share_percent / 100 * PROBE_ALL));
}

// Returns the shortest time of a query that is logged. See probe_config.
std::uint64_t logged_from(const ProbePlace &place)
{
    if (place.log || place.has_log_of_trial)
        return 0;
    return place.timeout ? static_cast<std::uint64_t>(place.timeout->count()) / 2 : never;
}

// Returns where the running kernel has the functions that drop packets for XDP programs and name no
// reason. Returns nothing if this process may not see addresses.
std::vector<probe_range> xdp_places()
{
    constexpr std::array<std::string_view, PROBE_XDP_PLACES> names{
        "do_xdp_generic", "bpf_prog_run_generic_xdp", "netif_receive_generic_xdp",
        "veth_xdp_rcv_skb"};
    std::vector<std::uint64_t> all;
    std::vector<probe_range> places;
    std::ifstream symbols(std::string(proc) + "/kallsyms");
    for (std::string line; std::getline(symbols, line);) {
        const std::string_view text = line;
        const std::size_t type = text.find(' ');
        std::uint64_t address = 0;
        const auto *const end = text.data() + std::min(type, text.size());
        if (std::from_chars(text.data(), end, address, 16).ptr != end || type + 3 > text.size())
            continue;
        // After the name may follow the name of a module, or the compiler's suffix for a variant.
        const std::string_view name = text.substr(type + 3);
        all.push_back(address);
        if (std::ranges::find(names, name.substr(0, name.find_first_of(".\t"))) != names.end() &&
            address != 0 && places.size() < PROBE_XDP_PLACES)
            places.push_back({.from = address, .until = address});
    }
    std::ranges::sort(all);
    for (probe_range &place : places)
        if (const auto next = std::ranges::upper_bound(all, place.from); next != all.end())
            place.until = *next;
    return places;
}

Skeleton<::probe> load(const ProbePlace &place, const Tracepoints &tracepoints)
{
    // Reading the kernel's symbols takes long.
    static const std::vector<probe_range> of_xdp = xdp_places();
    auto skeleton = open_skeleton<::probe>();
    auto &config = skeleton->rodata->config;
    config.interface = place.index;
    config.network_namespace = static_cast<__u32>(place.network_namespace);
    config.share = ids_of(place);
    config.recvfrom = SYS_recvfrom;
    config.recvmsg = SYS_recvmsg;
    config.recvmmsg = SYS_recvmmsg;
    config.port = place.port;
    std::ranges::copy(of_xdp, config.xdp_places);
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, skeleton->obj)
    {
        bpf_program__set_autoload(program, tracepoints.used.contains(tracepoint_of(program)));
    }
    bpf_program__set_autoload(skeleton->progs.probe_sight, place.first_sight);
    config.sees_wire = place.first_sight;
    if (!place.first_sight)
        bpf_map__set_max_entries(skeleton->maps.sights, 1);
    config.sees_queueing = bpf_program__autoload(skeleton->progs.probe_reply);
    config.sees_cpus = bpf_program__autoload(skeleton->progs.probe_switch);
    config.log_least_ns = logged_from(place);
    config.patience_ns =
        place.timeout ? 2 * static_cast<std::uint64_t>(place.timeout->count()) : never;
    if (config.log_least_ns == never)
        bpf_map__set_max_entries(skeleton->maps.records, static_cast<__u32>(getpagesize()));
    load_object(skeleton->obj, "probe");
    return skeleton;
}

// Attaches the program that stamps queries, where it runs before the network stack.
XdpLink link_first_sight(const ProbePlace &place, int program_fd)
{
    if (const auto present = attached_program(place.index))
        throw SetupError(
            "the XDP program \"{}\" is attached to {}, and there is room for one: stop "
            "what attached it, or leave --first-sight (or --probe-first-sight) out",
            present->name, place.interface);
    try {
        return XdpLink(program_fd, place.interface, XdpMode::native);
    } catch (const UnsupportedError &) {
        throw UnsupportedError(
            "the driver of {} has no native XDP, and a generic program sees no "
            "query before the network stack does: leave --first-sight (or --probe-first-sight) out",
            place.interface);
    }
}

// Calls `each` with every key of a hash map.
template <class Key>
void for_each_key(int map_fd, const std::function<void(Key)> &each)
{
    Key key{};
    for (const Key *before = nullptr; bpf_map_get_next_key(map_fd, before, &key) == 0;
         before = &key)
        each(key);
}

// Returns the running kernel's names of reasons for drops, without what they have in common.
std::map<std::uint64_t, std::string> reason_names()
{
    constexpr std::string_view prefix = "SKB_DROP_REASON_";
    const std::unique_ptr<btf, decltype(&btf__free)> types(btf__load_vmlinux_btf(), btf__free);
    std::map<std::uint64_t, std::string> names;
    const __s32 id =
        types ? btf__find_by_name_kind(types.get(), "skb_drop_reason", BTF_KIND_ENUM) : -1;
    if (id < 0)
        return names;
    const btf_type *type = btf__type_by_id(types.get(), static_cast<__u32>(id));
    for (__u32 i = 0; i < btf_vlen(type); i++) {
        const std::string name = btf__name_by_offset(types.get(), btf_enum(type)[i].name_off);
        names.emplace(btf_enum(type)[i].val,
                      lower_case(name.starts_with(prefix) ? name.substr(prefix.size()) : name));
    }
    return names;
}

std::string reason_name(std::uint64_t reason)
{
    // Reading the kernel's types takes long.
    static const auto names = reason_names();
    const auto name = names.find(reason);
    return name == names.end() ? fmt::format("reason_{}", reason) : name->second;
}

DropReasons named(const __u64 (&counts)[PROBE_REASONS])
{
    DropReasons reasons;
    for (std::uint64_t i = 0; i < PROBE_REASONS; i++)
        if (counts[i] != 0)
            reasons.emplace_back(reason_name(i), counts[i]);
    return reasons;
}

// Returns `all` less the parts, and at least 0: packets on their way while counters are read may be
// in a part and not yet in `all`.
std::uint64_t rest(std::uint64_t all, std::uint64_t parts)
{
    return all - std::min(all, parts);
}

StageTimes stage_times(int map_fd, __u32 stage)
{
    Histogram histogram;
    std::uint64_t sum = 0;
    for (const probe_times &cpu : read_percpu<probe_times>(map_fd, stage)) {
        histogram.add(cpu.count, cpu.max_ns);
        sum += cpu.sum_ns;
    }
    StageTimes times{.count = histogram.count()};
    if (times.count != 0)
        times.mean = static_cast<double>(sum) / static_cast<double>(times.count);
    histogram.summarise(times);
    return times;
}

// Returns the queries in groups by the time until their replies left.
std::vector<AlikeQueries> by_time(int map_fd)
{
    std::vector<AlikeQueries> rows;
    for (__u32 range = 0; range < PROBE_RANGES; range++) {
        AlikeQueries row;
        static_assert(std::size(row.sums) == std::size(probe_sums().sum_ns));
        for (const probe_sums &cpu : read_percpu<probe_sums>(map_fd, range)) {
            row.queries += cpu.queries;
            for (std::size_t stage = 0; stage < row.sums.size(); stage++)
                row.sums[stage] += cpu.sum_ns[stage];
        }
        if (row.queries != 0)
            rows.push_back(row);
    }
    return merged(rows);
}

// Returns the threads by queries, most first.
std::vector<ProbedThread> threads_in(int map_fd)
{
    std::vector<ProbedThread> threads;
    for_each_key<__u32>(map_fd, [&](__u32 key) {
        probe_thread value{};
        if (bpf_map_lookup_elem(map_fd, &key, &value) != 0 || value.reads == 0)
            return;
        // A thread that never slept is still on its CPU.
        const std::uint64_t last =
            value.on_ns == 0 ? 0 : value.last_ns - std::min(value.last_ns, value.on_ns);
        threads.push_back({.process = static_cast<std::uint32_t>(value.process),
                           .thread = key,
                           .name = std::string(value.name, strnlen(value.name, sizeof(value.name))),
                           .queries = value.reads,
                           .calls = value.calls,
                           .wakeups = value.wakeups,
                           .migrations = value.migrations,
                           .ran = Nanoseconds(value.ran_ns + last),
                           .waited = Nanoseconds(value.waited_ns)});
    });
    std::ranges::sort(threads, std::greater<>(), &ProbedThread::queries);
    return threads;
}

// Returns the sockets that were read or full, by their inodes.
std::map<std::uint64_t, probe_socket> sockets_in(int map_fd)
{
    std::map<std::uint64_t, probe_socket> sockets;
    for_each_key<__u64>(map_fd, [&](__u64 key) {
        probe_socket value{};
        if (bpf_map_lookup_elem(map_fd, &key, &value) == 0)
            sockets.emplace(key, value);
    });
    return sockets;
}

// Says which thread reads the socket.
template <class Socket>
void name_reader(Socket &socket, std::uint64_t reader, const std::vector<ProbedThread> &threads)
{
    const auto thread = std::ranges::find(threads, reader, &ProbedThread::thread);
    if (thread == threads.end())
        return;
    socket.thread = thread->thread;
    socket.reader = thread->name;
}

// Finds the processes that have the sockets.
void name_owners(std::vector<ProbedSocket> &sockets)
{
    std::map<std::string, ProbedSocket *> nameless;
    std::set<std::string> inodes;
    for (ProbedSocket &socket : sockets) {
        const std::string inode = std::to_string(socket.inode);
        nameless[inode] = &socket;
        inodes.insert(inode);
    }
    if (inodes.empty())
        return;
    for_each_number(proc, [&](int process) {
        const auto folder = std::filesystem::path(proc) / std::to_string(process);
        for (const std::string &inode : sockets_of(folder, inodes)) {
            nameless.at(inode)->process = static_cast<std::uint32_t>(process);
            nameless.at(inode)->name = first_line(folder / "comm");
        }
    });
}

std::vector<ProbedSocket> full_sockets(const std::map<std::uint64_t, probe_socket> &known,
                                       const std::vector<ProbedThread> &threads)
{
    std::vector<ProbedSocket> sockets;
    for (const auto &[inode, value] : known) {
        if (value.drops == 0)
            continue;
        sockets.push_back({.inode = inode,
                           .drops = value.drops,
                           .buffer = value.buffer,
                           .waiting = value.waiting});
        name_reader(sockets.back(), value.reader, threads);
    }
    name_owners(sockets);
    std::ranges::sort(sockets, std::greater<>(), &ProbedSocket::drops);
    return sockets;
}

// Returns the sockets that were read; none unless the socket of each of the `reads` is known.
std::map<std::uint64_t, SharingSocket>
read_sockets(const std::map<std::uint64_t, probe_socket> &known, std::uint64_t reads,
             const std::vector<ProbedThread> &threads)
{
    std::map<std::uint64_t, SharingSocket> sockets;
    for (const auto &[inode, value] : known) {
        SharingSocket &socket = sockets[inode];
        socket.queries = value.reads;
        name_reader(socket, value.reader, threads);
        reads -= std::min(reads, socket.queries);
    }
    return reads == 0 ? sockets : decltype(sockets)();
}

// Returns the sums over all CPUs.
probe_totals totals_in(int map)
{
    probe_totals totals{};
    for (const auto &cpu : read_percpu<probe_totals>(map)) {
        for (std::size_t i = 0; i < PROBE_COUNTERS; i++)
            totals.count[i] += cpu.count[i];
        for (std::size_t i = 0; i < PROBE_REASONS; i++) {
            totals.dropped[i] += cpu.dropped[i];
            totals.dropped_replies[i] += cpu.dropped_replies[i];
        }
    }
    return totals;
}

} // namespace

Probe::Probe(const ProbePlace &place)
    : place_(place), tracepoints_(tracepoints_of(has_tracepoint, ids_of(place) < PROBE_ALL)),
      skeleton_(load(place, tracepoints_))
{
    // The threads that write logs cannot open a file, so the names are read before.
    if (place.log || place.has_log_of_trial)
        static_cast<void>(reason_name(0));
    if (place.log)
        log_.emplace(*place.log);
    if (place.timeout) {
        const auto open_queries = [fd = bpf_map__fd(skeleton_->maps.queries)](std::uint16_t id) {
            const __u32 key = id;
            probe_bucket bucket{};
            return bpf_map_lookup_elem(fd, &key, &bucket) == 0 ? bucket : probe_bucket{};
        };
        witness_ = std::make_unique<ProbeWitness>(ids_of(place), place.has_log_of_trial,
                                                  *place.timeout, open_queries, reason_name);
        witness_->start(bpf_map__fd(skeleton_->maps.records));
    }
    visit_interface();
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, skeleton_->obj)
    {
        if (!bpf_program__autoload(program) || program == skeleton_->progs.probe_sight)
            continue;
        links_.emplace_back(bpf_raw_tracepoint_open(nullptr, bpf_program__fd(program)));
        if (!links_.back())
            throw UnsupportedError(fmt::format("the kernel does not attach {} ({})",
                                               bpf_program__section_name(program),
                                               std::strerror(errno)));
    }
}

Probe::~Probe() = default;

// The interface may be in another network namespace, which this process may not be allowed to
// enter.
void Probe::visit_interface()
try {
    const bool is_here = place_.network_namespace == network_namespace_of("/proc/self");
    const NetworkNamespaceVisit visit(is_here ? "" : place_.net.parent_path() / "ns/net");
    counters_ = counter_reader({.name = place_.interface, .index = place_.index});
    if (place_.first_sight)
        first_sight_.emplace(
            link_first_sight(place_, bpf_program__fd(skeleton_->progs.probe_sight)));
} catch (const SetupError &) {
    if (place_.first_sight)
        throw;
}

void Probe::follow(std::uint64_t from, std::uint64_t until) const
{
    constexpr __u32 key = 0;
    auto variables = *skeleton_->data;
    variables.from_ns = from;
    variables.until_ns = until;
    if (bpf_map_update_elem(bpf_map__fd(skeleton_->maps.data), &key, &variables, BPF_ANY) != 0)
        throw_errno("cannot write a BPF map");
}

void Probe::begin(Nanoseconds start)
{
    from_ = static_cast<std::uint64_t>(start.count());
    until_ = never;
    if (log_)
        log_->start(bpf_map__fd(skeleton_->maps.records), from_, reason_name);
    if (counters_)
        before_ = counters_();
    follow(from_, until_);
}

void Probe::end()
{
    until_ = ktime_ns();
    follow(from_, until_);
    try {
        // Taking the programs off takes long, and packets may go on coming.
        if (counters_)
            interface_drops_ = lost_receiving(grown(before_, counters_()));
    } catch (const SetupError &) {
        // The interface may be gone. Then the result lacks only the interface's drops.
    }
    udp_sockets_ = udp_sockets(place_.net);
    // From here on no reply counts, neither in the log nor in the counts.
    links_.clear();
    first_sight_.reset();
}

ProbeResult Probe::result()
{
    if (log_)
        log_->finish();
    const probe_totals totals = totals_in(bpf_map__fd(skeleton_->maps.totals));
    ProbeResult result{.interface = place_.interface,
                       .port = place_.port,
                       .share_percent = place_.share_percent,
                       .duration = Nanoseconds(until_ - from_),
                       .lacks = tracepoints_.lacking,
                       .arrived = totals.count[PROBE_ARRIVED],
                       .followed = totals.count[PROBE_FOLLOWED],
                       .dropped = named(totals.dropped),
                       .dropped_replies = named(totals.dropped_replies),
                       .left = totals.count[PROBE_LEFT],
                       .too_late = totals.count[PROBE_TOO_LATE],
                       .unseen = totals.count[PROBE_UNSEEN],
                       .forgotten = totals.count[PROBE_FORGOTTEN],
                       .repeated = totals.count[PROBE_REPEATED],
                       .unreadable = totals.count[PROBE_UNREADABLE],
                       .unlogged = totals.count[PROBE_UNLOGGED],
                       .taken = totals.count[PROBE_TAKEN],
                       .refused = totals.count[PROBE_REFUSED],
                       .xdp_sent = totals.count[PROBE_XDP_SENT],
                       .xdp_dropped = totals.count[PROBE_XDP_DROPPED],
                       .asked = totals.count[PROBE_ASKED]};
    result.unread =
        rest(result.followed, totals.count[PROBE_READ] + result.unseen + sum_of(result.dropped) +
                                  result.forgotten + result.repeated);
    result.unanswered = rest(totals.count[PROBE_READ] + result.unseen,
                             result.left + sum_of(result.dropped_replies));
    const int times = bpf_map__fd(skeleton_->maps.times);
    result.stack = stage_times(times, PROBE_STACK);
    result.queue = stage_times(times, PROBE_QUEUE);
    result.wakeup = stage_times(times, PROBE_WAKEUP);
    result.server = stage_times(times, PROBE_SERVER);
    result.leave = stage_times(times, PROBE_LEAVE);
    result.alone = stage_times(times, PROBE_ALONE);
    result.others = stage_times(times, PROBE_OTHERS);
    result.by_time = by_time(bpf_map__fd(skeleton_->maps.sums));
    if (place_.first_sight) {
        result.wire = stage_times(times, PROBE_WIRE);
        result.sighted = totals.count[PROBE_SIGHTED];
    }
    result.interface_drops.assign(interface_drops_.begin(), interface_drops_.end());
    if (witness_)
        result.late = witness_->late();
    result.threads = threads_in(bpf_map__fd(skeleton_->maps.threads));
    for (ProbedThread &thread : result.threads)
        thread.has_times = tells(result, Telling::cpus);
    const auto known = sockets_in(bpf_map__fd(skeleton_->maps.sockets));
    result.sockets = full_sockets(known, result.threads);
    result.sharing = sharing_sockets(udp_sockets_, place_.port,
                                     read_sockets(known, totals.count[PROBE_READ], result.threads));
    return result;
}

} // namespace dnsgauge
