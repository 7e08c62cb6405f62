// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/settings.h"

#include "host/ethtool.h"
#include "machine/card.h"
#include "machine/host_facts.h"
#include "machine/text_files.h"
#include "options/access.h"
#include "userland/counted.h"
#include "userland/cpus.h"
#include "userland/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t buffer_least = 4096; // bytes
constexpr std::uint64_t buffer_most = 1U << 30U;
constexpr unsigned queues_most = 4096;

// Returns the CPUs of a list. Throws SetupError if one does not exist or is off line.
std::vector<unsigned> read_cpus(const Knobs &machine, const std::string &name,
                                const std::string &text)
{
    std::vector<unsigned> cpus = parse_cpu_list(name, text);
    const std::filesystem::path folder = machine.root() / "sys/devices/system/cpu";
    const std::string present = first_line(folder / "present");
    const std::string online = first_line(folder / "online");
    const auto has = [](const std::string &list, unsigned cpu) {
        const std::vector<unsigned> all = cpus_of_list(list);
        return list.empty() || std::find(all.begin(), all.end(), cpu) != all.end();
    };
    for (const unsigned cpu : cpus) {
        if (!has(present, cpu))
            throw SetupError(fmt::format("{} {}: CPU {} does not exist: this machine has {}", name,
                                         text, cpu, present));
        if (!has(online, cpu))
            throw SetupError(fmt::format("{} {}: CPU {} is off line: those on line are {}", name,
                                         text, cpu, online));
    }
    return cpus;
}

// Returns a set of CPUs as the kernel reads it: words of 32 bits, the highest first.
std::string mask_text(const std::vector<unsigned> &cpus)
{
    std::vector<std::uint32_t> mask(1);
    for (const unsigned cpu : cpus) {
        mask.resize(std::max<std::size_t>(mask.size(), cpu / 32 + 1));
        mask[cpu / 32] |= std::uint32_t{1} << (cpu % 32);
    }
    std::reverse(mask.begin(), mask.end());
    return fmt::format("{:08x}", fmt::join(mask, ","));
}

// Throws SetupError if this process may not write the file.
void check_writable(const Knobs &machine, const std::string &name, const std::string &path)
{
    if (faccessat(AT_FDCWD, machine.below_root(path).c_str(), W_OK, AT_EACCESS) != 0)
        throw SetupError(fmt::format("{}: cannot change {}: {}{}", name, path, std::strerror(errno),
                                     geteuid() == 0 ? "" : ": run as root"));
}

// Returns whether the kernel lets anybody change the file. Its own files, and other network
// namespaces' files, are read-only.
bool is_for_writing(const Knobs &machine, const std::string &path)
{
    struct stat state {
    };
    return stat(machine.below_root(path).c_str(), &state) == 0 && (state.st_mode & S_IWUSR) != 0;
}

// Adds the change of a file, unless the file has the value already.
void add_file(std::vector<Change> &changes, const Knobs &machine, const std::string &name,
              const std::string &path, const std::string &value)
{
    const std::optional<std::string> before = machine.read(Knob::file, path);
    if (!before)
        throw SetupError(fmt::format(
            "{}: {} has no value: this kernel or driver has no such setting", name, path));
    if (is_same(Knob::file, path, *before, value))
        return;
    check_writable(machine, name, path);
    changes.push_back({name, Knob::file, path, *before, value});
}

std::vector<Change> stop_irqbalance(const Knobs &machine, const std::string &name,
                                    const std::string &text)
{
    if (text != "stop")
        throw SetupError(fmt::format("{} {}: must be stop", name, text));
    std::vector<Change> changes;
    for (const std::string &process : processes_running(machine.root(), irqbalance))
        if (const auto before = machine.read(Knob::process, process); before != "stopped")
            changes.push_back({name, Knob::process, process, before.value_or(""), "stopped"});
    return changes;
}

// Adds the sets of CPUs of the queues from number `left` on, because the kernel forgets them with
// these queues. The changes keep the values as they are. They matter when they are put back, after
// the queues.
void keep_sets(std::vector<Change> &changes, const Knobs &machine, const std::string &name,
               const std::string &way, unsigned left)
{
    const std::vector<std::string> queues = queue_names(machine.interface(), way, machine.root());
    for (std::size_t i = left; i < queues.size(); i++) {
        const std::string path = fmt::format("{}/queues/{}/{}", machine.folder(), queues[i],
                                             way == "tx" ? "xps_cpus" : "rps_cpus");
        const std::optional<std::string> set = machine.read(Knob::file, path);
        if (set && set->find_first_not_of("0,") != std::string::npos)
            changes.push_back({name, Knob::file, path, *set, *set});
    }
}

std::vector<Change> set_queues(const Knobs &machine, const std::string &name,
                               const std::string &text)
{
    const auto wished = static_cast<unsigned>(read_whole(text, name, 1, queues_most));
    const Ethtool card(machine.interface());
    const std::optional<ChannelCounts> counts = card.channel_counts();
    if (!counts)
        throw SetupError(fmt::format("{} {}: the driver of {} lets nobody choose the number of "
                                     "its queues",
                                     name, text, machine.interface()));
    const Channels channels = card.channels();
    const unsigned most = std::min(channels.rx_most, channels.tx_most);
    if (wished > most)
        throw SetupError(fmt::format("{} {}: {} has at most {}", name, text, machine.interface(),
                                     counted(most, "queue")));
    const std::string before = channels_text(counts->rx, counts->tx, counts->combined);
    const std::string after =
        channels.are_combined ? channels_text(0, 0, wished) : channels_text(wished, wished, 0);
    if (before == after)
        return {};
    std::vector<Change> changes;
    for (const char *way : {"rx", "tx"})
        keep_sets(changes, machine, name, way, wished);
    changes.push_back({name, Knob::channels, machine.interface(), before, after});
    return changes;
}

std::vector<Change> set_hash_key(const Knobs &machine, const std::string &name,
                                 const std::string &text)
{
    const std::optional<std::string> before = machine.read(Knob::hash_key, machine.interface());
    if (!before)
        throw SetupError(fmt::format("{}: the driver of {} has no key of a receive hash", name,
                                     machine.interface()));
    const std::size_t octets = (before->size() + 1) / 3;
    std::string after = text;
    // Paper "Scalable TCP session monitoring with symmetric RSS" (Woo, Park, 2012): with these two
    // octets over and over both directions of a flow get the same hash.
    if (text == "symmetric") {
        after.clear();
        for (std::size_t i = 0; i < octets; i++)
            after += fmt::format("{}{}", i == 0 ? "" : ":", i % 2 == 0 ? "6d" : "5a");
    }
    const auto key = hash_key_of(after);
    if (!key || key->size() != octets)
        throw SetupError(fmt::format("{} {}: {} takes {}: write them as 6d:5a:..., or symmetric",
                                     name, text, machine.interface(), counted(octets, "octet")));
    if (*before == after)
        return {};
    return {{name, Knob::hash_key, machine.interface(), *before, after}};
}

std::vector<Change> set_hash_fields(const Knobs &machine, const std::string &name,
                                    const std::string &text)
{
    if (text.empty() || !hash_fields_of(text))
        throw SetupError(fmt::format("{} {}: must be letters of ethtool -N: s and d for the "
                                     "addresses, f and n for the ports, such as sdfn",
                                     name, text));
    std::vector<Change> changes;
    for (const Knob knob : {Knob::hash_fields4, Knob::hash_fields6}) {
        const std::optional<std::string> before = machine.read(knob, machine.interface());
        if (!before)
            throw SetupError(fmt::format("{} {}: the driver of {} lets nobody choose what its "
                                         "receive hash takes",
                                         name, text, machine.interface()));
        if (hash_fields_of(*before) != hash_fields_of(text))
            changes.push_back({name, knob, machine.interface(), *before, text});
    }
    return changes;
}

std::vector<Change> move_interrupts(const Knobs &machine, const std::string &name,
                                    const std::string &text)
{
    const std::vector<unsigned> cpus = read_cpus(machine, name, text);
    const std::vector<QueueInterrupt> interrupts =
        queue_interrupts(machine.interface(), machine.root());
    if (interrupts.empty())
        throw SetupError(
            fmt::format("{} {}: {} has no interrupts of its own", name, text, machine.interface()));
    std::vector<Change> changes;
    for (const QueueInterrupt &interrupt : interrupts) {
        const std::string path = fmt::format("/proc/irq/{}/smp_affinity_list", interrupt.number);
        if (std::filesystem::exists(machine.below_root(path)) && !is_for_writing(machine, path))
            throw SetupError(fmt::format("{} {}: interrupt {} ({}) of {} cannot be moved: its "
                                         "driver manages it",
                                         name, text, interrupt.number, interrupt.name,
                                         machine.interface()));
        add_file(changes, machine, name, path,
                 fmt::format("{}", cpus[interrupt.queue % cpus.size()]));
    }
    return changes;
}

// Returns the changes of each queue's file. A transmit queue gets one CPU of the list in turn, a
// receive queue all CPUs.
std::vector<Change> set_queue_files(const Knobs &machine, const std::string &name,
                                    const std::string &text, const std::string &way)
{
    const bool none = text == "none";
    const bool sends = way == "tx";
    const std::vector<unsigned> cpus =
        none ? std::vector<unsigned>() : read_cpus(machine, name, text);
    const std::vector<std::string> queues = queue_names(machine.interface(), way, machine.root());
    if (sends && queues.size() < 2) {
        if (none)
            return {};
        throw SetupError(fmt::format("{} {}: {} has a single transmit queue: there is nothing to "
                                     "choose",
                                     name, text, machine.interface()));
    }
    std::vector<Change> changes;
    for (std::size_t i = 0; i < queues.size(); i++) {
        const std::string path = fmt::format("{}/queues/{}/{}", machine.folder(), queues[i],
                                             sends ? "xps_cpus" : "rps_cpus");
        const std::vector<unsigned> wished =
            none || !sends ? cpus : std::vector<unsigned>{cpus[i % cpus.size()]};
        add_file(changes, machine, name, path, mask_text(wished));
    }
    return changes;
}

std::vector<Change> set_rps(const Knobs &machine, const std::string &name, const std::string &text)
{
    return set_queue_files(machine, name, text, "rx");
}

std::vector<Change> set_xps(const Knobs &machine, const std::string &name, const std::string &text)
{
    return set_queue_files(machine, name, text, "tx");
}

bool is_list(const std::string &text)
{
    return text != "on" && text != "off";
}

std::vector<Change> set_napi_threads(const Knobs &machine, const std::string &name,
                                     const std::string &text)
{
    if (is_list(text))
        static_cast<void>(read_cpus(machine, name, text));
    std::vector<Change> changes;
    add_file(changes, machine, name, machine.folder() + "/threaded", text == "off" ? "0" : "1");
    return changes;
}

std::vector<Change> pin_napi_threads(const Knobs &machine, const std::string &name,
                                     const std::string &text)
{
    std::vector<Change> changes;
    if (!is_list(text))
        return changes;
    const std::vector<unsigned> cpus = read_cpus(machine, name, text);
    const auto threads = napi_threads(machine.interface(), machine.root());
    if (!threads)
        throw SetupError(fmt::format("{} {}: {}", name, text, mixed_threads(machine.interface())));
    if (threads->empty())
        throw SetupError(fmt::format("{} {}: {} has no threads to pin: an interface without a "
                                     "device has some only while an XDP program is attached",
                                     name, text, machine.interface()));
    for (std::size_t i = 0; i < threads->size(); i++) {
        const std::string &thread = (*threads)[i];
        const std::optional<std::string> before = machine.read(Knob::thread, thread);
        const std::string after = fmt::format("{}", cpus[i % cpus.size()]);
        if (before && *before != after)
            changes.push_back({name, Knob::thread, thread, *before, after});
    }
    return changes;
}

// Sets the most that a socket may ask for, and the default of a socket that asks for nothing.
std::vector<Change> set_buffers(const Knobs &machine, const std::string &name,
                                const std::string &text)
{
    const std::uint64_t bytes = read_whole(text, name, buffer_least, buffer_most);
    std::vector<Change> changes;
    const std::string most = fmt::format("/proc/sys/net/core/{}_max", name);
    if (!is_for_writing(machine, most))
        throw SetupError(fmt::format("{} {}: this network namespace has no {} of its own: with "
                                     "this kernel only the machine's first one has",
                                     name, text, most));
    for (const char *which : {"max", "default"})
        add_file(changes, machine, name, fmt::format("/proc/sys/net/core/{}_{}", name, which),
                 fmt::format("{}", bytes));
    return changes;
}

// The settings stand in the order in which they depend on each other: irqbalance would move
// interrupts back, and another number of queues makes other interrupts.
constexpr PlacementSetting settings[] = {
    {"irqbalance", "stop",
     "Stop the daemon irqbalance, which moves interrupts; restore lets it go on", stop_irqbalance,
     nullptr},
    {"channels", "N", "Queues in use (ethtool -L)", set_queues, nullptr},
    {"rss-key", "KEY", "Key of the hash that chooses the receive queue: 6d:5a:..., or symmetric",
     set_hash_key, nullptr},
    {"rss-fields", "LETTERS",
     "Parts of UDP packets that the hash takes, in the letters of ethtool -N: sdfn, sd",
     set_hash_fields, nullptr},
    {"irq-cpus", "LIST",
     "CPUs of the queues' interrupts, in turn: queue 0 gets the first CPU, queue 1 the second, and "
     "so on; a single CPU gets all",
     move_interrupts, nullptr},
    {"rps-cpus", "LIST",
     "CPUs to which the kernel spreads received packets (RPS), for every queue; with none, each "
     "interrupt's own CPU",
     set_rps, nullptr},
    {"xps-cpus", "LIST",
     "CPUs that choose each transmit queue (XPS), in turn, like --irq-cpus; with none, a hash "
     "chooses",
     set_xps, nullptr},
    {"napi-threads", "LIST",
     "Receive packets by threads (threaded NAPI), pinned to these CPUs in turn; on does not pin "
     "them, off uses no threads",
     set_napi_threads, pin_napi_threads},
    {"rmem", "BYTES", "Memory for a socket's received packets: net.core.rmem_max and _default",
     set_buffers, nullptr},
    {"wmem", "BYTES", "Memory for a socket's sent packets: net.core.wmem_max and _default",
     set_buffers, nullptr},
};

} // namespace

std::span<const PlacementSetting> placement_settings()
{
    return settings;
}

} // namespace dnsgauge
