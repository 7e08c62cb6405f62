// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the echo in the kernel: hands it a frame, and checks action, frame and counters.
#include "support/packet.h"
#include "support/prog_run.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <array>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint16_t port = 5300;
constexpr std::uint16_t client_port = 40000;
constexpr std::array<std::size_t, 14> sizes{4,   5,   6,   7,    12,   48,   49,
                                            343, 344, 345, 1232, 1233, 1400, 2040};

// The layers around the message: the echo treats every combination alike.
struct Path {
    bool is_ipv6 = false;
    bool has_vlan = false;
};

Path generate_path()
{
    return {.is_ipv6 = GENERATE(false, true), .has_vlan = GENERATE(false, true)};
}

Packet link(const Path &path, const Ethernet &ethernet)
{
    return path.has_vlan ? ethernet / Vlan{} : Packet{{ethernet}};
}

Bytes there(const Path &path, const Bytes &message, const Udp &udp)
{
    const Layer ip = path.is_ipv6 ? Layer{Ipv6{.hop_limit = 7}} : Layer{Ipv4{.ttl = 7}};
    return link(path, {}) / ip / udp / Payload{message};
}

Bytes there(const Path &path, const Bytes &message)
{
    return there(path, message, {.source_port = client_port, .target_port = port});
}

Bytes back(const Path &path, const Bytes &message)
{
    const Layer ip = path.is_ipv6 ? Layer{Ipv6{.source = Ipv6{}.target, .target = Ipv6{}.source}}
                                  : Layer{Ipv4{.source = Ipv4{}.target, .target = Ipv4{}.source}};
    const Ethernet ethernet{.target = Ethernet{}.source, .source = Ethernet{}.target};
    return link(path, ethernet) / ip / Udp{.source_port = port, .target_port = client_port} /
           Payload{message};
}

Bytes query(std::size_t size, std::uint16_t flags)
{
    Bytes message(size);
    for (std::size_t i = 0; i < size; i++)
        message[i] = static_cast<std::uint8_t>(i * 7);
    message[2] = static_cast<std::uint8_t>(flags >> 8);
    message[3] = static_cast<std::uint8_t>(flags);
    return message;
}

} // namespace

TEST_CASE("a query comes back as its own reply")
{
    const EchoProgram program{port};
    const Path path = generate_path();
    for (const std::size_t size : sizes) {
        CAPTURE(size, path.is_ipv6, path.has_vlan);
        const RunResult result = program.run(there(path, query(size, 0x7fff)));
        REQUIRE(result.action == XDP_TX);
        REQUIRE(result.bytes == back(path, query(size, 0xf980)));
    }
    CHECK(program.counters().value[ECHO_SENT] == sizes.size());
    CHECK(program.counters().value[ECHO_IGNORED] == 0);
}

TEST_CASE("where the driver needs it the echo is redirected")
{
    const EchoProgram program{port, true};
    CHECK(program.run(there({}, query(48, 0))).action == XDP_REDIRECT);
    CHECK(program.run(there({}, query(48, 0x8000))).action == XDP_DROP);
}

TEST_CASE("a wrong checksum, as of a packet that was never on a wire, is made right")
{
    const EchoProgram program{port};
    const Path path = generate_path();
    const Bytes frame =
        there(path, query(48, 0x0100),
              {.source_port = client_port, .target_port = port, .checksum = 0x1234});
    CHECK(program.run(frame).bytes == back(path, query(48, 0x8100)));
}

TEST_CASE("padding is cut off")
{
    const EchoProgram program{port};
    Bytes frame = there({}, query(12, 0));
    frame.resize(60, 0xee);
    const RunResult result = program.run(frame);
    CHECK(result.action == XDP_TX);
    CHECK(result.bytes == back({}, query(12, 0x8000)));
}

TEST_CASE("what is a reply, too short, or from port 0 is dropped and counted")
{
    const EchoProgram program{port};
    const Path path = generate_path();
    CHECK(program.run(there(path, query(48, 0x8000))).action == XDP_DROP);
    CHECK(program.run(there(path, Bytes(3))).action == XDP_DROP);
    CHECK(program.run(there(path, {})).action == XDP_DROP);
    CHECK(program.run(there(path, query(48, 0), {.source_port = 0, .target_port = port})).action ==
          XDP_DROP);
    CHECK(program.counters().value[ECHO_SENT] == 0);
    CHECK(program.counters().value[ECHO_IGNORED] == 4);
}

TEST_CASE("everything else goes up the stack as it came")
{
    const EchoProgram program{port};
    const Payload message{query(48, 0)};
    const Udp udp{.source_port = client_port, .target_port = port};
    const std::vector<Bytes> frames{
        Ethernet{} / Ipv4{} / Udp{.target_port = 53} / message,
        Ethernet{.target = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}} / Ipv4{} / udp / message,
        Ethernet{} / Ipv4{.fragment = 0x2000} / udp / message,
        Ethernet{} / Ipv6{.next_header = 0} / udp / message,
        Ethernet{.type = 0x0806} / message,
        Ethernet{} / Ipv4{} / udp / Payload{query(2041, 0)},
    };
    for (const Bytes &frame : frames) {
        const RunResult result = program.run(frame);
        CHECK(result.action == XDP_PASS);
        CHECK(result.bytes == frame);
    }
    Bytes cut = there({}, query(48, 0));
    cut.pop_back();
    CHECK(program.run(cut).action == XDP_PASS);
}

TEST_CASE("a frame for a socket that is not there goes up the stack")
{
    const EchoProgram program{port};
    CHECK(run_program(program.to_socket_fd(), there({}, query(48, 0))).action == XDP_PASS);
}
