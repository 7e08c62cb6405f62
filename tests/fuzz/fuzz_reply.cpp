// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a frame with a reply, and as a reply. Reads stay inside the input, a valid
// reply holds the right data or repeats the question, and a frame that is understood can be turned
// around.
#include "fuzz.h"

#include "support/exact_buffer.h"
#include "support/judgement_alone.h"
#include "support/packet.h"
#include "wire/packet.h"
#include "wire/records.h"

#include <algorithm>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t address = 0x0a000001;

// A rule, and the data that make a reply valid by it; without data any do.
struct Wanted {
    judge_rule rule{};
    Bytes data;
};

judge_rule fuzz_rule(std::uint16_t type)
{
    judge_rule rule{};
    const Bytes zone = dns_name("dns64perf.test");
    std::copy(zone.begin(), zone.end(), rule.zone);
    rule.zone_length = static_cast<std::uint32_t>(zone.size());
    rule.type = type;
    rule.prefix = {.bytes = {0x20, 0x01, 0x0d, 0xb8, 0, 0x64}, .length = 96};
    rule.aaaa_prefix = {.bytes = {0x20, 0x01, 0x0d, 0xb8, 0x01, 0x22, 0x03, 0x44}, .length = 64};
    return rule;
}

std::vector<Wanted> all_wanted()
{
    const Bytes synthesized = from_hex("20010db8 00640000 00000000 0a000001");
    const Bytes own = from_hex("20010db8 01220344 000a0000 01000000");
    std::vector<Wanted> all{{fuzz_rule(DNS_TYPE_A), {10, 0, 0, 1}},
                            {fuzz_rule(DNS_TYPE_AAAA), synthesized},
                            {fuzz_rule(DNS_TYPE_AAAA), synthesized},
                            {fuzz_rule(DNS_TYPE_AAAA), own},
                            {fuzz_rule(DNS_TYPE_AAAA), {}}};
    // The name has a record of its own at a share of 22 percent, and has none at 21.
    all[2].rule.aaaa_share = 21;
    all[3].rule.aaaa_share = 22;
    all[4].rule.any_data = 1;
    return all;
}

void judge(std::span<const std::uint8_t> message)
{
    static const std::vector<Wanted> all = all_wanted();
    const ExactBuffer buffer(message);
    for (const auto &[rule, data] : all) {
        std::uint32_t rcode = ~0U;
        const judgement judged = judge_reply(buffer.cursor(), &rule, address, &rcode);
        must(judged < JUDGEMENTS, "the judgement is one of the judgements");
        must(rcode >> 12 == 0, "the RCODE has the bits of the header and of the OPT record");
        must(judged != JUDGE_RCODE || rcode != DNS_RCODE_NOERROR, "a no has its RCODE");
        must(judged != JUDGE_VALID || std::search(message.begin(), message.end(), data.begin(),
                                                  data.end()) != message.end(),
             "what is valid holds the right data");
    }
}

// The question of every query: its name has letters and a word's worth of octets, and more.
const Bytes &asked()
{
    static const Bytes question = [] {
        Bytes bytes = dns_name("010-000-000-001.dns64perf.test");
        bytes.insert(bytes.end(), {0, DNS_TYPE_AAAA, 0, DNS_CLASS_IN});
        return bytes;
    }();
    return question;
}

question_key fuzz_question_key()
{
    question_key key{};
    std::uint64_t state = 1;
    for (auto &word : key.name)
        word = state *= 6364136223846793005;
    key.tail = state * 3;
    return key;
}

std::uint64_t hash_of_asked(const question_key &key)
{
    Bytes message(DNS_HEADER_SIZE);
    message.insert(message.end(), asked().begin(), asked().end());
    __u64 hash = 0;
    must(question_hash({message.data(), message.data() + message.size()}, &key, &hash),
         "the question that is asked has a hash");
    return hash;
}

// Does `message` repeat the question that was asked, letters in either case?
bool repeats_asked(std::span<const std::uint8_t> message)
{
    const std::size_t size = asked().size();
    if (message.size() < DNS_HEADER_SIZE + size)
        return false;
    const auto same = [](std::uint8_t a, std::uint8_t b) {
        return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
    };
    // Type and class have no letters.
    return std::equal(asked().begin(), asked().end(), message.begin() + DNS_HEADER_SIZE,
                      [&same](std::uint8_t b, std::uint8_t a) { return same(a, b); });
}

void judge_by_question(std::span<const std::uint8_t> message)
{
    static const question_key key = fuzz_question_key();
    static const std::uint64_t expectation = hash_of_asked(key);
    static const Bytes synthesized = from_hex("20010db8 00640000 00000000 0a000001");
    const ExactBuffer buffer(message);
    judge_rule rule = fuzz_rule(0);
    rule.accepts = ACCEPTS_CNAMES;
    const records_truth truth{.rule = &rule, .key = &key, .wants = wants_data(0), .address = 0};
    const auto length = static_cast<std::uint32_t>(asked().size()) - DNS_QUESTION_TAIL;
    const bool repeats = repeats_asked(message);
    const std::uint64_t found = repeats ? records_read(buffer.cursor(), length, &truth) : 0;
    must(!repeats || found == records_walk_all(buffer.cursor(), length, &truth),
         "the usual reply is judged as a walk judges it");
    must((found & RECORDS_DATA) != 0 || found >> RECORDS_DATA_SHIFT == 0, "only data have a hash");
    for (const std::uint32_t wants :
         {WANTS_USEFUL, WANTS_ANY_RCODE | WANTS_AA | WANTS_AD,
          WANTS_USEFUL | WANTS_COUNT | WANTS_COUNT_MAX << WANTS_COUNT_SHIFT,
          wants_data(found >> RECORDS_DATA_SHIFT), wants_data(0x123456), WANTS_NAME}) {
        std::uint32_t rcode = ~0U;
        const judgement judged =
            judge_question_reply(buffer.cursor(), &key, &rule, expectation, wants, &rcode);
        must(judged < JUDGEMENTS, "the judgement is one of the judgements");
        must(rcode >> 12 == 0, "the RCODE has the bits of the header and of the OPT record");
        const std::uint32_t right = (wants & WANTS_DATA) != 0 ? 1U : wants;
        const bool any = (right & WANTS_ANY_RCODE) == WANTS_ANY_RCODE;
        must(judged != JUDGE_VALID || any || (rcode < DNS_RCODES && (right >> rcode & 1) != 0),
             "what is valid is no refusal");
        must(judged != JUDGE_VALID || !repeats ||
                 (found & (RECORDS_WHOLE | RECORDS_OWNER | RECORDS_EXTRA | RECORDS_TRAILING)) ==
                     RECORDS_WHOLE,
             "what is valid is whole, and nothing else stands in it");
        must(judged != JUDGE_VALID || repeats ||
                 (any && rcode != DNS_RCODE_NOERROR && rcode != DNS_RCODE_NXDOMAIN &&
                  (message[4] | message[5]) == 0),
             "what is valid repeats the question, or is a refusal to read any");
        must(judged != JUDGE_VALID || wants != WANTS_NAME ||
                 std::search(message.begin(), message.end(), synthesized.begin(),
                             synthesized.end()) != message.end(),
             "what is valid holds the data of the name");
        must(judged != JUDGE_WRONG_QUESTION || !repeats_asked(message),
             "what repeats the question is no answer to another one");
    }
}

bool checksum_ok(const ExactBuffer &frame, const packet &packet)
{
    std::uint8_t *start = frame.bytes().data();
    const std::uint32_t source =
        packet.ip_offset + (packet.is_ipv6 ? PACKET_IPV6_SOURCE : PACKET_IPV4_SOURCE);
    return packet_checksum_ok({.pos = start + packet.udp_offset, .end = frame.cursor().end},
                              start + source, packet.is_ipv6, packet.udp_length);
}

// `datagram` ends with its UDP datagram.
void turn(std::span<const std::uint8_t> datagram, const packet &packet)
{
    const ExactBuffer frame(datagram);
    must(packet_turn_around(frame.cursor(), &packet, packet.udp_length - PACKET_UDP_SIZE),
         "what was read can be turned around");
    wire_cursor cursor = frame.cursor();
    ::packet turned{};
    must(packet_read(&cursor, &turned) == PACKET_UDP, "a turned frame can be read");
    must(turned.source_port == packet.target_port && turned.target_port == packet.source_port,
         "the ports have changed places");
    must(turned.udp_length == packet.udp_length && turned.udp_offset == packet.udp_offset,
         "the lengths are as they were");
    must(checksum_ok(frame, turned), "a turned frame's checksum is right");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    judge(input);
    judge_by_question(input);

    const ExactBuffer frame(input);
    wire_cursor cursor = frame.cursor();
    packet packet{};
    if (packet_read(&cursor, &packet) != PACKET_UDP) {
        must(cursor.pos == frame.cursor().pos, "a cursor stays where nothing was read");
        return 0;
    }
    const int padding = packet_padding(&packet, static_cast<std::uint32_t>(size));
    must(padding <= static_cast<int>(size), "the datagram begins inside the frame");
    if (padding < 0 || packet.udp_length > PACKET_DATAGRAM_MAX)
        return 0;
    const auto datagram = input.first(packet.udp_offset + packet.udp_length);
    if (checksum_ok(ExactBuffer(datagram), packet)) {
        judge(datagram.subspan(packet.udp_offset + PACKET_UDP_SIZE));
        judge_by_question(datagram.subspan(packet.udp_offset + PACKET_UDP_SIZE));
    }
    if (packet.udp_length <= PACKET_ANSWER_MAX)
        turn(datagram, packet);
    return 0;
}
