// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests which frames the Internet's program hands to an AF_XDP socket, and which go up the stack.
#include "support/packet.h"
#include "support/prog_run.h"
#include "xsk/socket.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>
#include <linux/if_xdp.h>
#include <sys/socket.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint16_t port = 53;

internet_prefix prefix(std::initializer_list<std::uint8_t> first,
                       std::initializer_list<std::uint8_t> mask)
{
    internet_prefix made{};
    std::memcpy(&made.first, std::data(first), first.size());
    std::memcpy(&made.mask, std::data(mask), mask.size());
    return made;
}

// 198.18.128.0/17 and 2001:2:0:80::/64
internet_config config()
{
    return {.ipv4 = prefix({198, 18, 128, 0}, {255, 255, 128, 0}),
            .ipv6 =
                prefix({0x20, 1, 0, 2, 0, 0, 0, 0x80}, {255, 255, 255, 255, 255, 255, 255, 255}),
            .port = port,
            .has_ipv6 = 1};
}

Ipv4 to4(std::uint8_t third, std::uint8_t last)
{
    Ipv4 ip;
    ip.target = {198, 18, third, last};
    return ip;
}

Ipv6 to6(std::uint8_t eighth, std::uint8_t last)
{
    Ipv6 ip;
    ip.target = {0x20, 1, 0, 2, 0, 0, 0, eighth, 0, 0, 0, 0, 0, 0, 0, last};
    return ip;
}

const Udp udp{.source_port = 40000, .target_port = port};

// Returns a socket that can receive: Linux 7.3 takes no other one for a map of sockets.
UniqueFd receiving_socket()
{
    UniqueFd socket = open_xdp_socket();
    constexpr std::uint32_t entries = 64;
    REQUIRE(setsockopt(socket.get(), SOL_XDP, XDP_RX_RING, &entries, sizeof(entries)) == 0);
    return socket;
}

std::uint32_t action(const InternetProgram &program, const Bytes &frame)
{
    const RunResult result = program.run(frame);
    CHECK(result.bytes == frame);
    return result.action;
}

} // namespace

TEST_CASE("a query to a server goes to the socket of its queue")
{
    const UniqueFd socket = receiving_socket();
    const InternetProgram program{config(), socket.get()};
    for (const std::size_t size : {0U, 12U, 40U, 512U, 1472U}) {
        const Payload message{Bytes(size, 7)};
        CHECK(action(program, Ethernet{} / to4(128, 1) / udp / message) == XDP_REDIRECT);
        CHECK(action(program, Ethernet{} / to4(255, 255) / udp / message) == XDP_REDIRECT);
        CHECK(action(program, Ethernet{} / to6(0x80, 1) / udp / message) == XDP_REDIRECT);
    }
    Bytes padded = Ethernet{} / to4(128, 1) / udp / Payload{Bytes(12)};
    padded.resize(60);
    CHECK(action(program, padded) == XDP_REDIRECT);
}

TEST_CASE("where there is no socket a query goes up the stack")
{
    const InternetProgram program{config()};
    CHECK(action(program, Ethernet{} / to4(128, 1) / udp / Payload{Bytes(40)}) == XDP_PASS);
}

TEST_CASE("all else goes up the stack")
{
    const UniqueFd socket = receiving_socket();
    const InternetProgram program{config(), socket.get()};
    const Payload message{Bytes(40, 7)};
    const Udp other{.source_port = 40000, .target_port = 54};
    const Udp from_zero{.source_port = 0, .target_port = port};
    Ipv4 fragment = to4(128, 1);
    fragment.fragment = 0x2000;
    Ipv6 extended = to6(0x80, 1);
    extended.next_header = 0;
    const std::vector<Bytes> frames{
        Ethernet{} / to4(127, 255) / udp / message,
        Ethernet{} / to6(0x81, 1) / udp / message,
        Ethernet{} / to4(128, 1) / other / message,
        Ethernet{} / to4(128, 1) / from_zero / message,
        Ethernet{} / fragment / udp / message,
        Ethernet{} / extended / udp / message,
        Ethernet{} / Vlan{} / to4(128, 1) / udp / message,
        Ethernet{.target = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}} / to4(128, 1) / udp / message,
        Ethernet{} / to4(128, 1) / udp / Payload{Bytes(1473)},
        Ethernet{.type = 0x0806} / message,
    };
    for (const Bytes &frame : frames)
        CHECK(action(program, frame) == XDP_PASS);
    Bytes cut = Ethernet{} / to4(128, 1) / udp / message;
    cut.pop_back();
    CHECK(action(program, cut) == XDP_PASS);

    internet_config without_ipv6 = config();
    without_ipv6.has_ipv6 = 0;
    without_ipv6.ipv6 = {};
    const InternetProgram only4{without_ipv6, socket.get()};
    CHECK(action(only4, Ethernet{} / to6(0x80, 1) / udp / message) == XDP_PASS);
}
