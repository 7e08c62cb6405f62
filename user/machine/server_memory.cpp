// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/server_memory.h"

#include "common/unique_fd.h"
#include "host/netlink.h"
#include "machine/text_files.h"
#include "units/ip_prefix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ipv6_route.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace dnsgauge
{

namespace
{

using Path = std::filesystem::path;

// Returns the number of a process's network namespace; nothing if it cannot be seen.
std::optional<std::uint64_t> namespace_of(const Path &process)
{
    struct stat status {
    };
    return stat((process / "ns/net").c_str(), &status) == 0 ? std::optional(status.st_ino)
                                                            : std::nullopt;
}

// Returns the process IDs among the folder's names, by network namespace.
std::map<std::uint64_t, std::set<int>> processes_by_namespace(const Path &proc)
{
    std::map<std::uint64_t, std::set<int>> found;
    for_each_number(proc, [&](int process) {
        if (const auto number = namespace_of(proc / std::to_string(process)))
            found[*number].insert(process);
    });
    return found;
}

std::vector<std::string> words_of(const std::string &line)
{
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
}

// Returns the IPv6 address that 32 hexadecimal digits are.
IpAddress address_of_digits(const std::string &digits)
{
    IpAddress address{.is_ipv6 = true};
    for (std::size_t i = 0; i < address.bytes.size() && 2 * i < digits.size(); i++)
        address.bytes.at(i) = leading_number<std::uint8_t>(digits.substr(2 * i, 2), 16).value_or(0);
    return address;
}

// Returns whether the routing table of a namespace delivers the address locally: as an address of
// an interface, or as one of a prefix ("ip route add local").
bool has_ipv4(const Path &fib_trie, const IpAddress &address)
{
    constexpr std::string_view leaf = "|-- ";
    std::ifstream lines(fib_trie);
    std::string first; // of the prefixes whose lengths the next lines have
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(leaf);
        if (at != std::string::npos)
            first = line.substr(at + leaf.size());
        else if (const std::size_t slash = line.find('/');
                 line.find("host LOCAL") != std::string::npos && slash != std::string::npos)
            if (IpPrefix{parse_ip_address(first),
                         leading_number<unsigned>(line.substr(slash + 1)).value_or(32)}
                    .contains(address))
                return true;
    }
    return false;
}

// Likewise; each line of `ipv6_route` has a prefix, its length, ..., flags and an interface.
bool has_ipv6(const Path &ipv6_route, const IpAddress &address)
{
    std::ifstream lines(ipv6_route);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> fields = words_of(line);
        if (fields.size() != 10)
            continue;
        const auto flags = leading_number<std::uint32_t>(fields[8], 16);
        const auto length = leading_number<unsigned>(fields[1], 16);
        if (flags && length && (*flags & RTF_LOCAL) != 0 &&
            IpPrefix{address_of_digits(fields[0]), *length}.contains(address))
            return true;
    }
    return false;
}

bool has_address(const Path &net, const IpAddress &address)
{
    return address.is_ipv6 ? has_ipv6(net / "ipv6_route", address)
                           : has_ipv4(net / "fib_trie", address);
}

// Returns the address as /proc/net/udp and udp6 write addresses: words in the machine's order.
std::string socket_text(const IpAddress &address)
{
    std::string text;
    for (std::size_t at = 0; at < (address.is_ipv6 ? 16U : 4U); at += 4) {
        std::uint32_t word = 0;
        std::memcpy(&word, &address.bytes.at(at), sizeof(word));
        text += fmt::format("{:08X}", word);
    }
    return text;
}

// Adds the inodes of the sockets in a file such as /proc/net/udp6 that take what is sent to the
// address and the port.
void add_sockets(std::set<std::string> &inodes, const Path &file, const IpAddress &address,
                 std::uint16_t port)
{
    constexpr std::size_t inode_field = 9;
    const std::string wanted = socket_text(address);
    const std::string wanted_port = fmt::format("{:04X}", port);
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> fields = words_of(line);
        if (fields.size() <= inode_field)
            continue;
        const std::string &local = fields[1];
        const std::size_t colon = local.find(':');
        if (colon == std::string::npos || local.substr(colon + 1) != wanted_port)
            continue;
        const std::string bound = local.substr(0, colon);
        if (bound == wanted || bound.find_first_not_of('0') == std::string::npos)
            inodes.insert(fields[inode_field]);
    }
}

// A network namespace in which a socket takes the server's queries.
struct Side {
    bool is_own = false; // the Tester's
    std::set<int> processes;
    std::set<std::string> inodes; // of such sockets
};

// Returns the number by which the Tester's network namespace knows the one at the other end of a
// veth pair; nothing where the interface is no end of one, or both ends are in one namespace.
std::optional<std::uint32_t> peer_of(const std::string &interface)
{
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(if_nametoindex(interface.c_str()));
    std::optional<std::uint32_t> number;
    const int error = RouteNetlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        number = attribute_u32<ifinfomsg>(reply, IFLA_LINK_NETNSID);
    });
    return error == 0 ? number : std::nullopt;
}

// Returns the number by which the Tester's network namespace knows that of a process.
std::optional<std::uint32_t> number_of(const Path &process)
{
    const UniqueFd space(open((process / "ns/net").c_str(), O_RDONLY | O_CLOEXEC));
    if (!space)
        return std::nullopt;
    NetlinkRequest<rtgenmsg> request(RTM_GETNSID, 0);
    request.add(NETNSA_FD, static_cast<std::uint32_t>(space.get()));
    std::optional<std::uint32_t> number;
    const int error = RouteNetlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        number = attribute_u32<rtgenmsg>(reply, NETNSA_NSID);
    });
    return error == 0 ? number : std::nullopt;
}

bool has_one_of(const Path &process, const std::set<std::string> &inodes)
{
    constexpr std::string_view begin = "socket:[";
    bool has = false;
    for_each_number(process / "fd", [&](int fd) {
        std::error_code none;
        const std::string target =
            std::filesystem::read_symlink(process / "fd" / std::to_string(fd), none).string();
        has =
            has || (target.starts_with(begin) &&
                    inodes.contains(target.substr(begin.size(), target.size() - begin.size() - 1)));
    });
    return has;
}

std::optional<ProcessMemory> memory_of(const Path &directory, int process)
{
    const Path file = directory / "smaps_rollup";
    // Of a page that several processes have, each counts its part.
    const auto resident = leading_number<std::uint64_t>(value_of(file, "Pss:"));
    if (!resident)
        return std::nullopt;
    const auto swapped = leading_number<std::uint64_t>(value_of(file, "SwapPss:"));
    constexpr std::uint64_t kibi = 1024;
    ProcessMemory memory{.process = process,
                         .name = first_line(directory / "comm"),
                         .octets = (*resident + swapped.value_or(0)) * kibi};
    for (char &octet : memory.name)
        if (static_cast<unsigned char>(octet) < 0x20 || octet == 0x7f)
            octet = '?';
    return memory;
}

} // namespace

std::vector<ProcessMemory> server_memory(const IpAddress &server, std::uint16_t port,
                                         const std::string &interface, const Path &proc)
{
    const std::optional<std::uint64_t> own = namespace_of(proc / "self");
    std::vector<Side> sides;
    for (const auto &[number, processes] : processes_by_namespace(proc)) {
        const Path net = proc / std::to_string(*processes.begin()) / "net";
        if (!has_address(net, server))
            continue;
        Side side{own == number, processes, {}};
        if (!server.is_ipv6)
            add_sockets(side.inodes, net / "udp", server, port);
        add_sockets(side.inodes, net / "udp6", server, port);
        if (!side.inodes.empty())
            sides.push_back(std::move(side));
    }
    const std::optional<std::uint32_t> peer = peer_of(interface);
    std::erase_if(sides, [&](const Side &side) {
        return !side.is_own &&
               (!peer || number_of(proc / std::to_string(*side.processes.begin())) != peer);
    });
    std::vector<ProcessMemory> found;
    for (const Side &side : sides)
        for (const int process : side.processes) {
            const Path directory = proc / std::to_string(process);
            if (!has_one_of(directory, side.inodes))
                continue;
            if (std::optional<ProcessMemory> memory = memory_of(directory, process))
                found.push_back(std::move(*memory));
        }
    return found;
}

} // namespace dnsgauge
