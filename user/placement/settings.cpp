// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/settings.h"

#include "host/ethtool.h"
#include "machine/card.h"
#include "machine/facts.h"
#include "machine/text_files.h"
#include "options/access.h"
#include "system/counted.h"
#include "system/cpus.h"
#include "system/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t buffer_least = 4096; // bytes
constexpr std::uint64_t buffer_most = 1U << 30U;
constexpr unsigned queues_most = 4096;

template <class... Arguments>
[[noreturn]] void refuse(const Wish &wish, fmt::format_string<Arguments...> why,
                         Arguments &&...arguments)
{
    throw SetupError("{} {}: {}", wish.name, wish.text,
                     fmt::format(why, std::forward<Arguments>(arguments)...));
}

// Returns the CPUs of the wish. Throws SetupError if one does not exist or is off line.
std::vector<unsigned> read_cpus(const Wish &wish)
{
    std::vector<unsigned> cpus = parse_cpu_list(wish.name, wish.text);
    const std::filesystem::path folder = wish.machine.root() / "sys/devices/system/cpu";
    const std::string present = first_line(folder / "present");
    const std::string online = first_line(folder / "online");
    const auto has = [](const std::string &list, unsigned cpu) {
        const std::vector<unsigned> all = cpus_of_list(list);
        return list.empty() || std::ranges::find(all, cpu) != all.end();
    };
    for (const unsigned cpu : cpus) {
        if (!has(present, cpu))
            refuse(wish, "CPU {} does not exist: this machine has {}", cpu, present);
        if (!has(online, cpu))
            refuse(wish, "CPU {} is off line: CPUs {} are on line", cpu, online);
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

// Returns whether the kernel lets anybody change the file. Some files are always read-only, such as
// the files of other network namespaces.
bool is_for_writing(const Knobs &machine, const std::string &path)
{
    struct stat state = {};
    return stat(machine.below_root(path).c_str(), &state) == 0 && (state.st_mode & S_IWUSR) != 0;
}

void change(Wish &wish, Knob knob, const std::string &where, const std::string &before,
            const std::string &after)
{
    wish.changes.push_back({wish.name, knob, where, before, after});
}

// Changes a file unless it has the value already.
void change_file(Wish &wish, const std::string &path, const std::string &value)
{
    const std::optional<std::string> before = wish.machine.read(Knob::file, path);
    if (!before)
        refuse(wish, "{} has no value: this kernel or driver has no such setting", path);
    if (is_same(Knob::file, path, *before, value))
        return;
    if (faccessat(AT_FDCWD, wish.machine.below_root(path).c_str(), W_OK, AT_EACCESS) != 0)
        refuse(wish, "cannot change {}: {}{}", path, std::strerror(errno),
               geteuid() == 0 ? "" : ": run as root");
    change(wish, Knob::file, path, *before, value);
}

void stop_irqbalance(Wish &wish)
{
    if (wish.text != "stop")
        refuse(wish, "must be stop");
    for (const std::string &process : processes_running(wish.machine.root(), irqbalance))
        if (const auto before = wish.machine.read(Knob::process, process); before != "stopped")
            change(wish, Knob::process, process, before.value_or(""), "stopped");
}

// Returns the paths of the queues' files in one direction, rx or tx.
std::vector<std::string> queue_files(const Knobs &machine, const std::string &way)
{
    std::vector<std::string> paths;
    for (const std::string &queue : queue_names(machine.interface(), way, machine.root()))
        paths.push_back(fmt::format("{}/queues/{}/{}", machine.folder(), queue,
                                    way == "tx" ? "xps_cpus" : "rps_cpus"));
    return paths;
}

// Records the CPU sets of the queues from number `left` on, because the kernel forgets them when it
// removes the queues. These changes change nothing now. restore sets the values again once the
// queues are back.
void keep_sets(Wish &wish, const std::string &way, unsigned left)
{
    const std::vector<std::string> paths = queue_files(wish.machine, way);
    for (std::size_t i = left; i < paths.size(); i++) {
        const std::optional<std::string> set = wish.machine.read(Knob::file, paths[i]);
        if (set && set->find_first_not_of("0,") != std::string::npos)
            change(wish, Knob::file, paths[i], *set, *set);
    }
}

void set_queues(Wish &wish)
{
    const auto wished = static_cast<unsigned>(read_whole(wish.text, wish.name, 1, queues_most));
    const std::string &interface = wish.machine.interface();
    const Ethtool card(interface);
    const auto counts = card.channel_counts();
    if (!counts)
        refuse(wish, "the driver of {} lets nobody choose the number of its queues", interface);
    const Channels channels = card.channels();
    const unsigned most = std::min(channels.rx_most, channels.tx_most);
    if (wished > most)
        refuse(wish, "{} has at most {}", interface, counted(most, "queue"));
    const std::string before =
        channels_text(counts->rx_count, counts->tx_count, counts->combined_count);
    const std::string after =
        channels.are_combined ? channels_text(0, 0, wished) : channels_text(wished, wished, 0);
    if (before == after)
        return;
    for (const char *way : {"rx", "tx"})
        keep_sets(wish, way, wished);
    change(wish, Knob::channels, interface, before, after);
}

void set_hash_key(Wish &wish)
{
    const std::string &interface = wish.machine.interface();
    const std::optional<std::string> before = wish.machine.read(Knob::hash_key, interface);
    if (!before)
        refuse(wish, "the driver of {} has no key of a receive hash", interface);
    const std::size_t octets = (before->size() + 1) / 3;
    std::string after = wish.text;
    // Paper "Scalable TCP session monitoring with symmetric RSS" (Woo, Park, 2012): if a key
    // repeats these two octets, both directions of a flow get the same hash.
    if (wish.text == "symmetric") {
        after.clear();
        for (std::size_t i = 0; i < octets; i++)
            after += fmt::format("{}{}", i == 0 ? "" : ":", i % 2 == 0 ? "6d" : "5a");
    }
    const auto key = hash_key_of(after);
    if (!key || key->size() != octets)
        refuse(wish, "{} takes {}: write them as 6d:5a:..., or symmetric", interface,
               counted(octets, "octet"));
    if (*before != after)
        change(wish, Knob::hash_key, interface, *before, after);
}

void set_hash_fields(Wish &wish)
{
    if (wish.text.empty() || !hash_fields_of(wish.text))
        refuse(wish, "must be letters of ethtool -N: s and d for the addresses, f and n for the "
                     "ports, such as sdfn");
    const std::string &interface = wish.machine.interface();
    for (const Knob knob : {Knob::hash_fields4, Knob::hash_fields6}) {
        const std::optional<std::string> before = wish.machine.read(knob, interface);
        if (!before)
            refuse(wish, "the driver of {} lets nobody choose what its receive hash takes",
                   interface);
        if (hash_fields_of(*before) != hash_fields_of(wish.text))
            change(wish, knob, interface, *before, wish.text);
    }
}

void move_interrupts(Wish &wish)
{
    const std::vector<unsigned> cpus = read_cpus(wish);
    const std::string &interface = wish.machine.interface();
    const std::vector<QueueInterrupt> interrupts = queue_interrupts(interface, wish.machine.root());
    if (interrupts.empty())
        refuse(wish, "{} has no interrupts of its own", interface);
    for (const QueueInterrupt &interrupt : interrupts) {
        const std::string path = fmt::format("/proc/irq/{}/smp_affinity_list", interrupt.number);
        if (std::filesystem::exists(wish.machine.below_root(path)) &&
            !is_for_writing(wish.machine, path))
            refuse(wish, "interrupt {} ({}) of {} cannot be moved: its driver manages it",
                   interrupt.number, interrupt.name, interface);
        change_file(wish, path, std::to_string(cpus[interrupt.queue % cpus.size()]));
    }
}

// The transmit queues get one CPU of the list each, in turn. A receive queue gets all CPUs.
void set_queue_files(Wish &wish, const std::string &way)
{
    const bool none = wish.text == "none";
    const bool sends = way == "tx";
    const std::vector<unsigned> cpus = none ? std::vector<unsigned>() : read_cpus(wish);
    const std::vector<std::string> paths = queue_files(wish.machine, way);
    if (sends && paths.size() < 2) {
        if (none)
            return;
        refuse(wish, "{} has a single transmit queue: there is nothing to choose",
               wish.machine.interface());
    }
    for (std::size_t i = 0; i < paths.size(); i++)
        change_file(wish, paths[i],
                    mask_text(none || !sends ? cpus : std::vector{cpus[i % cpus.size()]}));
}

bool is_list(const std::string &text)
{
    return text != "on" && text != "off";
}

void set_napi_threads(Wish &wish)
{
    if (is_list(wish.text))
        static_cast<void>(read_cpus(wish));
    change_file(wish, wish.machine.folder() + "/threaded", wish.text == "off" ? "0" : "1");
}

void pin_napi_threads(Wish &wish)
{
    if (!is_list(wish.text))
        return;
    const std::vector<unsigned> cpus = read_cpus(wish);
    const std::string &interface = wish.machine.interface();
    const auto threads = napi_threads(interface, wish.machine.root());
    if (!threads)
        refuse(wish, "{}", mixed_threads(interface));
    if (threads->empty())
        refuse(wish,
               "{} has no threads to pin: an interface without a device has some only while "
               "an XDP program is attached",
               interface);
    for (std::size_t i = 0; i < threads->size(); i++) {
        const std::string &thread = (*threads)[i];
        const std::optional<std::string> before = wish.machine.read(Knob::thread, thread);
        const std::string after = std::to_string(cpus[i % cpus.size()]);
        if (before && *before != after)
            change(wish, Knob::thread, thread, *before, after);
    }
}

// Sets the largest buffer that a socket may ask for, and the default for a socket that does not
// ask.
void set_buffers(Wish &wish)
{
    const std::uint64_t bytes = read_whole(wish.text, wish.name, buffer_least, buffer_most);
    const std::string begin = fmt::format("/proc/sys/net/core/{}_", wish.name);
    if (!is_for_writing(wish.machine, begin + "max"))
        refuse(wish,
               "this network namespace has no {}max of its own: with this kernel only the "
               "machine's first one has",
               begin);
    for (const char *which : {"max", "default"})
        change_file(wish, begin + which, std::to_string(bytes));
}

// The order of the settings matters: irqbalance would move interrupts back, and changing the number
// of queues changes the interrupts.
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
     [](Wish &wish) { set_queue_files(wish, "rx"); }, nullptr},
    {"xps-cpus", "LIST",
     "CPUs that choose each transmit queue (XPS), in turn, like --irq-cpus; with none, a hash "
     "chooses",
     [](Wish &wish) { set_queue_files(wish, "tx"); }, nullptr},
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
