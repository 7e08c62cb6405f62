// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests reply_clock in the kernel: fills slots as a sender does, hands the program replies, and
// checks the slot's word, the totals and the histogram.
#include "support/exact_buffer.h"
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include <catch2/catch.hpp>

#include <linux/bpf.h>

#include <chrono>
#include <map>
#include <random>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint64_t second = 1'000'000'000;
constexpr std::uint64_t beyond_timeout = 31 * second; // of reply_clock_test_config()
constexpr std::uint16_t noerror = 0x8500;             // QR, AA and the query's RD
constexpr std::uint16_t servfail = 0x8102;

// Returns the time of the program's clock, CLOCK_MONOTONIC.
std::uint64_t now()
{
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds{1});
}

__extension__ using wide = unsigned __int128;

// How often each counter was raised, modulo 2^64. Counters that were not raised are left out.
using Counted = std::map<unsigned, std::uint64_t>;

template <std::size_t N>
Counted difference(const __u64 (&before)[N], const __u64 (&after)[N])
{
    Counted counted;
    for (unsigned i = 0; i < N; i++)
        if (after[i] != before[i])
            counted[i] = after[i] - before[i];
    return counted;
}

struct Query {
    std::uint32_t identity = 0; // among its sender's, see reply_clock_abi.h
    std::uint32_t address = 0x0a000001;
    std::uint32_t sender = 0;
};

// The effects of a reply.
struct Outcome {
    std::uint32_t action = 0;
    Counted counted; // by enum reply_counter
    Counted rcodes;
};

// A loaded program, and its sender and server.
class Bench
{
public:
    explicit Bench(const reply_clock_config &config) : config_(config), program_(config) {}

    [[nodiscard]] const ReplyClockProgram &program() const { return program_; }
    [[nodiscard]] const reply_clock_config &config() const { return config_; }

    void forget_queries() const { std::ranges::fill(program_.slots(), query_slot{}); }

    // Fills the slot as if `query` had been sent `age` ago.
    void send(const Query &query, std::uint64_t age = 0) const
    {
        slot(query) = {.word = slot_word(QUERY_OUTSTANDING, tag(query), 0),
                       .sent_ns = now() - age,
                       .expectation = query.address,
                       .hardware_ns = 0,
                       .wants = 0};
    }

    [[nodiscard]] query_slot &slot(const Query &query) const
    {
        const std::uint32_t slots = 1U << config_.slot_bits;
        return program_.slots()[query.sender * slots + query.identity % slots];
    }

    [[nodiscard]] std::uint32_t tag(const Query &query) const
    {
        return query.identity >> config_.slot_bits;
    }

    [[nodiscard]] query_state state(const Query &query) const
    {
        return slot_state(slot(query).word);
    }

    [[nodiscard]] std::uint16_t id(const Query &query) const
    {
        return static_cast<std::uint16_t>(
            sent_identity(config_, query.identity, query.sender).high);
    }

    [[nodiscard]] std::uint16_t port(const Query &query) const
    {
        return static_cast<std::uint16_t>(config_.first_port + query.sender * config_.ports +
                                          sent_identity(config_, query.identity, query.sender).low);
    }

    // Returns the right answer.
    [[nodiscard]] DnsMessage answer(const Query &query) const
    {
        return {.id = id(query),
                .flags = noerror,
                .questions = {{.name = name(query.address), .type = config_.rule.type}},
                .answers = {record(query.address)}};
    }

    [[nodiscard]] DnsMessage refusal(const Query &query, std::uint16_t flags = servfail) const
    {
        DnsMessage message = answer(query);
        message.flags = flags;
        message.answers.clear();
        return message;
    }

    // Returns the answer to a question that was not asked, with the ID and port of a query.
    [[nodiscard]] DnsMessage misfit(Query query) const
    {
        query.address++;
        return answer(query);
    }

    [[nodiscard]] DnsRecord record(std::uint32_t address) const
    {
        Bytes data;
        if (config_.rule.type == DNS_TYPE_AAAA)
            data = from_hex("20010db8 00640000 00000000");
        for (int shift = 24; shift >= 0; shift -= 8)
            data.push_back(static_cast<std::uint8_t>(address >> shift & 0xff));
        return {.type = config_.rule.type, .data = data};
    }

    // Returns a frame from the server to the port of `query`.
    [[nodiscard]] Bytes frame(const Query &query, const Bytes &message, Udp udp = {}) const
    {
        udp.source_port = config_.server_port;
        udp.target_port = port(query);
        return frame(udp, message);
    }

    [[nodiscard]] Bytes frame(const Udp &udp, const Bytes &message) const
    {
        return Ethernet{} / ip() / udp / Payload{message};
    }

    [[nodiscard]] Layer ip() const
    {
        const Ipv4 there4{};
        const Ipv6 there6{};
        if (config_.is_ipv6 != 0)
            return Ipv6{.source = there6.target, .target = there6.source};
        return Ipv4{.source = there4.target, .target = there4.source};
    }

    Outcome receive(const Bytes &frame) const
    {
        const reply_totals before = program_.totals();
        const RunResult result = program_.run(frame);
        const reply_totals after = program_.totals();
        return {.action = result.action,
                .counted = difference(before.count, after.count),
                .rcodes = difference(before.rcodes, after.rcodes)};
    }

    Outcome receive(const Query &query, const Bytes &message) const
    {
        return receive(frame(query, message));
    }

private:
    static Bytes name(std::uint32_t address)
    {
        std::array<__u8, TEST_NAME_LABEL> label{};
        test_name_write(label.data(), address);
        return dns_name(std::string(label.begin(), label.end()) + ".dns64perf.test");
    }

    reply_clock_config config_;
    ReplyClockProgram program_;
};

// Returns the program without outstanding queries, loaded once for each family: the verifier takes
// a second for it.
const Bench &bench(bool is_ipv6)
{
    static const std::array<Bench, 2> benches{Bench{reply_clock_test_config(false)},
                                              Bench{reply_clock_test_config(true)}};
    benches[is_ipv6].forget_queries();
    return benches[is_ipv6];
}

const Bench &generate_bench()
{
    const bool is_ipv6 = GENERATE(false, true);
    UNSCOPED_INFO((is_ipv6 ? "over IPv6" : "over IPv4"));
    return bench(is_ipv6);
}

// Checks that the program takes the reply and raises `counter` alone, and counts the RCODE of a
// reply that decided its query.
void check_counted(const Outcome &outcome, unsigned counter, const Counted &rcodes = {})
{
    CHECK(outcome.action == XDP_DROP);
    CHECK(outcome.counted == Counted{{counter, 1}});
    CHECK(outcome.rcodes == rcodes);
}

// Checks that the program leaves the frame to the stack, and that no query changes.
void check_passed(const Bench &bench, const Bytes &frame, Counted counted = {})
{
    counted.emplace(REPLY_PASSED, 1);
    const std::vector<query_slot> before(bench.program().slots().begin(),
                                         bench.program().slots().end());
    const RunResult result = bench.program().run(frame);
    CHECK(hexdump(result.bytes) == hexdump(frame));
    const Outcome outcome = bench.receive(frame);
    CHECK(outcome.action == XDP_PASS);
    CHECK(outcome.counted == counted);
    CHECK(outcome.rcodes.empty());
    CHECK(std::ranges::equal(before, bench.program().slots(), {}, &query_slot::word,
                             &query_slot::word));
}

struct Case {
    const char *what;
    DnsMessage reply;
    query_state state;
    unsigned counter;
    Counted rcodes;
};

std::vector<Case> cases_that_answer(const Bench &bench, const Query &query)
{
    DnsMessage wrong_data = bench.answer(query);
    wrong_data.answers = {bench.record(query.address + 1)};
    DnsMessage second_right = wrong_data;
    second_right.answers.push_back(bench.record(query.address));
    DnsMessage other_type = bench.answer(query);
    other_type.answers[0].type = 16;
    DnsMessage truncated = bench.answer(query);
    truncated.flags |= 0x0200;
    DnsMessage badvers = bench.refusal(query, noerror);
    badvers.additionals = {dns_opt(1U << 24U)};
    DnsMessage private_rcode = bench.refusal(query, noerror | 1);
    private_rcode.additionals = {dns_opt(0xf0U << 24U)};
    DnsMessage bare = bench.refusal(query, 0x8105);
    bare.questions.clear();
    DnsMessage bare_badcookie = bare;
    bare_badcookie.flags = 0x8107;
    bare_badcookie.additionals = badvers.additionals;
    return {
        {"right", bench.answer(query), QUERY_VALID, REPLY_VALID, {{0, 1}}},
        {"right in its second record",
         second_right,
         QUERY_EXTRA_RECORDS,
         REPLY_EXTRA_RECORDS,
         {{0, 1}}},
        {"SERVFAIL", bench.refusal(query, 0x8102), QUERY_RCODE, REPLY_RCODE, {{2, 1}}},
        {"NXDOMAIN", bench.refusal(query, 0x8503), QUERY_RCODE, REPLY_RCODE, {{3, 1}}},
        {"RCODE 15", bench.refusal(query, 0x810f), QUERY_RCODE, REPLY_RCODE, {{15, 1}}},
        {"BADVERS", badvers, QUERY_RCODE, REPLY_RCODE, {{16, 1}}},
        {"RCODE 3841", private_rcode, QUERY_RCODE, REPLY_RCODE, {{31, 1}}},
        {"REFUSED without a question", bare, QUERY_RCODE, REPLY_RCODE, {{5, 1}}},
        {"BADCOOKIE without a question", bare_badcookie, QUERY_RCODE, REPLY_RCODE, {{23, 1}}},
        {"truncated", truncated, QUERY_TRUNCATED, REPLY_TRUNCATED, {{0, 1}}},
        {"NODATA", bench.refusal(query, noerror), QUERY_NO_ANSWER, REPLY_NO_ANSWER, {{0, 1}}},
        {"no record of the type", other_type, QUERY_NO_ANSWER, REPLY_NO_ANSWER, {{0, 1}}},
        {"wrong data", wrong_data, QUERY_WRONG_DATA, REPLY_WRONG_DATA, {{0, 1}}},
    };
}

std::vector<Case> cases_that_do_not(const Bench &bench, const Query &query)
{
    DnsMessage not_a_reply = bench.answer(query);
    not_a_reply.flags = 0x0100;
    DnsMessage record_cut = bench.answer(query);
    record_cut.answers[0].data.pop_back();
    return {
        {"another name", bench.misfit(query), QUERY_WRONG_QUESTION, REPLY_WRONG_QUESTION, {}},
        {"a query", not_a_reply, QUERY_MALFORMED, REPLY_MALFORMED, {}},
        {"a record cut off", record_cut, QUERY_MALFORMED, REPLY_MALFORMED, {}},
    };
}

std::vector<Case> all_cases(const Bench &bench, const Query &query)
{
    std::vector<Case> cases = cases_that_answer(bench, query);
    std::ranges::move(cases_that_do_not(bench, query), std::back_inserter(cases));
    return cases;
}

} // namespace

TEST_CASE("a reply in time settles its query as what it is, and keeps its tag and RTT")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 5 * 1024 + 37};
    for (const Case &c : all_cases(bench, query)) {
        INFO(c.what);
        bench.send(query);
        const std::uint64_t sent = bench.slot(query).sent_ns;
        const std::uint64_t before = now();
        const Outcome outcome = bench.receive(query, c.reply);
        const std::uint64_t after = now();

        check_counted(outcome, c.counter, c.rcodes);
        const std::uint64_t word = bench.slot(query).word;
        CHECK(slot_state(word) == c.state);
        CHECK(slot_tag(word) == 5);
        if (!c.rcodes.empty())
            CHECK(slot_rcode(word) == c.rcodes.begin()->first);
        CHECK(slot_rtt(word) >= before - sent);
        CHECK(slot_rtt(word) <= after - sent);
    }
}

TEST_CASE("only the query's own slot is touched")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 500};
    for (const std::uint32_t near : {499U, 501U, 508U, 492U})
        bench.send({.identity = near});
    bench.send(query);
    const std::vector<query_slot> before(bench.program().slots().begin(),
                                         bench.program().slots().end());
    check_counted(bench.receive(query, bench.answer(query)), REPLY_VALID, {{0, 1}});
    for (std::size_t i = 0; i < before.size(); i++) {
        CAPTURE(i);
        CHECK((bench.program().slots()[i].word == before[i].word) == (i != 500));
    }
}

TEST_CASE("once its query is settled a reply is a duplicate if it answers, else unexpected")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 3};
    for (const Case &settling : cases_that_answer(bench, query)) {
        bench.send(query);
        check_counted(bench.receive(query, settling.reply), settling.counter, settling.rcodes);
        const std::uint64_t word = bench.slot(query).word;
        for (const Case &c : all_cases(bench, query)) {
            INFO(settling.what << ", then " << c.what);
            const bool answers = c.state >= QUERY_VALID;
            check_counted(bench.receive(query, c.reply),
                          answers ? REPLY_DUPLICATE : REPLY_UNEXPECTED);
            CHECK(bench.slot(query).word == word);
        }
    }
}

TEST_CASE("a reply to no outstanding query is unexpected")
{
    const Bench &bench = generate_bench();
    const Query guest{.identity = 7};
    const Query next{.identity = 7 + 1024};

    SECTION("the slot was never used")
    {
        check_counted(bench.receive(guest, bench.answer(guest)), REPLY_UNEXPECTED);
        CHECK(bench.slot(guest).word == 0);
    }
    SECTION("the slot has a later guest")
    {
        bench.send(next);
        const std::uint64_t word = bench.slot(next).word;
        check_counted(bench.receive(guest, bench.answer(guest)), REPLY_UNEXPECTED);
        CHECK(bench.slot(next).word == word);
        check_counted(bench.receive(next, bench.answer(next)), REPLY_VALID, {{0, 1}});
    }
    SECTION("the slot's earlier guest is settled")
    {
        bench.send(guest);
        check_counted(bench.receive(guest, bench.answer(guest)), REPLY_VALID, {{0, 1}});
        check_counted(bench.receive(next, bench.answer(next)), REPLY_UNEXPECTED);
    }
    SECTION("it is what the next query would be, were identities in order")
    {
        bench.send(guest);
        bench.send({.identity = 8, .address = Query{}.address + 1});
        DnsMessage reply = bench.answer({.identity = 7, .address = Query{}.address + 1});
        for (int ahead = -3; ahead <= 3; ahead++) {
            reply.id = static_cast<std::uint16_t>(bench.id(guest) + ahead);
            if (ahead != 0)
                check_counted(bench.receive(guest, reply), REPLY_UNEXPECTED);
        }
        CHECK(bench.state(guest) == QUERY_OUTSTANDING);
        CHECK(bench.state({.identity = 8}) == QUERY_OUTSTANDING);
    }
    SECTION("it came before its query was sent")
    {
        for (const std::uint64_t ahead : {1'000'000'000ULL, 60'000'000'000ULL}) {
            bench.send(guest, -ahead);
            check_counted(bench.receive(guest, bench.answer(guest)), REPLY_UNEXPECTED);
            CHECK(bench.state(guest) == QUERY_OUTSTANDING);
        }
    }
    SECTION("its ID belongs to another port")
    {
        bench.send(guest);
        check_counted(bench.receive({.identity = 6}, bench.answer(guest)), REPLY_UNEXPECTED);
        CHECK(bench.state(guest) == QUERY_OUTSTANDING);
    }
    SECTION("it is too short for an ID")
    {
        bench.send(guest);
        check_counted(bench.receive(guest, Bytes{}), REPLY_UNEXPECTED);
        check_counted(bench.receive(guest, Bytes{0}), REPLY_UNEXPECTED);
        CHECK(bench.state(guest) == QUERY_OUTSTANDING);
    }
}

TEST_CASE("every identity finds its slot, the first and the last too")
{
    const Bench &bench = generate_bench();
    const auto identity =
        GENERATE(as<std::uint32_t>{}, 0, 7, 8, 1023, 1024, 65535, 65536, 8 * 65536 - 1);
    CAPTURE(identity);
    const Query query{.identity = identity};
    bench.send(query);
    check_counted(bench.receive(query, bench.answer(query)), REPLY_VALID, {{0, 1}});
    CHECK(slot_tag(bench.slot(query).word) == identity / 1024);
}

TEST_CASE("a reply cut anywhere is malformed or to another question, never right")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 9};
    const Bytes whole = bench.answer(query);
    for (std::size_t size = 2; size < whole.size(); size++) {
        CAPTURE(size);
        bench.send(query);
        const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
        Outcome outcome = bench.receive(query, cut);
        CHECK(outcome.counted.size() == 1);
        CHECK(outcome.counted[REPLY_MALFORMED] + outcome.counted[REPLY_WRONG_QUESTION] == 1);
        CHECK(outcome.rcodes.empty());
    }
}

TEST_CASE("the right answer after a misfit makes the query valid and the misfit unexpected")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 11};
    const Case misfit = cases_that_do_not(bench, query).at(GENERATE(0U, 1U, 2U));
    CAPTURE(misfit.what);
    const auto misanswer = [&] {
        bench.send(query);
        check_counted(bench.receive(query, misfit.reply), misfit.counter);
    };

    SECTION("whatever answers, settles")
    {
        for (const Case &c : cases_that_answer(bench, query)) {
            INFO(c.what);
            misanswer();
            const Outcome outcome = bench.receive(query, c.reply);
            CHECK(outcome.action == XDP_DROP);
            CHECK(outcome.counted == Counted{{misfit.counter, std::uint64_t(-1)},
                                             {REPLY_UNEXPECTED, 1},
                                             {c.counter, 1}});
            CHECK(outcome.rcodes == c.rcodes);
            CHECK(bench.state(query) == c.state);
        }
    }
    SECTION("a second misfit changes nothing")
    {
        misanswer();
        for (const Case &c : cases_that_do_not(bench, query)) {
            INFO(c.what);
            check_counted(bench.receive(query, c.reply), REPLY_UNEXPECTED);
            CHECK(bench.state(query) == misfit.state);
        }
    }
    SECTION("a late answer changes nothing")
    {
        misanswer();
        bench.slot(query).sent_ns -= beyond_timeout;
        check_counted(bench.receive(query, bench.answer(query)), REPLY_UNEXPECTED);
        CHECK(bench.state(query) == misfit.state);
    }
}

TEST_CASE("after the timeout a right reply is late and any other unexpected")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 13};
    for (const Case &c : all_cases(bench, query)) {
        INFO(c.what);
        bench.send(query, beyond_timeout);
        const Outcome outcome = bench.receive(query, c.reply);
        if (c.state == QUERY_VALID) {
            check_counted(outcome, REPLY_LATE, {{0, 1}});
            CHECK(bench.state(query) == QUERY_LATE);
            CHECK(slot_rtt(bench.slot(query).word) >= beyond_timeout);
            check_counted(bench.receive(query, c.reply), REPLY_DUPLICATE);
        } else {
            check_counted(outcome, REPLY_UNEXPECTED);
            CHECK(bench.state(query) == QUERY_OUTSTANDING);
            check_counted(bench.receive(query, bench.answer(query)), REPLY_LATE, {{0, 1}});
        }
    }
}

TEST_CASE("after twice the timeout a right reply is unexpected, too")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 15};
    const std::uint64_t twice = 2 * reply_clock_test_config(false).timeout_ns;
    bench.send(query, twice + second);
    check_counted(bench.receive(query, bench.answer(query)), REPLY_UNEXPECTED);
    CHECK(bench.state(query) == QUERY_OUTSTANDING);
    bench.send(query, twice - second);
    check_counted(bench.receive(query, bench.answer(query)), REPLY_LATE, {{0, 1}});
}

TEST_CASE("a late reply is no RTT")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 17};
    const reply_totals before = bench.program().totals();
    const auto rtts_before = bench.program().rtts();
    bench.send(query, beyond_timeout);
    check_counted(bench.receive(query, bench.answer(query)), REPLY_LATE, {{0, 1}});
    CHECK(bench.program().totals().rtt_sum == before.rtt_sum);
    CHECK(difference(rtts_before->count, bench.program().rtts()->count).empty());
}

TEST_CASE("an RTT that equals the timeout is in time, one that is 1 ns longer is not")
{
    // The program cuts RTTs to the longest that a slot holds, so that the test knows this RTT
    // exactly.
    const std::uint64_t short_of = GENERATE(0U, 1U);
    reply_clock_config config = reply_clock_test_config(false);
    config.timeout_ns = SLOT_RTT_MAX - short_of;
    const Bench bench{config};
    const Query query{};
    bench.send(query, SLOT_RTT_MAX + second);
    check_counted(bench.receive(query, bench.answer(query)),
                  short_of == 0 ? REPLY_VALID : REPLY_LATE, {{0, 1}});
    CHECK(slot_rtt(bench.slot(query).word) == SLOT_RTT_MAX);
}

TEST_CASE("sum, squares, extremes and histogram fit the valid replies' RTTs")
{
    reply_clock_config config = reply_clock_test_config(false);
    config.timeout_ns = SLOT_RTT_MAX;
    const Bench bench{config};
    // Neither extreme comes first or last. The sum of the squares of the two longest RTTs, in units
    // of 16 ns, needs more than 64 bits.
    const std::vector<std::uint64_t> ages{20 * second, 2 * SLOT_RTT_MAX, 1000,
                                          68 * second, 2 * SLOT_RTT_MAX, 0,
                                          123'456'789, 30 * second,      second};
    reply_totals expected{};
    auto histogram = std::make_unique<rtt_histogram>();
    wide square_sum = 0;
    expected.rtt_min = SLOT_RTT_MAX;
    for (std::uint32_t i = 0; i < ages.size(); i++) {
        const Query query{.identity = i};
        bench.send(query, ages[i]);
        check_counted(bench.receive(query, bench.answer(query)), REPLY_VALID, {{0, 1}});
        const std::uint64_t rtt = slot_rtt(bench.slot(query).word);
        expected.rtt_sum += rtt;
        square_sum +=
            static_cast<wide>(rtt >> REPLY_RTT_SQUARE_SHIFT) * (rtt >> REPLY_RTT_SQUARE_SHIFT);
        expected.rtt_min = std::min<__u64>(expected.rtt_min, rtt);
        expected.rtt_max = std::max<__u64>(expected.rtt_max, rtt);
        histogram->count[log_histogram_bucket(rtt)]++;
    }
    // Wrong and late replies add nothing to the sums.
    const Query wrong{.identity = 100};
    bench.send(wrong, second);
    check_counted(bench.receive(wrong, bench.refusal(wrong)), REPLY_RCODE, {{2, 1}});

    const reply_totals totals = bench.program().totals();
    CHECK(totals.rtt_sum == expected.rtt_sum);
    CHECK(totals.rtt_min == expected.rtt_min);
    CHECK(totals.rtt_max == expected.rtt_max);
    CHECK(totals.rtt_square_high > 0);
    CHECK(totals.rtt_square_low == static_cast<std::uint64_t>(square_sum));
    CHECK(totals.rtt_square_high == static_cast<std::uint64_t>(square_sum >> 64));
    CHECK(difference(rtt_histogram{}.count, bench.program().rtts()->count) ==
          difference(rtt_histogram{}.count, histogram->count));
}

TEST_CASE("each sender's ports lead to its own slots")
{
    reply_clock_config config = reply_clock_test_config(false);
    config.senders = 3;
    config.ports = 7; // no power of two
    const Bench bench{config};
    const auto sender = GENERATE(0U, 1U, 2U);
    const auto identity = GENERATE(0U, 6U, 7U, 1023U, 1030U);
    CAPTURE(sender, identity);
    // Every sender uses the same identity, for a name of its own.
    const auto query_of = [&](std::uint32_t s) {
        return Query{.identity = identity, .address = 0x0a000001 + s, .sender = s};
    };
    for (std::uint32_t s = 0; s < 3; s++)
        bench.send(query_of(s));
    check_counted(bench.receive(query_of(sender), bench.answer(query_of(sender))), REPLY_VALID,
                  {{0, 1}});
    for (std::uint32_t s = 0; s < 3; s++) {
        CAPTURE(s);
        CHECK(bench.state(query_of(s)) == (s == sender ? QUERY_VALID : QUERY_OUTSTANDING));
    }
    check_passed(bench, bench.frame(Udp{.source_port = 53, .target_port = 10000 + 21},
                                    bench.answer(query_of(sender))));
}

TEST_CASE("the rule decides: type A, any data, or a prefix that depends on the name")
{
    reply_clock_config config = reply_clock_test_config(false);
    const Query query{};

    SECTION("names with AAAA records of their own")
    {
        config.rule.aaaa_prefix = config.rule.prefix;
        config.rule.prefix = parse_pref64("2001:db8:65::/96");
        config.rule.aaaa_share = 50;
        const Bench bench{config};
        for (std::uint32_t i = 0; i < 100; i++) {
            const Query named{.identity = i, .address = 0x0a000000 + i};
            const bool has_own = test_name_has_aaaa(named.address, 50) != 0;
            DnsMessage reply = bench.answer(named);
            CAPTURE(i);
            bench.send(named);
            check_counted(bench.receive(named, reply), has_own ? REPLY_VALID : REPLY_WRONG_DATA,
                          {{0, 1}});
            reply.answers.at(0).data.at(5) = 0x65;
            bench.send(named);
            check_counted(bench.receive(named, reply), has_own ? REPLY_WRONG_DATA : REPLY_VALID,
                          {{0, 1}});
        }
    }
    SECTION("A")
    {
        config.rule.type = DNS_TYPE_A;
        const Bench bench{config};
        for (const Case &c : all_cases(bench, query)) {
            INFO(c.what);
            bench.send(query);
            check_counted(bench.receive(query, c.reply), c.counter, c.rcodes);
        }
    }
    SECTION("any data")
    {
        config.rule.any_data = 1;
        const Bench bench{config};
        DnsMessage other_data = bench.answer(query);
        other_data.answers = {bench.record(0x01020304)};
        bench.send(query);
        check_counted(bench.receive(query, other_data), REPLY_VALID, {{0, 1}});
        bench.send(query);
        check_counted(bench.receive(query, bench.refusal(query, noerror)), REPLY_NO_ANSWER,
                      {{0, 1}});
    }
}

TEST_CASE("a checksum that is wrong drops the reply, one that is missing or partial does not")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 19};
    const bool is_ipv6 = bench.config().is_ipv6 != 0;
    const Bytes message = bench.answer(query);
    bench.send(query);

    SECTION("wrong by one bit, anywhere in the datagram")
    {
        const Bytes frame = bench.frame(query, message);
        for (std::size_t at = frame.size() - message.size(); at < frame.size(); at++) {
            CAPTURE(at);
            Bytes broken = frame;
            broken[at] ^= 0x10;
            check_counted(bench.receive(broken), REPLY_BAD_CHECKSUM);
            CHECK(bench.state(query) == QUERY_OUTSTANDING);
        }
    }
    SECTION("none at all is allowed over IPv4 alone")
    {
        const Outcome outcome = bench.receive(bench.frame(query, message, {.checksum = 0}));
        if (is_ipv6)
            check_counted(outcome, REPLY_BAD_CHECKSUM);
        else
            check_counted(outcome, REPLY_VALID, {{0, 1}});
    }
    SECTION("the pseudo header's alone is what a packet has that was on no wire")
    {
        const std::span<const std::uint8_t> source(is_ipv6 ? server_ipv6 : server_ipv4);
        const std::span<const std::uint8_t> target(is_ipv6 ? tester_ipv6 : tester_ipv4);
        const std::size_t octets = is_ipv6 ? 16 : 4;
        const std::uint16_t partial = static_cast<std::uint16_t>(
            ~reference_checksum({}, reference_pseudo_sum(source.first(octets), target.first(octets),
                                                         message.size() + 8)));
        check_counted(bench.receive(bench.frame(query, message, {.checksum = partial})),
                      REPLY_VALID, {{0, 1}});
    }
}

TEST_CASE("padding after the datagram is no part of the reply")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 23};
    const auto padding = GENERATE(1U, 2U, 46U, 1000U);
    CAPTURE(padding);

    SECTION("it does no harm")
    {
        Bytes frame = bench.frame(query, bench.answer(query));
        frame.resize(frame.size() + padding, 0xee);
        bench.send(query);
        check_counted(bench.receive(frame), REPLY_VALID, {{0, 1}});
    }
    SECTION("it does not complete a record that was cut off")
    {
        const Bytes whole = bench.answer(query);
        const Bytes cut(whole.begin(), whole.end() - 1);
        Bytes frame = bench.frame(query, cut);
        frame.push_back(whole.back());
        frame.resize(frame.size() + padding);
        bench.send(query);
        check_counted(bench.receive(frame), REPLY_MALFORMED);
    }
}

TEST_CASE("a reply with a VLAN tag is taken")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 29};
    bench.send(query);
    const Udp udp{.source_port = 53, .target_port = bench.port(query)};
    const Bytes frame = Ethernet{} / Vlan{} / bench.ip() / udp / Payload{bench.answer(query)};
    check_counted(bench.receive(frame), REPLY_VALID, {{0, 1}});
}

TEST_CASE("what comes to our ports, but not from the server, passes and is counted")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 31};
    bench.send(query);
    const Counted wrong_source{{REPLY_WRONG_SOURCE, 1}};
    const Payload answer{bench.answer(query)};
    const Udp udp{.source_port = 53, .target_port = bench.port(query)};

    check_passed(bench,
                 Ethernet{} / bench.ip() / Udp{.source_port = 54, .target_port = udp.target_port} /
                     answer,
                 wrong_source);
    // Each octet of the address counts.
    for (std::size_t i = 0; i < (bench.config().is_ipv6 != 0 ? 16U : 4U); i++) {
        CAPTURE(i);
        Layer other = bench.ip();
        if (auto *ipv4 = std::get_if<Ipv4>(&other))
            ipv4->source[i] ^= 1;
        else
            std::get<Ipv6>(other).source[i] ^= 1;
        check_passed(bench, Ethernet{} / other / udp / answer, wrong_source);
    }
}

TEST_CASE("what is not to our address and ports passes and is not counted")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 31};
    bench.send(query);
    const Bytes answer = bench.answer(query);
    const Udp udp{.source_port = 53, .target_port = bench.port(query)};

    for (const std::uint16_t port : std::array<std::uint16_t, 5>{0, 53, 9999, 10008, 65535}) {
        CAPTURE(port);
        check_passed(bench, bench.frame({.source_port = 53, .target_port = port}, answer));
    }
    for (std::size_t i = 0; i < (bench.config().is_ipv6 != 0 ? 16U : 4U); i++) {
        CAPTURE(i);
        Layer other = bench.ip();
        if (auto *ipv4 = std::get_if<Ipv4>(&other))
            ipv4->target[i] ^= 1;
        else
            std::get<Ipv6>(other).target[i] ^= 1;
        check_passed(bench, Ethernet{} / other / udp / Payload{answer});
    }
    const Layer other_family = bench.config().is_ipv6 != 0 ? Layer{Ipv4{}} : Layer{Ipv6{}};
    check_passed(bench, Ethernet{} / other_family / udp / Payload{answer});
    check_passed(bench, Ethernet{.type = 0x0806} / Payload{Bytes(28)});
}

TEST_CASE("fragments pass and are counted")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 37};
    bench.send(query);
    const Udp udp{.source_port = 53, .target_port = bench.port(query)};
    Layer ip = bench.ip();
    if (auto *ipv4 = std::get_if<Ipv4>(&ip))
        ipv4->fragment = 0x2000;
    else
        std::get<Ipv6>(ip).next_header = 44;
    check_passed(bench, Ethernet{} / ip / udp / Payload{bench.answer(query)},
                 {{REPLY_FRAGMENT, 1}});
}

TEST_CASE("a frame cut anywhere leaves its query outstanding")
{
    const Bench &bench = generate_bench();
    const Query query{.identity = 41};
    bench.send(query);
    const Bytes frame = bench.frame(query, bench.answer(query));
    for (std::size_t size = 14; size < frame.size(); size++) {
        CAPTURE(size);
        const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK(bench.receive(cut).action == XDP_PASS);
        CHECK(bench.state(query) == QUERY_OUTSTANDING);
    }
}

TEST_CASE("whatever comes in whatever order, the counters say what the slots say")
{
    const bool is_ipv6 = GENERATE(false, true);
    const Bench bench{reply_clock_test_config(is_ipv6)};
    constexpr std::uint32_t queries = 1000;
    std::mt19937 random{20240502};
    const auto below = [&](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>{0, limit - 1}(random);
    };
    for (std::uint32_t i = 0; i < queries; i++)
        bench.send({.identity = i, .address = i}, below(3) == 0 ? beyond_timeout : 0);

    std::uint64_t replies = 0;
    for (; replies < 4 * queries; replies++) {
        const std::uint32_t i = below(queries);
        const Query query{.identity = i, .address = i};
        const std::vector<Case> cases = all_cases(bench, query);
        const Case &c = cases[below(static_cast<std::uint32_t>(cases.size()))];
        REQUIRE(bench.program().run(bench.frame(query, c.reply)).action == XDP_DROP);
    }

    std::array<std::uint64_t, QUERY_STATES> in_state{};
    for (const query_slot &slot : bench.program().slots())
        in_state[slot_state(slot.word)]++;
    const reply_totals totals = bench.program().totals();
    static constexpr std::array<std::pair<query_state, reply_counter>, 8> classes{{
        {QUERY_VALID, REPLY_VALID},
        {QUERY_LATE, REPLY_LATE},
        {QUERY_RCODE, REPLY_RCODE},
        {QUERY_TRUNCATED, REPLY_TRUNCATED},
        {QUERY_NO_ANSWER, REPLY_NO_ANSWER},
        {QUERY_WRONG_DATA, REPLY_WRONG_DATA},
        {QUERY_WRONG_QUESTION, REPLY_WRONG_QUESTION},
        {QUERY_MALFORMED, REPLY_MALFORMED},
    }};
    for (const auto &[state, counter] : classes) {
        CAPTURE(state, counter);
        CHECK(in_state[state] > 0);
        CHECK(totals.count[counter] == in_state[state]);
    }
    // Every reply is counted once.
    std::uint64_t counted = 0;
    for (const std::uint64_t count : totals.count)
        counted += count;
    CHECK(counted == replies);
}

namespace
{

// Clients lie in a prefix: the Tester's address but for the bits that follow it.
reply_clock_config clients_config(bool is_ipv6)
{
    reply_clock_config config = reply_clock_test_config(is_ipv6);
    config.has_clients = 1;
    const std::size_t fixed = is_ipv6 ? 8 : 2;
    const std::size_t size = is_ipv6 ? 16 : 4;
    for (std::size_t i = fixed; i < size; i++) {
        config.tester_address[i] = 0;
        config.client_bits[i] = 0xff;
    }
    return config;
}

// Receives the right reply to the client of `client`'s query at the address `target`. Returns the
// XDP action, and the state of the query then.
// Where `port` is above 0, clients keep their ports: the query left from `port`, and the reply
// comes to `target_port`.
std::pair<std::uint32_t, query_state> reply_to(bool is_ipv6, const Bytes &client,
                                               const Bytes &target, std::uint16_t port = 0,
                                               std::uint16_t target_port = 0)
{
    reply_clock_config config = clients_config(is_ipv6);
    config.id_bits = port != 0 ? 15 : 0;
    const ReplyClockProgram program(config, Expects::question);
    const auto [first_low, first_high] = sent_identity(config, 0);
    const DnsMessage message{.id = port != 0 ? first_id(config, port)
                                             : static_cast<std::uint16_t>(first_high),
                             .flags = 0x8180,
                             .questions = {{.name = dns_name("www.example.org")}}};
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(message.bytes()).cursor(), &config.questions, &hash) != 0);
    query_slot &slot = program.slots()[0];
    slot.sent_ns =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    slot.expectation =
        hash + question_client(client.data(), is_ipv6 ? 1 : 0, port, &config.questions);
    slot.wants = WANTS_USEFUL;
    slot.word = slot_word(QUERY_OUTSTANDING, 0, 0);

    const Udp udp{.source_port = 53,
                  .target_port = port != 0
                                     ? target_port
                                     : static_cast<std::uint16_t>(config.first_port + first_low)};
    Ipv4 there4{.source = Ipv4{}.target};
    Ipv6 there6{.source = Ipv6{}.target};
    if (is_ipv6)
        std::ranges::copy(target, there6.target.begin());
    else
        std::ranges::copy(target, there4.target.begin());
    const Bytes frame = is_ipv6 ? Bytes(Ethernet{} / there6 / udp / Payload{message})
                                : Bytes(Ethernet{} / there4 / udp / Payload{message});
    const RunResult result = program.run(frame);
    return {result.action, slot_state(slot.word)};
}

} // namespace

TEST_CASE("a reply counts only where its query's client gets it")
{
    const std::pair<std::uint32_t, query_state> valid{XDP_DROP, QUERY_VALID};
    const std::pair<std::uint32_t, query_state> misfit{XDP_DROP, QUERY_WRONG_QUESTION};
    const std::pair<std::uint32_t, query_state> passed{XDP_PASS, QUERY_OUTSTANDING};
    const Bytes client4{192, 0, 7, 9};
    CHECK(reply_to(false, client4, client4) == valid);
    CHECK(reply_to(false, client4, {192, 0, 7, 8}) == misfit);
    CHECK(reply_to(false, client4, {192, 0, 2, 1}) == misfit);
    CHECK(reply_to(false, client4, {192, 1, 7, 9}) == passed);
    const Bytes client6 = from_hex("20010db8 00000000 00000001 00000203");
    CHECK(reply_to(true, client6, client6) == valid);
    CHECK(reply_to(true, client6, from_hex("20010db8 00000000 00000001 00000202")) == misfit);
    CHECK(reply_to(true, client6, from_hex("20010db8 00000000 00000002 00000203")) == misfit);
    CHECK(reply_to(true, client6, from_hex("20010db8 00000001 00000001 00000203")) == passed);
}

TEST_CASE("where clients keep their ports, a reply counts only at its query's port")
{
    const std::pair<std::uint32_t, query_state> valid{XDP_DROP, QUERY_VALID};
    const std::pair<std::uint32_t, query_state> misfit{XDP_DROP, QUERY_WRONG_QUESTION};
    const std::pair<std::uint32_t, query_state> unexpected{XDP_DROP, QUERY_OUTSTANDING};
    const Bytes client4{192, 0, 7, 9};
    const Bytes client6 = from_hex("20010db8 00000000 00000001 00000203");
    for (const std::uint16_t port : {std::uint16_t{1}, std::uint16_t{53}, std::uint16_t{65535}}) {
        CHECK(reply_to(false, client4, client4, port, port) == valid);
        CHECK(reply_to(true, client6, client6, port, port) == valid);
        // The ID of this query is another query's at any other port.
        CHECK(reply_to(false, client4, client4, port, port ^ 2) == unexpected);
        CHECK(reply_to(true, client6, client6, port, port ^ 2) == unexpected);
    }
    CHECK(reply_to(false, client4, {192, 0, 7, 8}, 53, 53) == misfit);
}

namespace
{

// Returns the state of a query for `asked` after a reply whose question has the name `repeated`.
query_state state_after_name(std::string_view asked, std::string_view repeated, bool is_exact)
{
    reply_clock_config config = reply_clock_test_config(false);
    config.questions.exact = is_exact ? QUESTION_EXACT : 0;
    const ReplyClockProgram program(config, Expects::question);
    const auto [first_low, first_high] = sent_identity(config, 0);
    DnsMessage message{.id = static_cast<std::uint16_t>(first_high),
                       .flags = 0x8180,
                       .questions = {{.name = dns_name(asked)}}};
    query_slot &slot = program.slots()[0];
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(message.bytes()).cursor(), &config.questions, &hash) != 0);
    slot.sent_ns =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    slot.expectation = hash;
    slot.wants = WANTS_USEFUL;
    slot.word = slot_word(QUERY_OUTSTANDING, 0, 0);
    message.questions[0].name = dns_name(repeated);
    const Bytes frame =
        Ethernet{} / Ipv4{.source = Ipv4{}.target, .target = Ipv4{}.source} /
        Udp{.source_port = 53,
            .target_port = static_cast<std::uint16_t>(config.first_port + first_low)} /
        Payload{message};
    CHECK(program.run(frame).action == XDP_DROP);
    return slot_state(slot.word);
}

} // namespace

TEST_CASE("where letters count, a reply with another case is to a wrong question")
{
    // A letter in a whole word of the hash, and one in its rest.
    for (const char *other : {"wWw.eXample.org", "wwW.eXamplE.org", "www.example.oRg"}) {
        CAPTURE(other);
        CHECK(state_after_name("wwW.eXample.org", other, false) == QUERY_VALID);
        CHECK(state_after_name("wwW.eXample.org", other, true) == QUERY_WRONG_QUESTION);
    }
    CHECK(state_after_name("wwW.eXample.org", "wwW.eXample.org", true) == QUERY_VALID);
}

namespace
{

// Returns the state of a query for which `wanted` are the right data, after the reply with
// `answers`.
query_state state_with_data(const std::vector<DnsRecord> &answers, const std::vector<Bytes> &wanted,
                            std::uint16_t type = DNS_TYPE_A)
{
    reply_clock_config config = reply_clock_test_config(false);
    config.reads_data = 1;
    config.rule.accepts = ACCEPTS_CNAMES;
    static const ReplyClockProgram program(config, Expects::question);
    const auto [first_low, first_high] = sent_identity(config, 0);
    const DnsMessage message{.id = static_cast<std::uint16_t>(first_high),
                             .flags = 0x8180,
                             .questions = {{.name = dns_name("www.example.org"), .type = type}},
                             .answers = answers,
                             .additionals = {dns_opt()}};
    __u64 hash = 0;
    REQUIRE(question_hash(ExactBuffer(message.bytes()).cursor(), &config.questions, &hash) != 0);
    std::uint64_t sum = 0;
    for (const Bytes &data : wanted) {
        Bytes octets(8);
        octets.insert(octets.end(), data.begin(), data.end());
        sum += question_data(octets.data() + 8, static_cast<__u32>(data.size()),
                             octets.data() + octets.size(), &config.questions);
    }
    query_slot &slot = program.slots()[0];
    slot.sent_ns =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    slot.expectation = hash;
    slot.wants = wants_data(sum);
    slot.word = slot_word(QUERY_OUTSTANDING, 0, 0);
    const Bytes frame =
        Ethernet{} / Ipv4{.source = Ipv4{}.target, .target = Ipv4{}.source} /
        Udp{.source_port = 53,
            .target_port = static_cast<std::uint16_t>(config.first_port + first_low)} /
        Payload{message};
    CHECK(program.run(frame).action == XDP_DROP);
    return slot_state(slot.word);
}

} // namespace

TEST_CASE("the data of all records of the type decide, where a query wants certain data")
{
    const auto record = [](Bytes data) { return DnsRecord{.type = 1, .data = std::move(data)}; };
    const DnsRecord one = record({192, 0, 2, 1});
    const DnsRecord two = record({192, 0, 2, 2});
    const DnsRecord alias{.type = 5, .data = {1, 'x', 0}};
    CHECK(state_with_data({one}, {one.data}) == QUERY_VALID);
    DnsRecord behind = one;
    behind.owner = alias.data;
    DnsRecord other = two;
    other.owner = alias.data;
    CHECK(state_with_data({alias, other, behind}, {one.data, two.data}) == QUERY_VALID);
    CHECK(state_with_data({alias, two, one}, {one.data, two.data}) == QUERY_WRONG_OWNER);
    CHECK(state_with_data({two}, {one.data}) == QUERY_WRONG_DATA);
    CHECK(state_with_data({one, two}, {one.data}) == QUERY_EXTRA_RECORDS);
    CHECK(state_with_data({alias}, {one.data}) == QUERY_NO_ANSWER);
    CHECK(state_with_data({}, {one.data}) == QUERY_NO_ANSWER);
    constexpr std::uint16_t text = 16;
    for (std::size_t size = 0; size <= 80; size += 7)
        CHECK(state_with_data({{.type = text, .data = Bytes(size, 9)}},
                              {Bytes(std::min<std::size_t>(size, 64), 9)},
                              text) == (size <= 64 ? QUERY_VALID : QUERY_WRONG_DATA));
    CHECK(state_with_data(std::vector<DnsRecord>(70, one), {one.data}) == QUERY_EXTRA_RECORDS);
    std::vector<DnsRecord> many;
    std::vector<Bytes> data_of_many;
    for (std::uint8_t i = 0; i < 70; i++) {
        many.push_back(record({192, 0, 2, i}));
        data_of_many.push_back(many.back().data);
    }
    CHECK(state_with_data(many, data_of_many) == QUERY_VALID);
    many.push_back(many.back());
    data_of_many.push_back(data_of_many.back());
    CHECK(state_with_data(many, data_of_many) == QUERY_EXTRA_RECORDS);
}
