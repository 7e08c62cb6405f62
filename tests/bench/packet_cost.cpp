// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Goes through what the kernel programs do with a packet, in user space, up to a step: for
// packet_cost.py, which counts the instructions.
//
//     packet_cost fakedns|reply_clock STEPS 4|6 PACKETS
//
// The steps are the steps of bpf/wire, in the order in which fakedns.bpf.c takes them with a query
// for an AAAA record (read, plan, write, turn), and reply_clock.bpf.c with the answer (read,
// checksum, judge), without maps and helpers. STEPS is how many of them are done.
#include "support/packet.h"
#include "support/program_configs.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"
#include "wire/answer.h"
#include "wire/judge.h"
#include "wire/packet.h"

#include <algorithm>
#include <array>
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

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return dnsgauge::run_program("packet_cost", [&words] {
        if (words.size() != 5)
            throw SetupError("usage: packet_cost fakedns|reply_clock STEPS 4|6 PACKETS");
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
        return 0;
    });
}
