// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the arrival clock: hands it a frame, and checks action, time of arrival and counters.
#include "support/packet.h"
#include "support/prog_run.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t first = (10U << 24U) + 254;
constexpr std::uint32_t queries = 4;
const arrival_clock_config config{.first = first, .port = 53};

// Names from number `first` on; the third group of digits changes after two names.
const std::array<std::string, queries> names{
    "010-000-000-254.dns64perf.test", "010-000-000-255.dns64perf.test",
    "010-000-001-000.dns64perf.test", "010-000-001-001.dns64perf.test"};

Bytes query(const std::string &name)
{
    return DnsMessage{.questions = {{.name = dns_name(name), .type = 28}}};
}

Bytes frame_for(const Bytes &message, bool is_ipv6 = false, std::uint16_t port = 53)
{
    const Layer ip = is_ipv6 ? Layer{Ipv6{}} : Layer{Ipv4{}};
    return Ethernet{} / ip / Udp{.target_port = port} / Payload{message};
}

std::uint64_t now()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

} // namespace

TEST_CASE("a query is dropped, and its arrival noted under its number")
{
    const ArrivalClockProgram program{config, queries};
    const bool is_ipv6 = GENERATE(false, true);
    for (std::uint32_t i = 0; i < queries; i++) {
        CAPTURE(i);
        CHECK(program.arrival(i) == 0);
        const std::uint64_t before = now();
        REQUIRE(program.run(frame_for(query(names[i]), is_ipv6)).action == XDP_DROP);
        CHECK(program.arrival(i) >= before);
        CHECK(program.arrival(i) <= now());
    }
    CHECK(program.totals().arrived == queries);
    CHECK(program.totals().repeated == 0);
    CHECK(program.totals().strange == 0);
}

TEST_CASE("a query with a VLAN tag is one, too")
{
    const ArrivalClockProgram program{config, queries};
    const Bytes frame =
        Ethernet{} / Vlan{} / Ipv4{} / Udp{.target_port = 53} / Payload{query(names[0])};
    CHECK(program.run(frame).action == XDP_DROP);
    CHECK(program.arrival(0) != 0);
}

TEST_CASE("one that comes again is counted, and its first time stays")
{
    const ArrivalClockProgram program{config, queries};
    const Bytes frame = frame_for(query(names[1]));
    CHECK(program.run(frame).action == XDP_DROP);
    const std::uint64_t time = program.arrival(1);
    CHECK(program.run(frame).action == XDP_DROP);
    CHECK(program.arrival(1) == time);
    CHECK(program.totals().arrived == 2);
    CHECK(program.totals().repeated == 1);
}

TEST_CASE("what asks for none of the names passes and is counted")
{
    const ArrivalClockProgram program{config, queries};
    const Bytes whole = query(names[0]);
    std::vector<Bytes> messages{
        query("010-000-000-253.dns64perf.test"), // the name before the first
        query("010-000-001-002.dns64perf.test"), // the name after the last
        query("010-000-000-256.dns64perf.test"),
        query("dns64perf.test"),
        {},
        Bytes(whole.begin(), whole.begin() + 12),
        Bytes(whole.begin(), whole.begin() + 27), // one octet of the label is missing
    };
    for (const Bytes &message : messages) {
        const Bytes frame = frame_for(message);
        const RunResult result = program.run(frame);
        CHECK(result.action == XDP_PASS);
        CHECK(result.bytes == frame);
    }
    CHECK(program.totals().arrived == 0);
    CHECK(program.totals().strange == messages.size());
    for (std::uint32_t i = 0; i < queries; i++)
        CHECK(program.arrival(i) == 0);
}

TEST_CASE("what is not for the port passes and is not counted")
{
    const ArrivalClockProgram program{config, queries};
    const Payload message{query(names[0])};
    const std::vector<Bytes> frames{
        frame_for(query(names[0]), false, 54),
        frame_for(query(names[0]), true, 54),
        Ethernet{} / Ipv4{.fragment = 0x2000} / Udp{.target_port = 53} / message,
        Ethernet{} / Ipv4{.protocol = 6} / Udp{.target_port = 53} / message,
        Ethernet{} / Ipv6{.next_header = 44} / Udp{.target_port = 53} / message,
        Ethernet{.type = 0x0806} / message,
    };
    for (const Bytes &frame : frames)
        CHECK(program.run(frame).action == XDP_PASS);
    CHECK(program.totals().arrived == 0);
    CHECK(program.totals().strange == 0);
}
