// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Compares the kernel's faults with the socket path's faults: for every name both must be the same,
// byte for byte.
#include "base/event_loop.h"
#include "dns/fault_text.h"
#include "server/responder.h"
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <cstring>
#include <filesystem>
#include <random>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr int query_count = 20'000;

const std::string every_kind = "loss=5%,delay=5%:1ms,late=5%:3s,duplicate=5%,wrong-address=5%,"
                               "wrong-question=5%,wrong-id=5%,servfail=5%,truncated=5%,empty=5%,"
                               "garbage=5%,wrong-owner=5%,extra-record=5%,missing-record=5%,"
                               "trailing-octets=5%,extended-rcode=5%,not-authoritative=5%";

fault_config config_of(const std::string &faults, std::uint16_t pad_to, bool has_holder)
{
    fault_config config{};
    parse_faults(faults, config.plan);
    config.plan.pad_to = pad_to;
    config.has_holder = has_holder;
    return config;
}

struct Query {
    bool is_ipv6 = false;
    bool has_vlan = false;
    Bytes message;
};

Bytes frame_of(const Query &query, const Bytes &message, bool is_answer)
{
    Ethernet ethernet;
    Ipv4 ipv4;
    Ipv6 ipv6;
    Udp udp;
    if (is_answer) {
        std::swap(ethernet.target, ethernet.source);
        std::swap(ipv4.target, ipv4.source);
        std::swap(ipv6.target, ipv6.source);
        std::swap(udp.target_port, udp.source_port);
    }
    const Layer ip = query.is_ipv6 ? Layer{ipv6} : Layer{ipv4};
    const Packet link = query.has_vlan ? Layer{ethernet} / Vlan{} / ip : Layer{ethernet} / ip;
    return link / udp / Payload{message};
}

Query random_query(std::mt19937 &random)
{
    const auto below = [&random](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>{0, limit - 1}(random);
    };
    std::string name(TEST_NAME_LABEL, '\0');
    test_name_write(reinterpret_cast<__u8 *>(name.data()), static_cast<std::uint32_t>(random()));
    name += below(8) == 0 ? ".example.org" : ".dns64PERF.test";
    if (below(16) == 0)
        name = "x.dns64perf.test";
    static constexpr std::array<std::uint16_t, 4> types{DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_AAAA,
                                                        DNS_TYPE_ANY};
    DnsMessage message{.id = static_cast<std::uint16_t>(below(65536)),
                       .questions = {{.name = dns_name(name), .type = types[below(4)]}}};
    if (below(2) == 0)
        message.additionals = {dns_opt(below(2) * DNS_OPT_DO, Bytes(below(3) * 9, 0x55),
                                       static_cast<std::uint16_t>(below(2000)))};
    return {below(2) == 0, below(2) == 0, message};
}

// Returns what the kernel has to make of the query, by the socket path. In a test run nobody holds
// answers: a frame that is redirected to no socket is aborted, and comes with its metadata.
RunResult expected_of(const Query &query, const fakedns_config &config, const fault_config &faults,
                      FaultyAnswer &answer)
{
    Bytes buffer(2048, 0xee);
    std::ranges::copy(query.message, buffer.begin());
    answer = faulty_answer_message(buffer, query.message.size(), config.zones, faults.plan);
    buffer.resize(answer.answered.length);
    if (answer.answered.length == 0)
        return {XDP_DROP, {}};
    return {fault_is_held(answer.fault) ? __u32{XDP_ABORTED} : __u32{XDP_TX},
            frame_of(query, buffer, true)};
}

// Takes the metadata, which say when and how often to send the frame, off the frame's front.
void take_held(Bytes &bytes, const FaultyAnswer &answer, std::uint64_t before)
{
    fault_held held{};
    REQUIRE(bytes.size() > sizeof(held));
    std::memcpy(&held, bytes.data(), sizeof(held));
    bytes.erase(bytes.begin(), bytes.begin() + sizeof(held));
    REQUIRE(held.copies == answer.copies);
    REQUIRE(held.due_ns >= before + answer.delay_ns);
    REQUIRE(held.due_ns <= ktime_ns() + answer.delay_ns);
}

// `counted` has the faults that the program should have counted.
bool misbehaves_alike(const FaultyProgram &program, const Query &query,
                      const fakedns_config &config, const fault_config &faults,
                      fault_counters &counted)
{
    FaultyAnswer answer;
    const RunResult expected = expected_of(query, config, faults, answer);
    counted.value[answer.fault] += answer.is_answer;
    const std::uint64_t before = ktime_ns();
    RunResult got = program.run(frame_of(query, query.message, false));
    if (fault_is_held(answer.fault) != 0)
        take_held(got.bytes, answer, before);
    CHECK(got.action == expected.action);
    if (got.action == XDP_DROP || got.bytes == expected.bytes)
        return got.action == expected.action;
    CHECK(hexdump(got.bytes) == hexdump(expected.bytes));
    return false;
}

// Returns the fuzz targets' queries, and the queries for a test name with other last digits: faults
// go by name.
std::vector<Bytes> corpus()
{
    const std::string digits = "010-000-000-001";
    std::vector<Bytes> messages;
    for (const auto &entry : std::filesystem::directory_iterator(DNSGAUGE_FUZZ_CORPUS "/query")) {
        std::string text = read_file(entry.path());
        messages.emplace_back(text.begin(), text.end());
        const std::size_t at = text.find(digits);
        for (int last = 0; at != std::string::npos && last < 256; last += 5) {
            const std::string number = std::to_string(1000 + last).substr(1);
            text.replace(at + digits.size() - number.size(), number.size(), number);
            messages.emplace_back(text.begin(), text.end());
        }
    }
    return messages;
}

// Checks that the program did each fault, as often as user space expects.
void check_every_kind(const fault_counters &done, const fault_counters &expected)
{
    for (unsigned kind = 0; kind < FAULTS; kind++) {
        CAPTURE(kind);
        CHECK(done.value[kind] == expected.value[kind]);
        CHECK(expected.value[kind] > 0);
    }
}

} // namespace

TEST_CASE("kernel and sockets misbehave alike")
{
    const std::uint16_t pad_to = GENERATE(as<std::uint16_t>{}, 0, 90, 370, FAULT_PAD_MAX);
    CAPTURE(pad_to);
    const fakedns_config config = fakedns_test_config();
    const fault_config faults = config_of(every_kind, pad_to, true);
    const FaultyProgram program{config, faults};
    fault_counters counted{};
    std::mt19937 random{20261121};
    for (int i = 0; i < query_count; i++) {
        const Query query = random_query(random);
        INFO("query " << i << ":\n" << hexdump(query.message));
        REQUIRE(misbehaves_alike(program, query, config, faults, counted));
    }
    check_every_kind(program.counters(), counted);
    CHECK(program.counters().value[FAULT_UNHELD] == 0);
}

TEST_CASE("kernel and sockets misbehave alike over the fuzz targets' corpus")
{
    const fakedns_config config = fakedns_test_config();
    const fault_config faults = config_of(every_kind, 90, true);
    const FaultyProgram program{config, faults};
    fault_counters counted{};
    for (const Bytes &message : corpus())
        for (const bool is_ipv6 : {false, true}) {
            const Query query{.is_ipv6 = is_ipv6, .has_vlan = false, .message = message};
            INFO("query:\n" << hexdump(query.message));
            REQUIRE(misbehaves_alike(program, query, config, faults, counted));
        }
    check_every_kind(program.counters(), counted);
}

TEST_CASE("queries whose answers are to wait go up the stack where nobody holds them")
{
    const auto *const faults = GENERATE("delay=100%:1ms", "late=100%:3s", "duplicate=100%");
    CAPTURE(faults);
    const FaultyProgram program{fakedns_test_config(), config_of(faults, 0, false)};
    const Query query{
        .message = DnsMessage{.questions = {{.name = dns_name("010-000-000-009.dns64perf.test")}}}};
    const Bytes frame = frame_of(query, query.message, false);
    const RunResult got = program.run(frame);
    CHECK(got.action == XDP_PASS);
    CHECK(hexdump(got.bytes) == hexdump(frame));
    for (const auto count : program.counters().value)
        CHECK(count == 0);
}

TEST_CASE("packets that are not for FakeDNS pass")
{
    const FaultyProgram program{fakedns_test_config(), config_of("loss=100%", 1000, true)};
    const Bytes message =
        DnsMessage{.questions = {{.name = dns_name("010-000-000-009.dns64perf.test")}}};
    const Bytes frame = Layer{Ethernet{}} / Ipv4{} / Udp{.target_port = 54} / Payload{message};
    const RunResult got = program.run(frame);
    CHECK(got.action == XDP_PASS);
    CHECK(hexdump(got.bytes) == hexdump(frame));
}

TEST_CASE("where the driver needs it a spoilt answer is redirected")
{
    const FaultyProgram program{fakedns_test_config(), config_of("servfail=100%", 0, false), true};
    const Query query{false, false,
                      DnsMessage{.questions = {{.name = dns_name("010-000-000-001.dns64perf.test"),
                                                .type = DNS_TYPE_A}}}};
    CHECK(program.run(frame_of(query, query.message, false)).action == XDP_REDIRECT);
}
