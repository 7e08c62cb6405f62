// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Does in user space, for cost.py, what a packet or an answer costs without receiving and sending.
//
//     user_cost fakedns|reply_clock STEPS 4|6 PACKETS
//     user_cost internet copy|referral|nxdomain|address ANSWERS
//
// The steps are the steps of bpf/wire, in the order in which fakedns.bpf.c takes them with a query
// for an AAAA record (read, plan, write, turn), and reply_clock.bpf.c with the answer (read,
// checksum, judge), without maps and helpers. STEPS is how many of them are done.
//
// `fakedns --internet` gives the same answers: a public suffix's server refers to a zone, or says
// that there is none, or a zone's server has A records. `copy` copies the queries, and answers
// none. Prints the nanoseconds of CPU time that an answer takes.
#include "internet/world.h"
#include "internet/world_answer.h"
#include "support/judgement_alone.h"
#include "support/packet.h"
#include "support/program_configs.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "wire/answer.h"
#include "wire/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

using Frame = std::array<__u8, 512>;

// Keeps the compiler from leaving out what makes the value.
template <class Value>
void use(Value value)
{
    asm volatile("" : : "r"(value) : "memory");
}

// Returns the query for an AAAA record, or the answer to it.
Bytes framed(bool is_answer, bool is_ipv6)
{
    DnsMessage message{
        .questions = {{.name = dns_name("010-000-000-000.dns64perf.test"), .type = 28}}};
    Udp udp;
    if (is_answer) {
        message.flags = 0x8180;
        message.answers = {{.type = 28, .data = Bytes(16, 0)}};
        udp.source_port = 53;
        udp.target_port = 40'000;
    }
    return Ethernet{} / (is_ipv6 ? Layer{Ipv6{}} : Layer{Ipv4{}}) / udp / Payload{message};
}

void read_frame(Frame &frame, __u32 length, packet &packet)
{
    wire_cursor message{frame.data(), frame.data() + length};
    use(packet_read(&message, &packet));
    use(packet_padding(&packet, length));
}

// Does with a query the first `steps` steps of FakeDNS.
void take_answer_steps(Frame &frame, __u32 length, const fakedns_config &config, unsigned steps)
{
    packet packet{};
    read_frame(frame, length, packet);
    if (steps == 1)
        return;
    __u8 *const payload = frame.data() + packet.udp_offset + PACKET_UDP_SIZE;
    dns_query query{};
    struct answer answer {
    };
    answer.kind = answer_plan({payload, frame.data() + length}, &config.zones, &query, &answer);
    use(answer.kind);
    if (steps == 2)
        return;
    const __u32 size = answer_size(answer.kind, &query);
    use(answer_write({payload, payload + size}, answer.kind, &query, &answer, &config.zones));
    if (steps == 3)
        return;
    use(packet_turn_around({frame.data(), payload + size}, &packet, size));
}

// Does with an answer the first `steps` steps of the reply clock.
void take_judge_steps(Frame &frame, __u32 length, const reply_clock_config &config, unsigned steps)
{
    packet packet{};
    read_frame(frame, length, packet);
    if (steps == 1)
        return;
    const __u8 *const addresses = frame.data() + packet.ip_offset +
                                  (packet.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    const wire_cursor udp{frame.data() + packet.udp_offset, frame.data() + length};
    use(packet_checksum_ok(udp, addresses, packet.is_ipv6, packet.udp_length));
    if (steps == 2)
        return;
    __u32 rcode = 0;
    use(judge_reply({udp.pos + PACKET_UDP_SIZE, udp.end}, &config.rule, 0x0a000000, &rcode));
}

constexpr std::size_t different_queries = 1024;

struct Query {
    std::vector<std::uint8_t> octets;
    ServerNumber server = 0;
};

std::vector<std::uint8_t> query_of(const WireName &name)
{
    std::vector<std::uint8_t> query(DNS_HEADER_SIZE);
    query[5] = 1;
    query[11] = 1;
    query.insert(query.end(), name.octets().begin(), name.octets().end());
    query.insert(query.end(), {0, DNS_TYPE_A, 0, DNS_CLASS_IN});
    query.insert(query.end(), {0, 0, DNS_TYPE_OPT, 4, 208, 0, 0, 0, 0, 0, 0});
    return query;
}

WorldAnswer answer(const World &world, const Query &query, std::span<std::uint8_t> buffer)
{
    std::ranges::copy(query.octets, buffer.begin());
    return answer_world_query(world, {.server = query.server}, buffer, query.octets.size());
}

WorldAnswerKind kind_of(const std::string &part)
{
    if (part == "copy" || part == "referral")
        return WorldAnswerKind::referral;
    if (part == "nxdomain")
        return WorldAnswerKind::nxdomain;
    if (part == "address")
        return WorldAnswerKind::records;
    throw SetupError("no such part: " + part);
}

// Returns queries whose answers are of the kind.
std::vector<Query> queries_of(const World &world, WorldAnswerKind kind)
{
    std::vector<std::uint8_t> buffer(world_answer_room);
    std::vector<Query> queries;
    for (unsigned number = 0; queries.size() < different_queries; number++) {
        const WireName name = WireName::parse(fmt::format("www.d{}.com", number));
        const NameFate fate = world.fate(name);
        const unsigned zone = kind == WorldAnswerKind::records ? fate.zone_count - 1 : 1;
        Query query{query_of(name), world.servers(name, fate, zone).list().front().server};
        if (answer(world, query, buffer).kind == kind)
            queries.push_back(std::move(query));
    }
    return queries;
}

void answer_queries(const std::string &part, std::uint64_t answers)
{
    WorldOptions options;
    options.characters = {};
    options.loss = 0;
    const World world(options);
    const std::vector<Query> queries = queries_of(world, kind_of(part));
    const bool copies = part == "copy";
    std::vector<std::uint8_t> buffer(world_answer_room);
    const std::clock_t begin = std::clock();
    for (std::uint64_t i = 0; i < answers; i++) {
        const Query &query = queries[i % queries.size()];
        if (copies)
            std::ranges::copy(query.octets, buffer.begin());
        else if (answer(world, query, buffer).length == 0)
            throw SetupError("a query got no answer");
        asm volatile("" : : "r"(buffer.data()) : "memory");
    }
    const double ns = 1e9 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    fmt::print("{:.1f}\n", ns / static_cast<double>(answers));
}

// Makes packets take steps: PROGRAM STEPS 4|6 PACKETS.
void take_steps(const std::vector<std::string> &words)
{
    const bool judges = words[1] == "reply_clock";
    const auto steps = static_cast<unsigned>(std::stoul(words[2]));
    const bool is_ipv6 = words[3] == "6";
    const Bytes sent = framed(judges, is_ipv6);
    const auto length = static_cast<__u32>(sent.size());
    const fakedns_config server = fakedns_test_config();
    const reply_clock_config clock = reply_clock_test_config(is_ipv6);
    Frame frame{};
    for (std::uint64_t left = std::stoull(words[4]); left != 0; left--) {
        std::ranges::copy(sent, frame.begin());
        use(frame.data());
        if (steps != 0 && judges)
            take_judge_steps(frame, length, clock, steps);
        else if (steps != 0)
            take_answer_steps(frame, length, server, steps);
    }
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return dnsgauge::run_program("user_cost", [&words] {
        if (words.size() == 5)
            take_steps(words);
        else if (words.size() == 4 && words[1] == "internet")
            answer_queries(words[2], std::stoull(words[3]));
        else
            throw SetupError("usage: user_cost fakedns|reply_clock STEPS 4|6 PACKETS, or user_cost "
                             "internet copy|referral|nxdomain|address ANSWERS");
        return 0;
    });
}
