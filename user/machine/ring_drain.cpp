// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/ring_drain.h"

#include "common/unique_fd.h"
#include "wire/checksum.h"

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

// The first echo's reply may find no place in the ring; by then the ring has been emptied.
constexpr unsigned tries = 3;
constexpr auto patience = std::chrono::milliseconds(35); // for each

constexpr std::size_t echo_size = sizeof(icmphdr);
static_assert(sizeof(icmphdr) == sizeof(icmp6_hdr), "an echo has the same form in both families");

// Both families' echoes begin with type, code and checksum; identifier and number follow.
using Echo = std::array<std::uint8_t, echo_size>;

Echo make_echo(bool is_ipv6, std::uint16_t identifier, std::uint16_t number)
{
    Echo echo{};
    echo[0] = is_ipv6 ? ICMP6_ECHO_REQUEST : ICMP_ECHO;
    std::memcpy(&echo[4], &identifier, sizeof(identifier));
    std::memcpy(&echo[6], &number, sizeof(number));
    if (is_ipv6)
        return echo; // the kernel writes ICMPv6's checksum
    const wire_cursor whole{.pos = echo.data(), .end = echo.data() + echo.size()};
    const std::uint16_t checksum = checksum_field(checksum_add(0, whole, echo_size));
    std::memcpy(&echo[2], &checksum, sizeof(checksum));
    return echo;
}

sockaddr_storage socket_address(const IpAddress &address, socklen_t &length)
{
    sockaddr_storage storage{};
    if (address.is_ipv6) {
        sockaddr_in6 in6{};
        in6.sin6_family = AF_INET6;
        std::memcpy(&in6.sin6_addr, address.bytes.data(), sizeof(in6.sin6_addr));
        std::memcpy(&storage, &in6, length = sizeof(in6));
    } else {
        sockaddr_in in{};
        in.sin_family = AF_INET;
        std::memcpy(&in.sin_addr, address.bytes.data(), sizeof(in.sin_addr));
        std::memcpy(&storage, &in, length = sizeof(in));
    }
    return storage;
}

UniqueFd open_socket(const Interface &interface, const IpAddress &neighbour)
{
    UniqueFd fd(socket(neighbour.is_ipv6 ? AF_INET6 : AF_INET, SOCK_RAW | SOCK_CLOEXEC,
                       neighbour.is_ipv6 ? static_cast<int>(IPPROTO_ICMPV6) : IPPROTO_ICMP));
    socklen_t length = 0;
    const sockaddr_storage address = socket_address(neighbour, length);
    if (fd && (setsockopt(fd.get(), SOL_SOCKET, SO_BINDTODEVICE, interface.name.c_str(),
                          static_cast<socklen_t>(interface.name.size())) != 0 ||
               connect(fd.get(), reinterpret_cast<const sockaddr *>(&address), length) != 0))
        fd = UniqueFd();
    return fd;
}

// Whether what was received is the reply to `echo`. An IPv4 socket receives the IP header as well.
bool is_reply(std::span<const std::uint8_t> packet, bool is_ipv6, const Echo &echo)
{
    const std::size_t head = is_ipv6 || packet.empty() ? 0 : std::size_t{packet[0] & 0xfU} * 4;
    if (packet.size() < head + echo_size)
        return false;
    const std::span<const std::uint8_t> message = packet.subspan(head);
    return message[0] == (is_ipv6 ? ICMP6_ECHO_REPLY : ICMP_ECHOREPLY) &&
           std::memcmp(&message[4], &echo[4], 4) == 0;
}

bool wait_for_reply(int fd, bool is_ipv6, const Echo &echo)
{
    const auto deadline = Clock::now() + patience;
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
        if (left <= 0 || poll(&wanted, 1, static_cast<int>(left)) <= 0)
            return false;
        std::array<std::uint8_t, 256> packet{};
        const ssize_t size = recv(fd, packet.data(), packet.size(), MSG_DONTWAIT);
        if (size > 0 && is_reply({packet.data(), static_cast<std::size_t>(size)}, is_ipv6, echo))
            return true;
    }
}

} // namespace

bool drain_ring(const Interface &interface, const IpAddress &neighbour)
{
    const UniqueFd fd = open_socket(interface, neighbour);
    if (!fd)
        return false;
    const auto identifier = static_cast<std::uint16_t>(getpid());
    for (unsigned number = 0; number < tries; number++) {
        const Echo echo =
            make_echo(neighbour.is_ipv6, identifier, static_cast<std::uint16_t>(number));
        if (send(fd.get(), echo.data(), echo.size(), MSG_DONTWAIT) > 0 &&
            wait_for_reply(fd.get(), neighbour.is_ipv6, echo))
            return true;
    }
    return false;
}

} // namespace dnsgauge
