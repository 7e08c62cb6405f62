// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sockets of the server and of the echo. They are bound to the wildcard address and to one
// interface. The server's sockets do not block; the echo's do.
#pragma once

#include "dns/socket_address.h"
#include "system/unique_fd.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace dnsgauge
{

enum class Family { ipv4, ipv6 };

// What a socket is bound to.
struct Endpoint {
    Family family = Family::ipv4;
    std::string interface;
    std::uint16_t port = 0;
    // May answer from any address of a prefix that is routed here.
    bool answers_from_anywhere = false;
    const char *port_option = "--port"; // for messages
};

// Returns the socket of this family, type, port and interface that systemd has opened and passed
// (sd_listen_fds(3)); an empty descriptor if it has passed none. The socket does not block.
[[nodiscard]] UniqueFd passed_socket(int family, int type, std::uint16_t port,
                                     const std::string &interface);

// Return a socket, if possible the one that systemd has passed. Return an empty descriptor if this
// kernel lacks the address family. Also return it, and say so on stderr, if systemd has passed only
// other sockets. Throw SetupError if the port is taken, or a capability is missing.

// Received messages carry IP_PKTINFO or IPV6_PKTINFO.
[[nodiscard]] UniqueFd open_udp_socket(const Endpoint &endpoint);
[[nodiscard]] UniqueFd open_tcp_listener(const Endpoint &endpoint);

// Returns when the kernel received what has this stamp (ktime_ns()); now, if there is no stamp. See
// stamp_arrivals().
[[nodiscard]] std::uint64_t arrival_ns(std::optional<std::int64_t> stamp_ns);

// Does what recv() does. Sets `at_ns` to the time at which the kernel received the last octet
// (ktime_ns()); to now, if the kernel does not tell. See stamp_arrivals().
[[nodiscard]] ssize_t receive_timed(int socket, std::span<std::uint8_t> room, std::uint64_t &at_ns,
                                    int flags = 0);

// Returns the header of a datagram, which points to its octets, its peer and its control messages.
[[nodiscard]] inline msghdr datagram_header(iovec &octets, sockaddr_storage &peer,
                                            std::span<std::uint8_t> control = {})
{
    msghdr header{};
    header.msg_name = &peer;
    header.msg_namelen = sizeof(peer);
    header.msg_iov = &octets;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    return header;
}

// Returns a UDP socket that blocks, for both IPv4 and IPv6 if the kernel has both. With
// `shares_port` further sockets may be opened for the same port, and the kernel spreads queries
// over all of them (SO_REUSEPORT). Throws SetupError.
[[nodiscard]] UniqueFd open_echo_socket(const std::string &interface, std::uint16_t port,
                                        bool shares_port);

// Returns the port of an IPv4 or IPv6 address, in network byte order.
[[nodiscard]] in_port_t source_port(const sockaddr_storage &from);

// Makes room for the descriptors of this number of TCP clients: see reserve_descriptors(). Throws
// SetupError if the limit of open files cannot be raised.
void reserve_for_clients(std::size_t connections);

} // namespace dnsgauge
