// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Hands the fuzz targets' corpus to the kernel's programs and to their user-space twins: both must
// have the same action, the same bytes and the same counters.
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"
#include "support/scratch_directory.h"

#include "user_space.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <map>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// The sizes of frames that a test run takes.
constexpr std::size_t frame_least = 14;
constexpr std::size_t frame_most = 3400;
constexpr std::uint32_t address = 0x0a000001; // of the corpus' name

struct Input {
    std::string name;
    Bytes bytes;
};

// Returns the inputs of all targets: an input for one target may be new for another.
const std::vector<Input> &corpus()
{
    static const std::vector<Input> inputs = [] {
        std::vector<Input> found;
        for (const auto &entry :
             std::filesystem::recursive_directory_iterator(DNSGAUGE_FUZZ_CORPUS)) {
            if (!entry.is_regular_file() || entry.file_size() > frame_most)
                continue;
            const std::string content = read_file(entry.path());
            found.push_back({entry.path(), Bytes(content.begin(), content.end())});
        }
        return found;
    }();
    return inputs;
}

struct Link {
    bool is_ipv6 = false;
    bool has_vlan = false;
};

constexpr std::array<Link, 4> links{{{false, false}, {false, true}, {true, false}, {true, true}}};

Bytes frame_of(const Link &link, const Udp &udp, const Bytes &message, bool is_reply)
{
    const Ipv4 there4{};
    const Ipv6 there6{};
    Layer ip = there4;
    if (link.is_ipv6)
        ip = is_reply ? Ipv6{.source = there6.target, .target = there6.source} : there6;
    else if (is_reply)
        ip = Ipv4{.source = there4.target, .target = there4.source};
    const Packet below = link.has_vlan ? Layer{Ethernet{}} / Vlan{} / ip : Layer{Ethernet{}} / ip;
    return below / udp / Payload{message};
}

// Returns each input as a frame, and as the message in frames of each kind, padded frames and
// frames with a wrong checksum among them.
std::vector<Bytes> frames(const Input &input, Udp udp, bool is_reply)
{
    std::vector<Bytes> made;
    for (const Link &link : links) {
        made.push_back(frame_of(link, udp, input.bytes, is_reply));
        made.push_back(made.back());
        made.back().resize(made.back().size() + 5, 0xee);
        udp.checksum = 0x1234;
        made.push_back(frame_of(link, udp, input.bytes, is_reply));
        udp.checksum.reset();
    }
    made.push_back(input.bytes);
    std::erase_if(made, [](const Bytes &frame) {
        return frame.size() < frame_least || frame.size() > frame_most;
    });
    return made;
}

// Checks that `kernel` did what `user` did.
bool agree(const Bytes &frame, const RunResult &kernel, const RunResult &user)
{
    if (kernel == user)
        return true;
    INFO("frame:\n" << hexdump(frame));
    CHECK(kernel.action == user.action);
    CHECK(hexdump(kernel.bytes) == hexdump(user.bytes));
    return false;
}

std::uint64_t now()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds{1});
}

// Puts a query that was sent just now into the slot of this identity.
void send(const ReplyClockProgram &program, const reply_clock_config &config,
          std::uint32_t identity, std::uint64_t expectation, std::uint32_t wants)
{
    program.slots()[identity % (1U << config.slot_bits)] = {
        .word = slot_word(QUERY_OUTSTANDING, identity >> config.slot_bits, 0),
        .sent_ns = now(),
        .expectation = expectation,
        .hardware_ns = 0,
        .wants = wants};
}

// Feeds the corpus to both clocks, each time as the reply to a query whose slot holds `expectation`
// and `wants`. Returns what both counted.
reply_totals judge_corpus(const ReplyClockProgram &kernel, const UserClock &user,
                          const reply_clock_config &config, std::uint64_t expectation,
                          std::uint32_t wants = 0)
{
    reply_totals expected{};
    const Udp udp{.source_port = config.server_port,
                  .target_port = static_cast<std::uint16_t>(config.first_port + 3)};
    for (const Input &input : corpus())
        for (const Bytes &frame : frames(input, udp, true)) {
            const ClockVerdict verdict = user.judge(frame);
            if (verdict.identity)
                send(kernel, config, *verdict.identity, expectation, wants);
            if (verdict.counter)
                expected.count[*verdict.counter]++;
            if (verdict.rcode)
                expected.rcodes[dns_rcode_count(*verdict.rcode)]++;
            if (verdict.action == XDP_PASS)
                expected.count[REPLY_PASSED]++;
            const RunResult got = kernel.run(frame);
            const reply_totals totals = kernel.totals();
            if (got.action == verdict.action && std::ranges::equal(totals.count, expected.count) &&
                std::ranges::equal(totals.rcodes, expected.rcodes))
                continue;
            CAPTURE(input.name, hexdump(frame));
            REQUIRE(got.action == verdict.action);
            REQUIRE(std::ranges::equal(totals.count, expected.count));
            REQUIRE(std::ranges::equal(totals.rcodes, expected.rcodes));
        }
    return expected;
}

} // namespace

TEST_CASE("FakeDNS makes of the corpus what it makes in user space")
{
    const bool has_many_zones = GENERATE(false, true);
    const fakedns_config config =
        has_many_zones ? fakedns_many_zones_config() : fakedns_test_config();
    const FakednsProgram kernel{config};
    UserFakedns user{config};
    int answered = 0;
    for (const Input &input : corpus())
        for (const Bytes &frame : frames(input, {}, false)) {
            CAPTURE(input.name, has_many_zones);
            const RunResult expected = user.run(frame);
            answered += expected.action == XDP_TX;
            REQUIRE(agree(frame, kernel.run(frame), expected));
        }
    CHECK(answered > 100);
    const fakedns_counters counters = kernel.counters();
    for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
        for (unsigned i = 0; i < FAKEDNS_COUNTERS; i++) {
            CAPTURE(type, i);
            CHECK(counters.value[type][i] == user.counters().value[type][i]);
        }
}

TEST_CASE("the echo makes of the corpus what it makes in user space")
{
    const EchoProgram kernel{53};
    std::map<std::uint32_t, std::uint64_t> actions;
    for (const Input &input : corpus())
        for (const Bytes &frame : frames(input, {}, false)) {
            CAPTURE(input.name);
            const RunResult expected = user_echo(frame, 53);
            actions[expected.action]++;
            REQUIRE(agree(frame, kernel.run(frame), expected));
        }
    CHECK(kernel.counters().value[ECHO_SENT] == actions[XDP_TX]);
    CHECK(kernel.counters().value[ECHO_IGNORED] == actions[XDP_DROP]);
    CHECK(actions[XDP_TX] > 100);
}

TEST_CASE("the clock judges the corpus as user space does")
{
    const bool is_ipv6 = GENERATE(false, true);
    const std::uint16_t type = GENERATE(as<std::uint16_t>{}, DNS_TYPE_A, DNS_TYPE_AAAA);
    reply_clock_config config = reply_clock_test_config(is_ipv6);
    config.rule.type = type;
    const ReplyClockProgram kernel{config};
    const UserClock user{config, address};
    const reply_totals expected = judge_corpus(kernel, user, config, address);
    for (const unsigned counter : {REPLY_RCODE, REPLY_WRONG_QUESTION, REPLY_MALFORMED,
                                   REPLY_UNEXPECTED, REPLY_BAD_CHECKSUM}) {
        CAPTURE(counter, is_ipv6, type);
        CHECK(expected.count[counter] > 0);
    }
    CHECK((type != DNS_TYPE_A || expected.count[REPLY_VALID] > 0));
}

TEST_CASE("the clock judges the corpus by the question as user space does")
{
    const bool is_ipv6 = GENERATE(false, true);
    reply_clock_config config = reply_clock_test_config(is_ipv6);
    config.questions.exact = GENERATE(__u64{0}, QUESTION_EXACT);
    Bytes message = DnsMessage{
        .questions = {{.name = dns_name("010-000-000-001.dns64perf.test"), .type = DNS_TYPE_AAAA}}};
    __u64 expectation = 0;
    REQUIRE(question_hash(cursor_of(message), &config.questions, &expectation));
    const std::uint32_t wants =
        GENERATE(WANTS_USEFUL, WANTS_ANY_RCODE, WANTS_ANY_RCODE | WANTS_AA,
                 WANTS_ANY_RCODE | WANTS_AD, WANTS_USEFUL | WANTS_COUNT | 1U << WANTS_COUNT_SHIFT,
                 WANTS_NAME | 1U << WANTS_COUNT_SHIFT, wants_data(0x123456));
    config.rule.accepts = (wants & WANTS_NAME) == WANTS_NAME ? 0 : ACCEPTS_CNAMES;
    config.reads_data = (wants & WANTS_DATA) != 0 ? 1 : 0;
    const ReplyClockProgram kernel{config, Expects::question};
    const UserClock user{config, expectation, Expects::question, wants};
    const reply_totals expected = judge_corpus(kernel, user, config, expectation, wants);
    for (const unsigned counter : {REPLY_TRUNCATED, REPLY_WRONG_QUESTION, REPLY_MALFORMED}) {
        CAPTURE(counter, is_ipv6, wants);
        CHECK(expected.count[counter] > 0);
    }
    CHECK((wants != WANTS_USEFUL || expected.count[REPLY_VALID] > 0));
    CHECK((wants != WANTS_USEFUL || expected.count[REPLY_RCODE] > 0));
    CHECK(((wants & WANTS_NAME) != WANTS_NAME || expected.count[REPLY_VALID] > 0));
    CHECK(((wants & WANTS_DATA) == 0 || expected.count[REPLY_WRONG_DATA] > 0));
    CHECK(((wants & WANTS_AD) == 0 || expected.count[REPLY_WRONG_FLAGS] > 0));
}
