// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/listeners.h"

#include "dns/ip_prefix.h"
#include "machine/text_files.h"

#include <linux/ipv6_route.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

namespace dnsgauge
{

namespace
{

using Path = std::filesystem::path;

// Returns the IPv6 address of 32 hexadecimal digits.
IpAddress address_of_digits(const std::string &digits)
{
    IpAddress address{.is_ipv6 = true};
    for (std::size_t i = 0; i < address.bytes.size() && 2 * i < digits.size(); i++)
        address.bytes.at(i) = leading_number<std::uint8_t>(digits.substr(2 * i, 2), 16).value_or(0);
    return address;
}

// Returns whether `fib_trie` delivers the address locally.
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

// Returns whether `ipv6_route` delivers the address locally. Each line has a prefix, its length,
// ..., flags and an interface.
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

// Returns the address as /proc/net/udp and udp6 write addresses: words in the machine's order.
IpAddress socket_address(const std::string &text)
{
    constexpr std::size_t digits = 8; // of a word
    IpAddress address{.is_ipv6 = text.size() > digits};
    for (std::size_t at = 0; at + digits <= text.size() && at / 2 < address.bytes.size();
         at += digits) {
        const auto word = leading_number<std::uint32_t>(text.substr(at, digits), 16).value_or(0);
        std::memcpy(&address.bytes.at(at / 2), &word, sizeof(word));
    }
    return address;
}

// Adds the sockets in a file such as /proc/net/udp6; those in this state, unless it is empty.
void add_sockets(std::vector<ServerSocket> &sockets, const Path &file, std::string_view state = {})
{
    constexpr std::size_t state_field = 3;
    constexpr std::size_t inode_field = 9;
    constexpr std::size_t drops_field = 12; // of UDP
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> fields = words_of(line);
        if (fields.size() <= inode_field || (!state.empty() && fields[state_field] != state))
            continue;
        const std::string &local = fields[1];
        const std::size_t colon = local.find(':');
        if (colon == std::string::npos)
            continue;
        if (const auto port = leading_number<std::uint16_t>(local.substr(colon + 1), 16))
            sockets.push_back(
                {.address = socket_address(local.substr(0, colon)),
                 .port = *port,
                 .inode = fields[inode_field],
                 .drops = state.empty() && fields.size() > drops_field
                              ? leading_number<std::uint64_t>(fields[drops_field]).value_or(0)
                              : 0,
                 .is_connected = !fields[2].ends_with(":0000")});
    }
}

} // namespace

std::uint64_t network_namespace_of(const Path &process)
{
    struct stat status = {};
    return stat((process / "ns/net").c_str(), &status) == 0 ? status.st_ino : 0;
}

NamespaceProcesses processes_by_namespace(const Path &proc)
{
    NamespaceProcesses found;
    for_each_number(proc, [&](int process) {
        if (const auto number = network_namespace_of(proc / std::to_string(process)))
            found.seen[number].insert(process);
        else if (errno == EACCES || errno == EPERM)
            found.hidden.insert(process);
    });
    return found;
}

bool ServerSocket::takes(const IpAddress &to, std::uint16_t to_port) const
{
    return port == to_port &&
           (address == to || (address.is_any() && (address.is_ipv6 || !to.is_ipv6)));
}

std::vector<ServerSocket> udp_sockets(const Path &net)
{
    std::vector<ServerSocket> sockets;
    add_sockets(sockets, net / "udp");
    add_sockets(sockets, net / "udp6");
    return sockets;
}

std::vector<ServerSocket> tcp_listeners(const Path &net)
{
    constexpr std::string_view listening = "0A"; // TCP_LISTEN
    std::vector<ServerSocket> sockets;
    add_sockets(sockets, net / "tcp", listening);
    add_sockets(sockets, net / "tcp6", listening);
    return sockets;
}

bool has_address(const Path &net, const IpAddress &address)
{
    return address.is_ipv6 ? has_ipv6(net / "ipv6_route", address)
                           : has_ipv4(net / "fib_trie", address);
}

std::set<std::string> sockets_of(const Path &process, const std::set<std::string> &inodes)
{
    constexpr std::string_view begin = "socket:[";
    std::set<std::string> found;
    for_each_number(process / "fd", [&](int fd) {
        std::error_code none;
        const std::string target =
            std::filesystem::read_symlink(process / "fd" / std::to_string(fd), none).string();
        if (!target.starts_with(begin))
            return;
        const std::string inode = target.substr(begin.size(), target.size() - begin.size() - 1);
        if (inodes.contains(inode))
            found.insert(inode);
    });
    return found;
}

} // namespace dnsgauge
