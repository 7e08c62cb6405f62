// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/server_memory.h"

#include "machine/listeners.h"
#include "machine/text_files.h"
#include "machine/veth_links.h"
#include "userland/setup_error.h"

#include <optional>
#include <set>

namespace dnsgauge
{

namespace
{

using Path = std::filesystem::path;

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

std::vector<ProcessMemory> server_memory(const IpAddress &server, std::uint16_t port,
                                         const std::string &interface, const Path &proc)
{
    const NamespaceProcesses all = processes_by_namespace(proc);
    const VethLinks links = veth_links(interface, all, proc);
    std::vector<ProcessMemory> found;
    for (const auto &[number, processes] : all.seen) {
        const Path net = proc / std::to_string(*processes.begin()) / "net";
        if ((number != links.own && number != links.peer) || !has_address(net, server))
            continue;
        std::set<std::string> inodes;
        for (const UdpSocket &socket : udp_sockets(net))
            if (socket.takes(server, port))
                inodes.insert(socket.inode);
        for (const int process : processes) {
            const Path directory = proc / std::to_string(process);
            if (sockets_of(directory, inodes).empty())
                continue;
            if (std::optional<ProcessMemory> memory = memory_of(directory, process))
                found.push_back(std::move(*memory));
        }
    }
    return found;
}

} // namespace dnsgauge
