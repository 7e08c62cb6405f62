// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The programs' user-space twins: the same wire functions in the same order, called here.
#pragma once

#include "support/judgement_alone.h"
#include "support/packet.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include "fakedns_abi.h"
#include "reply_clock_abi.h"
#include "wire/echo.h"
#include "wire/packet.h"

#include <linux/bpf.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace dnsgauge::testing
{

inline wire_cursor cursor_of(Bytes &frame, std::size_t offset = 0)
{
    return {frame.data() + offset, frame.data() + frame.size()};
}

// Does what fakedns.bpf.c does, with a vector that grows and shrinks in place of the driver's
// buffer.
class UserFakedns
{
public:
    explicit UserFakedns(const fakedns_config &config) : config_(config) {}

    RunResult run(Bytes frame)
    {
        const std::uint32_t action = handle(frame);
        return {action, std::move(frame)};
    }

    [[nodiscard]] const fakedns_counters &counters() const { return counters_; }

private:
    std::uint32_t pass(unsigned counter)
    {
        counters_.value[FAKEDNS_TYPE_OTHER][counter]++;
        return XDP_PASS;
    }

    std::uint32_t handle(Bytes &frame)
    {
        wire_cursor message = cursor_of(frame);
        packet packet{};
        if ((frame[0] & 1) != 0)
            return pass(FAKEDNS_PASSED);
        const packet_kind kind = packet_read(&message, &packet);
        if (kind == PACKET_FRAGMENT)
            return pass(FAKEDNS_PASSED_FRAGMENT);
        if (kind != PACKET_UDP || packet.target_port != config_.port || packet.source_port == 0)
            return pass(FAKEDNS_PASSED);
        const int padding = packet_padding(&packet, static_cast<__u32>(frame.size()));
        if (padding < 0)
            return pass(FAKEDNS_PASSED);
        frame.resize(frame.size() - static_cast<std::size_t>(padding));
        return answer_query(frame, packet);
    }

    std::uint32_t answer_query(Bytes &frame, const packet &packet)
    {
        const std::size_t payload = packet.udp_offset + PACKET_UDP_SIZE;
        dns_query query{};
        answer answer{};
        const wire_cursor message = cursor_of(frame, payload);
        answer.kind = answer_plan(message, &config_.zones, &query, &answer);
        counters_.value[fakedns_type_of(answer.kind, query.type)][answer.kind]++;
        if (answer.kind == ANSWER_IGNORED)
            return XDP_DROP;
        const __u32 size = answer_size(answer.kind, &query);
        frame.resize(payload + size);
        if (answer_write(cursor_of(frame, payload), answer.kind, &query, &answer, &config_.zones) ==
                0 ||
            packet_turn_around(cursor_of(frame), &packet, size) == 0)
            return XDP_ABORTED;
        return XDP_TX;
    }

    fakedns_config config_;
    fakedns_counters counters_{};
};

// Does what echo.bpf.c does.
inline RunResult user_echo(Bytes frame, std::uint16_t port)
{
    packet packet{};
    if (!echo_frame_is_query(cursor_of(frame), port, &packet))
        return {XDP_PASS, std::move(frame)};
    const int padding = packet_padding(&packet, static_cast<__u32>(frame.size()));
    if (padding < 0)
        return {XDP_PASS, std::move(frame)};
    frame.resize(frame.size() - static_cast<std::size_t>(padding));
    const bool echoes = echo_frame(cursor_of(frame), &packet) != 0;
    return {echoes ? __u32{XDP_TX} : __u32{XDP_DROP}, std::move(frame)};
}

// Does what reply_clock.bpf.c does with a reply whose query is outstanding and in time.
struct ClockVerdict {
    std::uint32_t action = XDP_PASS;
    std::optional<unsigned> counter = {}; // enum reply_counter; none: nothing is counted
    std::optional<std::uint32_t> rcode = {};
    // The reply's, where it has one that a query may have.
    std::optional<std::uint32_t> identity = {};
};

class UserClock
{
public:
    // `expectation` and `wants`: what the slot of every query holds.
    UserClock(const reply_clock_config &config, std::uint64_t expectation,
              Expects expects = Expects::name, std::uint32_t wants = WANTS_USEFUL)
        : config_(config), expectation_(expectation), expects_(expects), wants_(wants)
    {
    }

    [[nodiscard]] ClockVerdict judge(Bytes frame) const
    {
        wire_cursor message = cursor_of(frame);
        packet packet{};
        const packet_kind kind = packet_read(&message, &packet);
        if (kind == PACKET_FRAGMENT)
            return {.counter = REPLY_FRAGMENT};
        const std::uint32_t ports = config_.ports * config_.senders;
        if (kind != PACKET_UDP || packet.is_ipv6 != config_.is_ipv6 ||
            packet.target_port < config_.first_port ||
            packet.target_port - config_.first_port >= static_cast<int>(ports))
            return {};
        const std::size_t size = packet.is_ipv6 != 0 ? 16 : 4;
        const __u8 *source = frame.data() + packet.ip_offset +
                             (packet.is_ipv6 != 0 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
        if (!std::equal(source + size, source + 2 * size, config_.tester_address))
            return {};
        if (packet.source_port != config_.server_port ||
            !std::equal(source, source + size, config_.server_address))
            return {.counter = REPLY_WRONG_SOURCE};
        const int padding = packet_padding(&packet, static_cast<__u32>(frame.size()));
        if (padding < 0)
            return {};
        const wire_cursor udp{frame.data() + packet.udp_offset,
                              frame.data() + frame.size() - padding};
        if (packet_checksum_ok(udp, source, packet.is_ipv6, packet.udp_length) == 0)
            return {.action = XDP_DROP, .counter = REPLY_BAD_CHECKSUM};
        return judge_message({udp.pos + PACKET_UDP_SIZE, udp.end}, packet.target_port);
    }

private:
    [[nodiscard]] ClockVerdict judge_message(wire_cursor message, std::uint32_t port) const
    {
        if (!wire_has(&message, 2))
            return {.action = XDP_DROP, .counter = REPLY_UNEXPECTED};
        std::uint32_t rcode = 0;
        const judgement judged =
            expects_ == Expects::name
                ? judge_reply(message, &config_.rule, static_cast<__u32>(expectation_), &rcode)
                : judge_question_reply(message, &config_.questions, &config_.rule, expectation_,
                                       wants_, &rcode);
        ClockVerdict verdict{.action = XDP_DROP, .counter = counter_for(judged)};
        if (judge_answers_question(judged) != 0)
            verdict.rcode = rcode;
        verdict.identity =
            identity_number(config_, port - config_.first_port, wire_get16(message.pos));
        return verdict;
    }

    reply_clock_config config_;
    std::uint64_t expectation_;
    Expects expects_;
    std::uint32_t wants_;
};

} // namespace dnsgauge::testing
