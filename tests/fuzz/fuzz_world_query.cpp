// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any bytes as a query to servers of the default Internet: to the servers of each zone on the
// way to the name, to one of each character, and to an address that is no server's. What comes
// back is a whole message that answers the query, and no longer than the query allows.
#include "fuzz.h"

#include "internet/world_answer.h"
#include "support/exact_buffer.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::size_t record_tail = 10; // octets of type, class, TTL and the data's length

using Message = std::span<const std::uint8_t>;

std::set<ServerNumber> one_of_each_character(const World &world)
{
    std::set<ServerNumber> servers{0};
    std::set<ServerCharacter> found;
    for (ServerNumber server = 1; server < world.server_count(); server++)
        if (found.insert(world.character(server)).second)
            servers.insert(server);
    return servers;
}

// The query, if it is one that has a question.
std::optional<dns_query> good_query(const ExactBuffer &asked)
{
    dns_query query{};
    if (dns_read_query(asked.cursor(), 0, &query) != DNS_QUERY_GOOD)
        return {};
    return query;
}

void add_servers_of(const World &world, const WireName &name, std::set<ServerNumber> &servers)
{
    const NameFate fate = world.fate(name);
    must(fate.zone_count >= 1 && fate.zone_count <= world_zones_most, "a name lies in zones");
    for (unsigned zone = 0; zone < fate.zone_count; zone++) {
        const NameServers all = world.servers(name, fate, zone);
        for (const NameServer &server : all.list())
            servers.insert(server.server);
    }
}

// Steps over a name, which may be compressed. Returns false if the name does not end in the
// message, or if its pointer leads nowhere before it.
bool skip_name(Message message, std::size_t &offset)
{
    const std::size_t begin = offset;
    while (offset < message.size()) {
        const std::uint8_t length = message[offset];
        if (length >= 0xc0) {
            offset += 2;
            return offset <= message.size() && (wire_get16(&message[offset - 2]) & 0x3fff) < begin;
        }
        offset += 1U + length;
        if (length == 0)
            return true;
    }
    return false;
}

// The records from `offset` on are as many as the header says, and end where the message does.
bool records_fill(Message message, std::size_t offset)
{
    unsigned records = 0;
    for (std::size_t section = 6; section < DNS_HEADER_SIZE; section += 2)
        records += wire_get16(&message[section]);
    for (; records != 0; records--) {
        if (!skip_name(message, offset) || offset + record_tail > message.size())
            return false;
        offset += record_tail + wire_get16(&message[offset + record_tail - 2]);
    }
    return offset == message.size();
}

std::size_t longest_answer(Message asked, const std::optional<dns_query> &query, bool is_tcp)
{
    if (is_tcp)
        return world_answer_room;
    if (!query || query->has_edns == 0)
        return 512;
    const std::size_t opt = std::size_t{DNS_HEADER_SIZE} + query->name_length + DNS_QUESTION_TAIL;
    return std::clamp<std::size_t>(wire_get16(&asked[opt + 3]), 512, world_udp_room);
}

void check_reply(Message asked, const std::optional<dns_query> &query, Message reply)
{
    must(reply.size() >= DNS_HEADER_SIZE, "an answer has a header");
    must(std::ranges::equal(reply.first(2), asked.first(2)), "the ID comes back");
    must((reply[2] & 0x80) != 0, "an answer is a response");
    std::size_t records = DNS_HEADER_SIZE;
    if (query) {
        const std::size_t question = std::size_t{query->name_length} + DNS_QUESTION_TAIL;
        must(wire_get16(&reply[4]) == 1 && reply.size() >= records + question &&
                 std::ranges::equal(reply.subspan(records, question),
                                    asked.subspan(records, question)),
             "the question comes back byte for byte");
        records += question;
    } else {
        must(wire_get16(&reply[4]) == 0, "a question that cannot be read does not come back");
    }
    must(records_fill(reply, records), "the records fill the message");
}

void ask(const World &world, const WorldQuestion &question, Message asked,
         const std::optional<dns_query> &query)
{
    const std::size_t room = question.is_tcp ? world_answer_room : world_udp_room;
    const ExactBuffer buffer(asked, std::max(room, asked.size()));
    const WorldAnswer answer = answer_world_query(world, question, buffer.bytes(), asked.size());
    must(static_cast<unsigned>(answer.kind) < world_answer_kinds, "the kind is one of the kinds");
    must(!query || answer.kind != WorldAnswerKind::ignored, "a query is not ignored");
    must(answer.length <= longest_answer(asked, query, question.is_tcp),
         "an answer is no longer than it may be");
    const bool is_none =
        answer.kind == WorldAnswerKind::ignored || answer.kind == WorldAnswerKind::lost;
    must((answer.length == 0) == is_none, "what is ignored or lost alone has no answer");
    must(question.server != 0 || answer.delay_ns == 0, "what is no server is not far");
    if (answer.length != 0)
        check_reply(asked, query, Message(buffer.bytes()).first(answer.length));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    static const World world{WorldOptions{}};
    static const std::set<ServerNumber> of_each = one_of_each_character(world);
    const Message input(data, size);
    const ExactBuffer asked(input);
    const std::optional<dns_query> query = good_query(asked);
    std::set<ServerNumber> servers = of_each;
    if (query)
        add_servers_of(world, WireName(input.subspan(DNS_HEADER_SIZE, query->name_length)),
                       servers);
    for (const ServerNumber server : servers)
        for (const bool is_tcp : {false, true})
            for (const std::uint64_t seconds : {0U, 1'000'000'007U})
                ask(world, {.server = server, .is_tcp = is_tcp, .seconds = seconds}, input, query);
    return 0;
}
