// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/server.h"
#include "fakedns/cli.h"
#include "options/command_line.h"
#include "support/exact_buffer.h"
#include "support/packet.h"
#include "system/cpus.h"
#include "system/setup_error.h"
#include "wire/echo.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

Bytes message_with_flags(unsigned flags)
{
    return {
        0x12, 0x34, static_cast<std::uint8_t>(flags >> 8), static_cast<std::uint8_t>(flags), 0x00,
        0x01, 'x'};
}

Bytes content(const ExactBuffer &buffer)
{
    return {buffer.bytes().begin(), buffer.bytes().end()};
}

EchoOptions read_echo(std::vector<std::string> words)
{
    words.insert(words.begin(), {"--interface", "d0"});
    EchoOptions read;
    const Command echo = echo_command([&read](const EchoOptions &options) { read = options; });
    (void)run_given(echo, parse_words(echo.options, words), {});
    return read;
}

} // namespace

TEST_CASE("an echo has QR set; AA, TC, Z, AD, CD and RCODE cleared; all else as it came")
{
    for (unsigned flags = 0; flags < 0x8000; flags++) {
        const ExactBuffer buffer{message_with_flags(flags)};
        REQUIRE(echo_message(buffer.cursor()) == 1);
        // Opcode, RD and RA.
        REQUIRE(content(buffer) == message_with_flags((flags & 0x7980) | 0x8000));
    }
}

TEST_CASE("a reply is not echoed, nor what is too short for flags")
{
    for (unsigned flags = 0x8000; flags < 0x10000; flags++) {
        const ExactBuffer buffer{message_with_flags(flags)};
        REQUIRE(echo_message(buffer.cursor()) == 0);
        REQUIRE(content(buffer) == message_with_flags(flags));
    }
    for (std::size_t size = 0; size < ECHO_SIZE_MIN; size++) {
        const ExactBuffer buffer{Bytes(size, 0)};
        CHECK(echo_message(buffer.cursor()) == 0);
    }
}

TEST_CASE("a frame is echoed from where it was sent to, with right checksums")
{
    const auto size = GENERATE(as<std::size_t>{}, 4, 5, 48, 343, 1400, 2040);
    const Bytes question(size, 0x21);
    Bytes reply = question;
    reply[2] = 0xa1; // QR is set
    reply[3] = 0x00; // Z and RCODE are cleared
    const ExactBuffer frame{Bytes(Ethernet{} / Ipv4{.ttl = 1} / Udp{} / Payload{question})};
    packet packet{};
    REQUIRE(echo_frame_is_query(frame.cursor(), 53, &packet) == 1);
    REQUIRE(echo_frame(frame.cursor(), &packet) == 1);
    const Bytes expected = Ethernet{.target = Ethernet{}.source, .source = Ethernet{}.target} /
                           Ipv4{.source = Ipv4{}.target, .target = Ipv4{}.source} /
                           Udp{.source_port = 53, .target_port = 40000} / Payload{reply};
    CHECK(content(frame) == expected);
}

TEST_CASE("frames of others are not queries")
{
    packet packet{};
    const Payload question{Bytes(48, 0)};
    const auto is_query = [&packet](const Bytes &bytes, std::uint16_t port) {
        const ExactBuffer frame{bytes};
        return echo_frame_is_query(frame.cursor(), port, &packet) != 0;
    };
    CHECK(is_query(Ethernet{} / Ipv6{} / Udp{} / question, 53));
    CHECK_FALSE(is_query(Ethernet{} / Ipv6{} / Udp{} / question, 54));
    CHECK_FALSE(
        is_query(Ethernet{.target = {0x33, 0x33, 0, 0, 0, 1}} / Ipv6{} / Udp{} / question, 53));
    CHECK_FALSE(is_query(Ethernet{} / Ipv4{.fragment = 0x2000} / Udp{} / question, 53));
    CHECK_FALSE(is_query(Ethernet{} / Ipv4{} / Udp{} / Payload{Bytes(2041, 0)}, 53));
    CHECK_FALSE(is_query({}, 53));
}

TEST_CASE("the options of echo")
{
    const EchoOptions plain = read_echo({});
    CHECK(plain.interface == "d0");
    CHECK(plain.port == 53);
    CHECK(plain.workers() == 1);
    CHECK_FALSE(plain.own_sockets);
    CHECK_FALSE(plain.cpu(0));

    const EchoOptions all = read_echo({"--io", "io_uring", "--port", "5300", "--forks", "3",
                                       "--threads", "2", "--cpus", "4,0-1", "--reuseport"});
    CHECK(all.model == EchoModel::io_uring);
    CHECK(all.port == 5300);
    CHECK(all.workers() == 6);
    CHECK(all.own_sockets);
    CHECK(all.cpu(0) == 4U);
    CHECK(all.cpu(2) == 1U);
    CHECK(all.cpu(5) == 1U);
    CHECK(read_echo({"--io", "xdp", "--xdp-mode", "generic"}).xdp_mode == XdpMode::generic);

    for (unsigned i = 0; i <= static_cast<unsigned>(EchoModel::xdp); i++) {
        const auto model = static_cast<EchoModel>(i);
        CHECK(read_echo({"--io", echo_models.text_of(model)}).model == model);
    }
}

TEST_CASE("options that do not go together")
{
    CHECK_THROWS_AS(read_echo({"--io", "xdp", "--forks", "2"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--io", "xdp", "--cpus", "0"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--io", "af_xdp", "--reuseport"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--io", "af_packet", "--reuseport"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--io", "poll", "--xdp-mode", "generic"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--io", "Poll"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--threads", "0"}), SetupError);
    CHECK_THROWS_AS(read_echo({"--zone", "a.test"}), SetupError);
}

TEST_CASE("the server's command line is what it was")
{
    const CommandLine read = read_command_line({"fakedns", "--interface", "d0", "--port", "5300"});
    CHECK(read.server.setup.interfaces == std::vector<std::string>{"d0"});
    CHECK(read.server.setup.port == 5300);
    CHECK_THROWS_WITH(read_command_line({"fakedns", "--port", "5300", "echo", "--interface", "d0"}),
                      Catch::Contains("echo"));
}

TEST_CASE("lists of CPUs")
{
    using Cpus = std::vector<unsigned>;
    CHECK(parse_cpu_list("--cpus", "3") == Cpus{3});
    CHECK(parse_cpu_list("--cpus", "2,0-2,7") == Cpus{2, 0, 1, 2, 7});
    const char *const wrong =
        GENERATE("", ",", "1,", "a", "1-", "-1", "2-1", "1 2", "0x1", "1024", "99999999999");
    CAPTURE(wrong);
    CHECK_THROWS_WITH(parse_cpu_list("--cpus", wrong), Catch::StartsWith("--cpus: "));
}
