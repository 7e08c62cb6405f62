// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/server_processes.h"

#include "machine/cpu_times.h"
#include "machine/listeners.h"
#include "machine/text_files.h"
#include "system/setup_error.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

namespace dnsgauge
{

namespace
{

using Path = std::filesystem::path;

constexpr std::uint16_t dns_port = 53;

struct Relative {
    std::string name;
    int parent = 0;
};

using Relatives = std::map<int, Relative>;

// Returns all processes, by their IDs.
Relatives relatives_in(const Path &proc)
{
    Relatives all;
    for_each_number(proc, [&](int process) {
        const ThreadTimes told =
            parse_thread(first_line(proc / std::to_string(process) / "stat"), "");
        if (!told.name.empty())
            all[process] = {told.name, told.parent};
    });
    return all;
}

using Where = std::function<bool(int process)>;

// Adds the children of `found`, and their children, that are `there`.
void add_children(std::set<int> &found, const Relatives &all, const Where &there)
{
    for (bool grows = true; grows;) {
        grows = false;
        for (const auto &[process, relative] : all)
            if (found.contains(relative.parent) && there(process))
                grows = found.insert(process).second || grows;
    }
}

// Adds the parents that are `there`, have their children's name, and have no children outside of
// `found`, which has all children already.
void add_parents(std::set<int> &found, const Relatives &all, const Where &there)
{
    const auto starts_others = [&](int parent) {
        return std::ranges::any_of(all, [&](const auto &one) {
            return one.second.parent == parent && !found.contains(one.first);
        });
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (const int process : std::set<int>(found)) {
            const auto one = all.find(process);
            const auto parent = one == all.end() ? one : all.find(one->second.parent);
            if (parent != all.end() && parent->second.name == one->second.name &&
                there(parent->first) && !starts_others(parent->first))
                grows = found.insert(parent->first).second || grows;
        }
    }
}

// Returns whether the user's text is the ID of a process, and not a name.
bool is_id(const std::string &text)
{
    return text.find_first_not_of("0123456789") == std::string::npos;
}

// Returns whether the user's text means the process. The kernel cuts names.
bool means(const std::string &text, int process, const std::string &name)
{
    constexpr std::size_t longest_name = 15;
    return is_id(text) ? leading_number<int>(text) == process
                       : name == text.substr(0, longest_name);
}

bool is_loopback(const IpAddress &address)
{
    constexpr std::uint8_t loopback_ipv4 = 127;
    return address.is_ipv6 ? address == parse_ip_address("::1") : address.bytes[0] == loopback_ipv4;
}

// Returns the inodes of the sockets that are wanted.
std::set<std::string> inodes(const std::vector<ServerSocket> &sockets,
                             const std::function<bool(const ServerSocket &)> &is_wanted)
{
    std::set<std::string> found;
    for (const ServerSocket &socket : sockets)
        if (is_wanted(socket))
            found.insert(socket.inode);
    return found;
}

// Returns the sockets that take the Tester's queries. `has_address` says whether packets to the
// server's address end there.
std::set<std::string> asked_sockets(const Path &net, const ServerPlace &place, bool has_address)
{
    return inodes(place.is_tcp ? tcp_listeners(net) : udp_sockets(net),
                  [&](const ServerSocket &socket) {
                      return socket.takes(place.address, place.port) &&
                             (has_address || !socket.address.is_any());
                  });
}

// What is known of the namespaces while a server is looked for.
class Search
{
public:
    Search(const ServerPlace &place, const NamespaceProcesses &processes, const VethLinks &links,
           const Path &proc)
        : place_(place), processes_(processes), links_(links), proc_(proc)
    {
    }

    [[nodiscard]] ServerProcesses found()
    {
        const std::string asked = fmt::format("{} port {}", to_string(place_.address), place_.port);
        if (!place_.process.empty()) {
            add_end_of_link();
            add_those_named(relatives_in(proc_));
            found_.why = fmt::format("--server-process {} names them, and whom they may ask",
                                     place_.process);
            return std::move(found_);
        }
        if (!processes_.seen.contains(links_.peer)) {
            found_.unclear = processes_.hidden;
            found_.why = "no process can be seen at the link's other end";
            return std::move(found_);
        }
        add_end_of_link();
        const std::optional<Number> server = place_of_server();
        if (!server) {
            found_.unclear = processes_.seen.at(links_.peer);
            found_.unclear.insert(processes_.hidden.begin(), processes_.hidden.end());
            found_.why = fmt::format("no socket at {} can be seen at the link's other end", asked);
            return std::move(found_);
        }
        add_owners(*server, asked_in(*server, false));
        if (*server != links_.peer)
            add_interfaces(links_.peer, *server);
        add_those_asked(*server);
        found_.why = fmt::format("who has the socket at {}, and whom they may ask", asked);
        return std::move(found_);
    }

private:
    using Number = std::uint64_t; // of a namespace

    [[nodiscard]] Path net(Number space) const
    {
        return proc_ / std::to_string(*processes_.seen.at(space).begin()) / "net";
    }

    [[nodiscard]] std::vector<VethEnd> ends(Number space) const
    {
        const auto those = links_.ends.find(space);
        return those == links_.ends.end() ? std::vector<VethEnd>() : those->second;
    }

    // Returns the sockets that take the Tester's queries, if packets to the address end there.
    [[nodiscard]] std::set<std::string> asked_in(Number space, bool must_have_address) const
    {
        return asked_sockets(net(space), place_,
                             !must_have_address || has_address(net(space), place_.address));
    }

    [[nodiscard]] std::optional<Number> place_of_server() const
    {
        if (!asked_in(links_.peer, true).empty())
            return links_.peer;
        for (const VethEnd &end : ends(links_.peer))
            if (end.peer_namespace != 0 && end.peer_namespace != links_.own &&
                !asked_in(end.peer_namespace, true).empty())
                return end.peer_namespace;
        // A server may answer at addresses that its host does not have (XDP, address translation).
        if (!asked_in(links_.peer, false).empty())
            return links_.peer;
        return std::nullopt;
    }

    // Adds the processes with the sockets, and their relatives.
    void add_owners(Number space, const std::set<std::string> &inodes)
    {
        const std::set<int> &there = processes_.seen.at(space);
        std::set<int> owners;
        std::set<std::string> owned;
        for (const int process : there) {
            const std::set<std::string> those = sockets_of(proc_ / std::to_string(process), inodes);
            if (!those.empty())
                owners.insert(process);
            owned.insert(those.begin(), those.end());
        }
        // A service manager keeps the sockets that it opened for a server, and all processes are
        // its children.
        if (owners.size() > 1)
            owners.erase(1);
        // A socket without a visible process belongs to a hidden one.
        if (owned != inodes)
            found_.unclear.insert(processes_.hidden.begin(), processes_.hidden.end());
        const Relatives all = relatives_in(proc_);
        const Where is_there = [&there](int process) { return there.contains(process); };
        add_children(owners, all, is_there);
        add_parents(owners, all, is_there);
        for (const int process : owners)
            if (const auto one = all.find(process); one != all.end())
                found_.names[process] = one->second.name;
    }

    // Adds the processes that the user names, their children, and the servers that these may ask.
    void add_those_named(const Relatives &all)
    {
        std::set<int> named;
        for (const auto &[process, relative] : all)
            if (process != getpid() && means(place_.process, process, relative.name))
                named.insert(process);
        if (named.empty())
            throw SetupError("--server-process {}: no process of this machine has this {}: "
                             "ps -e lists them",
                             place_.process, is_id(place_.process) ? "ID" : "name");
        add_children(named, all, [](int /*process*/) { return true; });
        for (const int process : named)
            found_.names[process] = all.at(process).name;
        for (const auto &[space, processes] : processes_.seen) {
            if (space == links_.own || std::ranges::none_of(processes, [&named](int process) {
                    return named.contains(process);
                }))
                continue;
            if (space != links_.peer)
                add_interfaces(links_.peer, space);
            add_those_asked(space);
        }
    }

    // Adds the servers that the server may ask. The machine's own namespace may be joined to many
    // containers that have nothing to do with a server there.
    void add_those_asked(Number server)
    {
        if (const auto first = processes_.seen.find(server); first->second.contains(1))
            return;
        std::set<Number> spaces;
        for (const VethEnd &end : ends(server)) {
            const bool is_testers_link =
                end.peer_namespace == links_.own && end.peer_index == links_.index;
            if (end.peer_namespace != 0 && end.peer_namespace != server && !is_testers_link)
                spaces.insert(end.peer_namespace);
        }
        for (const Number space : spaces) {
            const std::set<std::string> sockets =
                inodes(udp_sockets(net(space)), [&](const ServerSocket &socket) {
                    return (socket.port == dns_port || socket.port == place_.port) &&
                           !is_loopback(socket.address);
                });
            if (sockets.empty())
                continue;
            add_owners(space, sockets);
            add_interfaces(server, space);
        }
    }

    // Adds the other end of the Tester's pair.
    void add_end_of_link()
    {
        for (const VethEnd &end : ends(links_.peer))
            if (end.peer_namespace == links_.own && end.peer_index == links_.index)
                found_.interfaces.insert(end.name);
    }

    // Adds the interfaces at both ends of the pairs that join two namespaces.
    void add_interfaces(Number one, Number other)
    {
        for (const auto &[near, far] : {std::pair{one, other}, std::pair{other, one}})
            for (const VethEnd &end : ends(near))
                if (end.peer_namespace == far && near != links_.own)
                    found_.interfaces.insert(end.name);
    }

    const ServerPlace &place_;
    const NamespaceProcesses &processes_;
    const VethLinks &links_;
    const Path &proc_;
    ServerProcesses found_;
};

std::optional<ProcessMemory> memory_of(const Path &directory, int process)
{
    const Path file = directory / "smaps_rollup";
    // If several processes share a page, each counts its part.
    const auto resident = leading_number<std::uint64_t>(value_of(file, "Pss:"));
    if (!resident)
        return std::nullopt;
    const auto swapped = leading_number<std::uint64_t>(value_of(file, "SwapPss:"));
    constexpr std::uint64_t kibi = 1024;
    return ProcessMemory{.process = process,
                         .name = one_line(first_line(directory / "comm")),
                         .octets = (*resident + swapped.value_or(0)) * kibi};
}

} // namespace

ServerProcesses find_server(const ServerPlace &place, const NamespaceProcesses &processes,
                            const VethLinks &links, const Path &proc)
{
    return Search(place, processes, links, proc).found();
}

std::map<std::string, std::uint64_t>
drops_by_socket(const ServerPlace &place, const ServerProcesses &server, const Path &proc)
{
    std::map<std::string, std::uint64_t> drops;
    for (const auto &[process, name] : server.names) {
        const Path net = proc / std::to_string(process) / "net";
        const std::set<std::string> asked =
            asked_sockets(net, place, has_address(net, place.address));
        for (const ServerSocket &socket : udp_sockets(net))
            if (asked.contains(socket.inode))
                drops[socket.inode] = socket.drops;
    }
    return drops;
}

bool carries_packets(const ServerProcesses &server, const std::string &kernel_thread)
{
    return std::ranges::any_of(server.interfaces, [&](const std::string &interface) {
        return kernel_thread.starts_with("napi/" + interface + "-");
    });
}

std::vector<ProcessMemory> server_memory(const ServerPlace &place, const std::string &interface,
                                         const Path &proc)
{
    const NamespaceProcesses all = processes_by_namespace(proc);
    const VethLinks links = veth_links(interface, all, proc);
    std::vector<ProcessMemory> found;
    for (const auto &[number, processes] : all.seen) {
        const Path net = proc / std::to_string(*processes.begin()) / "net";
        if ((number != links.own && number != links.peer) || !has_address(net, place.address))
            continue;
        const std::set<std::string> asked = asked_sockets(net, place, true);
        for (const int process : processes) {
            const Path directory = proc / std::to_string(process);
            if (sockets_of(directory, asked).empty())
                continue;
            if (std::optional<ProcessMemory> memory = memory_of(directory, process))
                found.push_back(std::move(*memory));
        }
    }
    return found;
}

} // namespace dnsgauge
