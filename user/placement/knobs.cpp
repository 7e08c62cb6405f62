// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/knobs.h"

#include "host/ethtool.h"
#include "host/netdev.h"
#include "machine/card.h"
#include "machine/cpu_times.h"
#include "machine/facts.h"
#include "machine/interface.h"
#include "machine/text_files.h"
#include "system/cpus.h"
#include "system/interface_number.h"
#include "system/number_text.h"
#include "system/unique_fd.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sstream>
#include <utility>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

constexpr const char *running = "running";
constexpr const char *stopped = "stopped";

// The letters of ethtool -N, by the bit that each stands for.
constexpr std::pair<char, std::uint64_t> letters[] = {
    {'m', RXH_L2DA},   {'v', RXH_VLAN},     {'t', RXH_L3_PROTO}, {'s', RXH_IP_SRC},
    {'d', RXH_IP_DST}, {'f', RXH_L4_B_0_1}, {'n', RXH_L4_B_2_3}};

std::string letters_of(std::uint64_t fields)
{
    std::string text;
    for (const auto &[letter, bit] : letters)
        if ((fields & bit) != 0)
            text += letter;
    return text;
}

std::optional<std::string> text_or_none(const std::string &text)
{
    return text.empty() ? std::nullopt : std::optional(text);
}

// Returns why a system call failed; empty if it did not.
std::string error_unless(bool is_done)
{
    return is_done ? "" : std::strerror(errno);
}

std::string write_file(const fs::path &path, const std::string &value)
{
    const UniqueFd file(open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    const ssize_t written = file ? write(file.get(), value.data(), value.size()) : -1;
    if (written >= 0 && static_cast<std::size_t>(written) != value.size())
        return "the kernel took a part of it";
    return error_unless(written >= 0);
}

struct ProcessState {
    pid_t id = 0;
    std::string start;
    bool is_stopped = false;
    bool is_of_kernel = false;
};

std::optional<ProcessState> state_of(const fs::path &folder)
{
    constexpr std::size_t start_field = 19;
    const StatText stat(first_line(folder / "stat"));
    const auto id = leading_number<pid_t>(folder.filename().string());
    if (!id || stat.word(start_field).empty())
        return std::nullopt;
    return ProcessState{.id = *id,
                        .start = stat.word(start_field),
                        .is_stopped = stat.word(0) == "T",
                        .is_of_kernel = stat.is_of_kernel()};
}

// Returns whether the process runs the program of this name. A process may give itself any name, so
// the name decides only if this user may not see the program.
bool runs_program(const fs::path &folder, const std::string &name)
{
    if (first_line(folder / "comm") != name)
        return false;
    std::error_code error;
    std::string program = fs::read_symlink(folder / "exe", error).filename();
    if (error)
        return error == std::errc::permission_denied;
    // The kernel adds this to the name of a file that is gone, as after an upgrade.
    if (constexpr std::string_view gone = " (deleted)"; program.ends_with(gone))
        program.resize(program.size() - gone.size());
    return program == name;
}

std::optional<ProcessState> find_process(const fs::path &root, const std::string &where)
{
    const std::size_t blank = where.find(' ');
    const fs::path folder = root / "proc" / where.substr(0, blank);
    const auto state = state_of(folder);
    if (!state || blank == std::string::npos || where.substr(blank + 1) != state->start ||
        !runs_program(folder, irqbalance))
        return std::nullopt;
    return state;
}

std::vector<fs::path> process_folders(const fs::path &root)
{
    std::vector<fs::path> folders;
    for_each_number(root / "proc", [&](int process) {
        folders.push_back(root / "proc" / std::to_string(process));
    });
    std::sort(folders.begin(), folders.end());
    return folders;
}

// Any process may give itself the name of a kernel thread.
std::optional<ProcessState> kernel_thread(const fs::path &folder)
{
    const std::optional<ProcessState> state = state_of(folder);
    return state && state->is_of_kernel ? state : std::nullopt;
}

std::optional<pid_t> find_thread(const fs::path &root, const std::string &name)
{
    for (const fs::path &folder : process_folders(root))
        if (first_line(folder / "comm") == name)
            if (const auto thread = kernel_thread(folder))
                return thread->id;
    return std::nullopt;
}

std::string pin(const fs::path &root, const std::string &name, const std::string &list)
{
    const std::optional<pid_t> thread = find_thread(root, name);
    if (!thread)
        return "there is no such thread any more";
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const unsigned cpu : cpus_of_list(list))
        if (cpu < CPU_SETSIZE)
            CPU_SET(cpu, &set);
    return error_unless(sched_setaffinity(*thread, sizeof(set), &set) == 0);
}

std::string set_process(const fs::path &root, const std::string &where, const std::string &value)
{
    const std::optional<ProcessState> process = find_process(root, where);
    if (!process)
        return "there is no such process any more";
    return error_unless(kill(process->id, value == stopped ? SIGSTOP : SIGCONT) == 0);
}

std::string set_channels(const Ethtool &card, const std::string &value)
{
    // The kernel only checks the other numbers: they must be the ones that it told.
    auto counts = card.channel_counts();
    std::string word;
    std::istringstream text(value);
    if (counts && !(text >> word >> counts->rx_count >> word >> counts->tx_count >> word >>
                    counts->combined_count))
        return "no numbers of queues";
    return error_unless(counts && card.set_channel_counts(*counts));
}

std::string set_fields(const Ethtool &card, UdpFlow flow, const std::string &value)
{
    const std::optional<std::uint64_t> fields = hash_fields_of(value);
    return fields ? error_unless(card.set_hash_fields(flow, *fields)) : "no parts of a packet";
}

std::string set_key(const Ethtool &card, const std::string &value)
{
    const auto key = hash_key_of(value);
    return key ? error_unless(card.set_hash_key(*key)) : "no key";
}

// A driver without a receive hash may answer that it hashes nothing.
std::optional<std::string> fields_text(const Ethtool &card, UdpFlow flow)
{
    const std::uint64_t fields = card.hash_fields(flow).value_or(0);
    return fields == 0 ? std::nullopt : std::optional(letters_of(fields));
}

// Returns the highest number of threads that can receive for the interface: virtio_net has one for
// each direction of each possible queue.
std::size_t threads_most(const std::string &interface, const fs::path &root)
{
    const std::size_t queues =
        queue_names(interface, "rx", root).size() + queue_names(interface, "tx", root).size();
    if (root != "/")
        return queues;
    const Channels channels = Ethtool(interface).channels();
    return std::max<std::size_t>(queues, channels.rx_most + channels.tx_most);
}

} // namespace

Knobs::Knobs(std::string interface, fs::path root)
    : interface_(std::move(interface)), root_(std::move(root))
{
}

fs::path Knobs::below_root(const std::string &path) const
{
    return root_ / fs::path(path).relative_path();
}

std::string Knobs::folder() const
{
    return "/sys/class/net/" + interface_;
}

void Knobs::require_interface() const
{
    if (!fs::exists(below_root(folder())))
        throw_unknown_interface(interface_);
}

std::optional<std::string> Knobs::read(Knob knob, const std::string &where) const
{
    switch (knob) {
    case Knob::file:
        return text_or_none(first_line(below_root(where)));
    case Knob::channels: {
        const auto counts = Ethtool(where).channel_counts();
        if (!counts)
            return std::nullopt;
        return channels_text(counts->rx_count, counts->tx_count, counts->combined_count);
    }
    case Knob::hash_key:
        return text_or_none(fmt::format("{:02x}", fmt::join(Ethtool(where).hash_key(), ":")));
    case Knob::hash_fields4:
        return fields_text(Ethtool(where), UdpFlow::ipv4);
    case Knob::hash_fields6:
        return fields_text(Ethtool(where), UdpFlow::ipv6);
    case Knob::process: {
        const auto process = find_process(root_, where);
        if (!process)
            return std::nullopt;
        return process->is_stopped ? stopped : running;
    }
    case Knob::thread: {
        const auto thread = find_thread(root_, where);
        return thread ? text_or_none(cpu_list_text(cpus_of_thread(*thread))) : std::nullopt;
    }
    }
    return std::nullopt;
}

std::string Knobs::write(Knob knob, const std::string &where, const std::string &value) const
{
    switch (knob) {
    case Knob::file:
        return write_file(below_root(where), value);
    case Knob::channels:
        return set_channels(Ethtool(where), value);
    case Knob::hash_key:
        return set_key(Ethtool(where), value);
    case Knob::hash_fields4:
        return set_fields(Ethtool(where), UdpFlow::ipv4, value);
    case Knob::hash_fields6:
        return set_fields(Ethtool(where), UdpFlow::ipv6, value);
    case Knob::process:
        return set_process(root_, where, value);
    case Knob::thread:
        return pin(root_, where, value);
    }
    return "nothing of this kind can be set";
}

std::string channels_text(unsigned rx, unsigned tx, unsigned combined)
{
    return fmt::format("rx {} tx {} combined {}", rx, tx, combined);
}

std::optional<std::uint64_t> hash_fields_of(const std::string &text)
{
    std::uint64_t fields = 0;
    for (const char wanted : text) {
        const auto *const found =
            std::ranges::find(letters, wanted, &std::pair<char, std::uint64_t>::first);
        if (found == std::end(letters))
            return std::nullopt;
        fields |= found->second;
    }
    return fields;
}

std::optional<std::vector<std::uint8_t>> hash_key_of(const std::string &text)
{
    auto key = read_octets(text, ":");
    return key && !key->empty() ? key : std::nullopt;
}

std::vector<std::string> processes_running(const fs::path &root, const std::string &name)
{
    std::vector<std::string> found;
    for (const fs::path &folder : process_folders(root))
        if (runs_program(folder, name))
            if (const auto state = state_of(folder))
                found.push_back(fmt::format("{} {}", state->id, state->start));
    return found;
}

std::optional<std::vector<std::string>> napi_threads(const std::string &interface,
                                                     const fs::path &root)
{
    const std::string begin = "napi/" + interface + "-";
    std::vector<std::pair<std::uint32_t, std::string>> found;
    for (const fs::path &folder : process_folders(root)) {
        std::string name = first_line(folder / "comm");
        if (name.starts_with(begin) && kernel_thread(folder))
            if (const auto number = leading_number<std::uint32_t>(name.substr(begin.size())))
                found.emplace_back(*number, std::move(name));
    }
    std::sort(found.begin(), found.end());
    // The kernel tells only about this machine, not about another root.
    const auto mine =
        root == "/" && !found.empty() ? napi_numbers(interface_number(interface)) : std::nullopt;
    if (mine)
        std::erase_if(found, [&mine](const auto &one) {
            return std::ranges::find(*mine, one.first) == mine->end();
        });
    if (found.size() > threads_most(interface, root))
        return std::nullopt;
    std::vector<std::string> names;
    for (const auto &[number, name] : found)
        names.push_back(name);
    return names;
}

std::string mixed_threads(const std::string &interface)
{
    return fmt::format("some threads napi/{}-* are of an interface of that name in another network "
                       "namespace, and this kernel does not tell whose: rename {}",
                       interface, interface);
}

bool is_same(Knob knob, const std::string &where, const std::string &one, const std::string &other)
{
    if (one == other)
        return true;
    const auto without_zeros = [](const std::string &mask) {
        const std::size_t from = mask.find_first_not_of("0,");
        return from == std::string::npos ? std::string() : mask.substr(from);
    };
    return knob == Knob::file && where.ends_with("ps_cpus") &&
           without_zeros(one) == without_zeros(other);
}

std::string cpu_list_text(const std::vector<unsigned> &cpus)
{
    std::string text;
    for (std::size_t at = 0; at < cpus.size();) {
        std::size_t last = at;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1)
            last++;
        text += text.empty() ? "" : ",";
        text +=
            last == at ? fmt::format("{}", cpus[at]) : fmt::format("{}-{}", cpus[at], cpus[last]);
        at = last + 1;
    }
    return text;
}

} // namespace dnsgauge
