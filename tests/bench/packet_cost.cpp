// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Goes through what the kernel programs do with a packet, in user space, up to a step: for
// packet_cost.py, which counts the instructions.
//
//     packet_cost PROGRAM-STEP 4|6 PACKETS
//
// PROGRAM is fakedns or reply_clock. The steps are the steps of bpf/wire, in the order in which
// fakedns.bpf.c takes them with a query for an AAAA record (restore, read, plan, write, turn), and
// reply_clock.bpf.c with the answer (restore, read, checksum, judge), without maps and helpers.
#include "support/packet.h"
#include "support/program_configs.h"
#include "userland/words.h"
#include "wire/answer.h"
#include "wire/judge.h"
#include "wire/packet.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

using Frame = std::array<__u8, 512>;

enum class Step { restore, read, plan, write, turn, checksum, judge };

constexpr auto steps = words<Step>({{Step::restore, "restore"},
                                    {Step::read, "read"},
                                    {Step::plan, "plan"},
                                    {Step::write, "write"},
                                    {Step::turn, "turn"},
                                    {Step::checksum, "checksum"},
                                    {Step::judge, "judge"}});

// Keeps the compiler from leaving out what makes the value.
template <class Value>
void use(Value value)
{
    asm volatile("" : : "r"(value) : "memory");
}

DnsMessage question()
{
    return {.questions = {{.name = dns_name("010-000-000-000.dns64perf.test"), .type = 28}}};
}

Bytes framed(const DnsMessage &message, const Udp &udp, bool is_ipv6)
{
    if (is_ipv6)
        return Ethernet{} / Ipv6{} / udp / Payload{message};
    return Ethernet{} / Ipv4{} / udp / Payload{message};
}

Bytes reply(bool is_ipv6)
{
    DnsMessage message = question();
    message.flags = 0x8180;
    message.answers = {{.type = 28, .data = Bytes(16, 0)}};
    return framed(message, {.source_port = 53, .target_port = 40'000}, is_ipv6);
}

// Does with a query what FakeDNS does, until `last` is done.
void answer_until(Frame &frame, __u32 length, const fakedns_config &config, Step last)
{
    wire_cursor message{frame.data(), frame.data() + length};
    packet packet{};
    use(packet_read(&message, &packet));
    use(packet_padding(&packet, length));
    if (last == Step::read)
        return;
    __u8 *const payload = frame.data() + packet.udp_offset + PACKET_UDP_SIZE;
    dns_query query{};
    struct answer answer {
    };
    answer.kind = answer_plan({payload, frame.data() + length}, &config.zones, &query, &answer);
    use(answer.kind);
    if (last == Step::plan)
        return;
    const __u32 size = answer_size(answer.kind, &query);
    use(answer_write({payload, payload + size}, answer.kind, &query, &answer, &config.zones));
    if (last == Step::write)
        return;
    use(packet_turn_around({frame.data(), payload + size}, &packet, size));
}

// Does with an answer what the reply clock does, until `last` is done.
void judge_until(Frame &frame, __u32 length, const reply_clock_config &config, Step last)
{
    wire_cursor message{frame.data(), frame.data() + length};
    packet packet{};
    use(packet_read(&message, &packet));
    use(packet_padding(&packet, length));
    if (last == Step::read)
        return;
    const __u8 *const addresses = frame.data() + packet.ip_offset +
                                  (packet.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    const wire_cursor udp{frame.data() + packet.udp_offset, frame.data() + length};
    use(packet_checksum_ok(udp, addresses, packet.is_ipv6, packet.udp_length));
    if (last == Step::checksum)
        return;
    __u32 rcode = 0;
    use(judge_reply({udp.pos + PACKET_UDP_SIZE, udp.end}, &config.rule, 0x0a000000, &rcode));
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> given(argv, argv + argc);
    const std::array<std::string, 2> programs{"fakedns-", "reply_clock-"};
    const auto program =
        given.size() == 4
            ? std::ranges::find_if(
                  programs, [&](const std::string &name) { return given[1].starts_with(name); })
            : programs.end();
    const auto found =
        program == programs.end() ? std::nullopt : steps.value_of(given[1].substr(program->size()));
    if (!found) {
        static_cast<void>(std::fputs("usage: packet_cost PROGRAM-STEP 4|6 PACKETS\n", stderr));
        return 2;
    }
    const Step last = *found;
    const bool answers = program == programs.begin();
    const bool is_ipv6 = given[2] == "6";
    const Bytes sent = answers ? framed(question(), {}, is_ipv6) : reply(is_ipv6);
    const fakedns_config server = fakedns_test_config();
    const reply_clock_config clock = reply_clock_test_config(is_ipv6);
    Frame frame{};
    for (std::uint64_t left = std::stoull(given[3]); left != 0; left--) {
        std::ranges::copy(sent, frame.begin());
        use(frame.data());
        if (last == Step::restore)
            continue;
        if (answers)
            answer_until(frame, static_cast<__u32>(sent.size()), server, last);
        else
            judge_until(frame, static_cast<__u32>(sent.size()), clock, last);
    }
    return 0;
}
