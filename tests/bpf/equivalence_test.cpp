// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the kernel's fakedns with the same wire functions, called here in the same order: both
// must have the same action, the same bytes and the same counters, whatever arrives.
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include "user_space.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <random>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr int frame_count = 50'000;

class Random
{
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    // 0..limit - 1
    std::uint32_t below(std::uint32_t limit)
    {
        return std::uniform_int_distribution<std::uint32_t>{0, limit - 1}(engine_);
    }

    bool one_in(std::uint32_t n) { return below(n) == 0; }

    template <class T, std::size_t N>
    const T &of(const std::array<T, N> &choices)
    {
        return choices[below(N)];
    }

private:
    std::mt19937_64 engine_;
};

std::string random_name(Random &random)
{
    static const std::array<std::string, 13> others{"dns64perf.test",
                                                    "ns.dns64perf.test",
                                                    "NS.dns64PERF.test",
                                                    "x.dns64perf.test",
                                                    "",
                                                    "example.org",
                                                    "ydns64perf.test",
                                                    "256-000-000-001.dns64perf.test",
                                                    "t",
                                                    "ns.T",
                                                    "x.zones.invalid",
                                                    "ns.a.b.c.d.e.f.g.h",
                                                    "c.d.e.f.g.h"};
    // The zones of fakedns_many_zones_config()
    static const std::array<std::string, 9> zones{
        "dns64perf.test",  "t",
        "zones.invalid",   "a-rather-long-label-of-a-zone.another-long-label-of-it.testin",
        "xdns64perf.test", "dns64perf.example",
        "B.b.c.d.e.F.g.h", "a.b.c.d.e.f.g.h",
        "DNS64perf.TEST"};
    if (random.one_in(3))
        return random.of(others);
    std::string label(TEST_NAME_LABEL, '\0');
    std::array<__u8, TEST_NAME_LABEL> digits{};
    test_name_write(digits.data(), random.below(0xffffffff));
    std::ranges::copy(digits, label.begin());
    return label + "." + (random.one_in(2) ? zones[0] : random.of(zones));
}

void mutate(Random &random, Bytes &bytes)
{
    for (std::uint32_t i = random.below(4); i > 0 && !bytes.empty(); i--)
        bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] ^=
            static_cast<std::uint8_t>(1U << random.below(8));
    if (random.one_in(8))
        bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size()) + 40));
}

Bytes random_message(Random &random)
{
    static constexpr std::array<std::uint16_t, 8> types{DNS_TYPE_A,   DNS_TYPE_AAAA, DNS_TYPE_AAAA,
                                                        DNS_TYPE_NS,  DNS_TYPE_SOA,  DNS_TYPE_HINFO,
                                                        DNS_TYPE_ANY, DNS_TYPE_AXFR};
    static constexpr std::array<std::uint16_t, 5> flags{0x0100, 0x0000, 0x0110, 0x8180, 0x2000};
    DnsMessage message;
    message.id = static_cast<std::uint16_t>(random.below(0x10000));
    message.flags = random.one_in(4) ? random.of(flags) : DNS_RD;
    message.questions = {{.name = dns_name(random_name(random)), .type = random.of(types)}};
    if (random.one_in(3)) {
        const std::uint32_t ttl = random.one_in(6) ? 0x00010000 : random.below(2) * DNS_OPT_DO;
        message.additionals = {dns_opt(ttl, Bytes(random.below(3) * 9))};
    }
    Bytes bytes = message;
    if (random.one_in(3))
        mutate(random, bytes);
    return bytes;
}

Bytes random_frame(Random &random)
{
    const Layer ip = random.one_in(2) ? Layer{Ipv4{}} : Layer{Ipv6{}};
    const Packet link = random.one_in(4) ? Layer{Ethernet{}} / Vlan{} / ip : Layer{Ethernet{}} / ip;
    Bytes frame = link / Udp{} / Payload{random_message(random)};
    if (random.one_in(5))
        mutate(random, frame);
    if (random.one_in(5))
        frame.resize(frame.size() + random.below(30), 0xee);
    frame.resize(std::max<std::size_t>(frame.size(), PACKET_ETHERNET_SIZE));
    return frame;
}

} // namespace

TEST_CASE("kernel and user space answer every frame alike")
{
    const bool has_many_zones = GENERATE(false, true);
    CAPTURE(has_many_zones);
    const fakedns_config config =
        has_many_zones ? fakedns_many_zones_config() : fakedns_test_config();
    const FakednsProgram kernel{config};
    UserFakedns user{config};
    Random random{20240501};
    int answered = 0;
    int differing = 0;

    for (int i = 0; i < frame_count && differing == 0; i++) {
        const Bytes frame = random_frame(random);
        const RunResult expected = user.run(frame);
        const RunResult got = kernel.run(frame);
        answered += got.action == XDP_TX;
        if (got == expected)
            continue;
        differing++;
        INFO("frame " << i << ":\n" << hexdump(frame));
        CHECK(got.action == expected.action);
        CHECK(hexdump(got.bytes) == hexdump(expected.bytes));
    }

    CHECK(differing == 0);
    CHECK(answered >= frame_count / 2);
    const fakedns_counters counters = kernel.counters();
    for (unsigned i = 0; i < FAKEDNS_COUNTERS; i++) {
        std::uint64_t sum = 0;
        for (unsigned type = 0; type < FAKEDNS_TYPES; type++) {
            CAPTURE(i, type);
            CHECK(counters.value[type][i] == user.counters().value[type][i]);
            sum += counters.value[type][i];
        }
        CAPTURE(i);
        CHECK((sum > 0) == (i != FAKEDNS_PASSED_NO_ROOM && i != FAKEDNS_LIMITED));
    }
}
