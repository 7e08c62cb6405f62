// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/world_answer.h"

#include "wire/answer.h"

#include <algorithm>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr std::size_t small_udp = 512; // octets, the limit without EDNS

// "RFC8482" and an empty string.
constexpr std::array<std::uint8_t, ANSWER_HINFO_DATA> hinfo_data{7,   'R', 'F', 'C', '8',
                                                                 '4', '8', '2', 0};

enum class Section : std::uint8_t { answer, authority, additional };

constexpr std::size_t pointer_size = 2;
constexpr std::size_t offset_most = 0x3fff;

// Writes the records of an answer after its question. Compresses names (RFC 1035 section 4.1.4) by
// pointers to the question's name and to each other.
class MessageWriter
{
public:
    // Writes after the first `begin` octets of `message`, up to its end. The question's name,
    // `name`, follows the header.
    MessageWriter(std::span<std::uint8_t> message, std::size_t begin, const WireName &name)
        : message_(message), size_(begin)
    {
        for (unsigned depth = name.depth(); depth > 0 && known_count_ < known_.size(); depth--) {
            const std::size_t size = name.ancestor(depth).size();
            const std::size_t offset = DNS_HEADER_SIZE + name.octets().size() - size;
            known_[known_count_++] = {static_cast<std::uint16_t>(offset),
                                      static_cast<std::uint16_t>(size)};
        }
    }

    // Writes a record. Returns false, and writes nothing, if there is no room.
    [[nodiscard]] bool put(NameOctets owner, const RecordData &record)
    {
        const std::size_t begin = size_;
        const unsigned known = known_count_;
        const auto undo = [&] {
            size_ = begin;
            known_count_ = known;
            return false;
        };
        if (!put_name(owner) || !has_room(DNS_RECORD_TAIL + record.octets.size()))
            return undo();
        std::uint8_t *tail = &message_[size_];
        wire_put16(tail, record.type);
        wire_put16(tail + 2, DNS_CLASS_IN);
        wire_put32(tail + 4, record.ttl);
        size_ += DNS_RECORD_TAIL;
        std::ranges::copy(record.octets, message_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += record.octets.size();
        if (record.name != nullptr && !put_name(record.name->octets()))
            return undo();
        wire_put16(tail + 8,
                   static_cast<std::uint16_t>(&message_[size_ - 1] + 1 - tail - DNS_RECORD_TAIL));
        return true;
    }

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    // A name that stands in the message.
    struct KnownName {
        std::uint16_t offset;
        std::uint16_t size; // of the whole name, uncompressed
    };
    // Writes labels until the message has the rest of the name already.
    [[nodiscard]] bool put_name(NameOctets name)
    {
        while (name[0] != 0) {
            const auto known = std::span(known_).first(known_count_);
            const auto found = std::ranges::find_if(known, [this, name](const KnownName &one) {
                return one.size == name.size() && stands_at(one.offset, name);
            });
            if (found != known.end()) {
                if (!has_room(pointer_size))
                    return false;
                wire_put16(&message_[size_],
                           static_cast<std::uint16_t>(DNS_POINTER | found->offset));
                size_ += pointer_size;
                return true;
            }
            const std::size_t label = 1 + std::size_t{name[0]};
            if (!has_room(label))
                return false;
            if (known_count_ < known_.size() && size_ <= offset_most)
                known_[known_count_++] = {static_cast<std::uint16_t>(size_),
                                          static_cast<std::uint16_t>(name.size())};
            std::ranges::copy(name.first(label),
                              message_.begin() + static_cast<std::ptrdiff_t>(size_));
            size_ += label;
            name = name.subspan(label);
        }
        if (!has_room(1))
            return false;
        message_[size_++] = 0;
        return true;
    }

    // Follows the labels and pointers that this writer has written.
    [[nodiscard]] bool stands_at(std::size_t offset, NameOctets name) const
    {
        while (true) {
            const std::uint8_t label = message_[offset];
            if (label >= DNS_POINTER >> 8) {
                offset = wire_get16(&message_[offset]) & offset_most;
                continue;
            }
            if (label != name[0])
                return false;
            if (label == 0)
                return true;
            for (std::size_t i = 1; i <= label; i++)
                if (dns_fold(message_[offset + i]) != name[i])
                    return false;
            offset += 1 + std::size_t{label};
            name = name.subspan(1 + std::size_t{label});
        }
    }

    [[nodiscard]] bool has_room(std::size_t octets) const
    {
        return size_ + octets <= message_.size();
    }

    std::span<std::uint8_t> message_;
    std::size_t size_;
    std::array<KnownName, 64> known_; // not initialised: only used entries are set
    unsigned known_count_ = 0;
};

// Writes an answer in place of its query.
class AnswerMaker
{
public:
    AnswerMaker(const World &world, const WorldQuestion &question, std::span<std::uint8_t> buffer,
                const dns_query &query, std::size_t udp_size)
        : world_(world), question_(question), buffer_(buffer), query_(query),
          name_(NameOctets(buffer).subspan(DNS_HEADER_SIZE, query.name_length)),
          body_(std::size_t{DNS_HEADER_SIZE} + query.name_length + DNS_QUESTION_TAIL),
          writer_(buffer.first((question.is_tcp ? buffer.size() : udp_size) - opt_size()), body_,
                  name_)
    {
    }

    [[nodiscard]] const WireName &name() const { return name_; }

    // Answers with an RCODE and no record. `has_opt` tells whether the answer has EDNS if its query
    // has.
    WorldAnswer bare(WorldAnswerKind kind, std::uint16_t rcode, std::uint16_t flags = 0,
                     bool has_opt = true)
    {
        counts_ = {};
        return finish(kind, rcode, flags, body_, has_opt);
    }

    WorldAnswer answer()
    {
        const NameFate fate = world_.fate(name_);
        unsigned zone = fate.zone_count;
        do {
            if (zone == 0)
                return bare(WorldAnswerKind::refused, DNS_RCODE_REFUSED);
            zone--;
        } while (!world_.serves(question_.server, name_, fate, zone));

        // A DS record belongs to the zone above.
        const bool is_apex = name_.depth() == fate.zones[zone].depth;
        if (query_.type == type_ds && is_apex && zone > 0) {
            if (world_.serves(question_.server, name_, fate, zone - 1))
                zone--;
        }
        if (zone + 1 < fate.zone_count) {
            if (query_.type == type_ds && name_.depth() == fate.zones[zone + 1].depth)
                return negative(fate, zone, WorldAnswerKind::nodata);
            return refer(fate, zone + 1);
        }
        if (fate.node == NodeKind::absent)
            return negative(fate, zone, WorldAnswerKind::nxdomain);
        const RecordSink sink = into(name_.octets(), Section::answer);
        if (query_.type == DNS_TYPE_ANY && fate.node != NodeKind::empty) {
            sink({.type = DNS_TYPE_HINFO,
                  .ttl = world_.options().delegation_ttl,
                  .octets = hinfo_data});
            return finish_records(WorldAnswerKind::hinfo, DNS_RCODE_NOERROR, DNS_AA);
        }
        if (world_.records(name_, fate, query_.type, sink) == 0)
            return negative(fate, zone, WorldAnswerKind::nodata);
        if (fate.node == NodeKind::alias)
            return finish_records(WorldAnswerKind::alias, DNS_RCODE_NOERROR, DNS_AA);
        if (query_.type == DNS_TYPE_NS && !is_full_)
            put_addresses(world_.servers(name_, fate, zone), fate.zones[zone].depth);
        return finish_records(WorldAnswerKind::records, DNS_RCODE_NOERROR, DNS_AA);
    }

    WorldAnswer lame()
    {
        NameFate root;
        root.zones[0] = {};
        world_.name_servers(world_.servers(name_, root, 0),
                            into(name_.ancestor(0), Section::authority));
        return finish_records(WorldAnswerKind::lame, DNS_RCODE_NOERROR, 0);
    }

private:
    // Returns what puts the records of `owner` into a section, until the next call.
    RecordSink into(NameOctets owner, Section section)
    {
        owner_ = owner;
        section_ = section;
        return [this](const RecordData &record) { put(record); };
    }

    [[nodiscard]] std::size_t opt_size() const
    {
        return query_.has_edns != 0 ? std::size_t{DNS_OPT_SIZE} : 0;
    }

    // Puts a record. Remembers whether all records had room.
    void put(RecordData record)
    {
        if (is_full_)
            return;
        if (question_.seconds != 0 && record.ttl > 1)
            record.ttl -= static_cast<std::uint32_t>(question_.seconds % record.ttl);
        if (writer_.put(owner_, record))
            counts_[static_cast<std::size_t>(section_)]++;
        else
            is_full_ = true;
    }

    // Puts the addresses of those name servers whose names are in the zone whose apex is the name's
    // ancestor of this depth. Leaves out addresses without room. Truncates a referral to servers
    // without a known address.
    void put_addresses(const NameServers &servers, unsigned depth)
    {
        const NameOctets zone = name_.ancestor(depth);
        bool wants_any = false;
        for (const NameServer &server : servers.list()) {
            if (server.name.depth() < depth ||
                !std::ranges::equal(server.name.ancestor(depth), zone))
                continue;
            wants_any = true;
            world_.addresses(server, into(server.name.octets(), Section::additional));
        }
        if (counts_[static_cast<std::size_t>(Section::additional)] != 0 || !wants_any)
            is_full_ = false;
    }

    WorldAnswer refer(const NameFate &fate, unsigned zone)
    {
        const NameOctets apex = name_.ancestor(fate.zones[zone].depth);
        const NameServers servers = world_.servers(name_, fate, zone);
        world_.name_servers(servers, into(apex, Section::authority));
        if (!is_full_)
            put_addresses(servers, zone == 0 ? 0U : fate.zones[zone - 1].depth);
        return finish_records(WorldAnswerKind::referral, DNS_RCODE_NOERROR, 0);
    }

    WorldAnswer negative(const NameFate &fate, unsigned zone, WorldAnswerKind kind)
    {
        world_.soa(name_, fate, zone,
                   into(name_.ancestor(fate.zones[zone].depth), Section::authority));
        return finish_records(
            kind, kind == WorldAnswerKind::nxdomain ? DNS_RCODE_NXDOMAIN : DNS_RCODE_NOERROR,
            DNS_AA);
    }

    WorldAnswer finish(WorldAnswerKind kind, std::uint16_t rcode, std::uint16_t flags,
                       std::size_t size, bool has_opt)
    {
        const bool puts_opt = has_opt && query_.has_edns != 0;
        const std::uint16_t echoed = query_.flags & (DNS_OPCODE | DNS_RD | DNS_CD);
        wire_put16(&buffer_[2],
                   static_cast<std::uint16_t>(DNS_QR | echoed | flags | (rcode & DNS_RCODE)));
        wire_put16(&buffer_[4], 1);
        for (std::size_t i = 0; i < counts_.size(); i++)
            wire_put16(&buffer_[6 + 2 * i], counts_[i]);
        if (puts_opt) {
            wire_put16(&buffer_[10], static_cast<std::uint16_t>(counts_[2] + 1));
            wire_cursor cursor{&buffer_[size], buffer_.data() + buffer_.size()};
            const answer_kind of = rcode == DNS_RCODE_BADVERS ? ANSWER_BADVERS : ANSWER_NODATA;
            if (answer_put_opt(&cursor, of, &query_) == 0)
                return {};
            size += DNS_OPT_SIZE;
        }
        return {.kind = kind, .type = query_.type, .length = size};
    }

    WorldAnswer finish_records(WorldAnswerKind kind, std::uint16_t rcode, std::uint16_t flags)
    {
        if (is_full_)
            return bare(WorldAnswerKind::truncated, DNS_RCODE_NOERROR,
                        static_cast<std::uint16_t>(flags | DNS_TC));
        return finish(kind, rcode, flags, writer_.size(), true);
    }

    const World &world_;
    const WorldQuestion &question_;
    std::span<std::uint8_t> buffer_;
    const dns_query &query_;
    WireName name_;
    std::size_t body_; // octets up to the question's end
    MessageWriter writer_;
    std::array<std::uint16_t, 3> counts_{}; // by Section
    NameOctets owner_;                      // of the next records
    Section section_ = Section::answer;
    bool is_full_ = false;
};

// Returns the answer that the server's character makes; nothing if the character changes nothing.
std::optional<WorldAnswer> out_of_character(ServerCharacter character, AnswerMaker &maker,
                                            const dns_query &query, bool is_tcp)
{
    switch (character) {
    case ServerCharacter::lame:
        return maker.lame();
    case ServerCharacter::servfail:
        return maker.bare(WorldAnswerKind::servfail, DNS_RCODE_SERVFAIL);
    case ServerCharacter::refused:
        return maker.bare(WorldAnswerKind::refused, DNS_RCODE_REFUSED);
    case ServerCharacter::no_edns:
        if (query.has_edns != 0)
            return maker.bare(WorldAnswerKind::formerr, DNS_RCODE_FORMERR, 0, false);
        return {};
    case ServerCharacter::truncating:
        if (!is_tcp)
            return maker.bare(WorldAnswerKind::truncated, DNS_RCODE_NOERROR, DNS_TC);
        return {};
    case ServerCharacter::sound:
    case ServerCharacter::silent: // has not come here
    case ServerCharacter::slow:
    case ServerCharacter::drops_large:
        return {};
    }
    return {};
}

// Answers a message whose question cannot be read, with only a header.
WorldAnswer answer_header(WorldAnswerKind kind, std::uint16_t rcode, std::span<std::uint8_t> buffer,
                          std::uint16_t flags)
{
    const std::uint16_t echoed = flags & (DNS_OPCODE | DNS_RD | DNS_CD);
    wire_put16(&buffer[2], static_cast<std::uint16_t>(DNS_QR | echoed | rcode));
    wire_put64(&buffer[4], 0);
    return {.kind = kind, .length = DNS_HEADER_SIZE};
}

std::size_t udp_size_of(std::span<const std::uint8_t> message, const dns_query &query)
{
    if (query.has_edns == 0)
        return small_udp;
    const std::size_t opt = std::size_t{DNS_HEADER_SIZE} + query.name_length + DNS_QUESTION_TAIL;
    return std::clamp<std::size_t>(wire_get16(&message[opt + 3]), small_udp, DNS_UDP_SIZE);
}

} // namespace

WorldAnswer answer_world_query(const World &world, const WorldQuestion &question,
                               std::span<std::uint8_t> buffer, std::size_t query_length)
{
    dns_query query{};
    const wire_cursor message{buffer.data(), buffer.data() + query_length};
    const dns_query_status status = dns_read_query(message, 0, &query);
    const ServerCharacter character =
        question.server == 0 ? ServerCharacter::sound : world.character(question.server);
    if (status != DNS_QUERY_IGNORED && character == ServerCharacter::silent)
        return {.kind = WorldAnswerKind::lost, .type = query.type};
    const auto late = [&](WorldAnswer answer) {
        if (question.server != 0)
            answer.delay_ns = world.latency_ns(question.server);
        return answer;
    };
    switch (status) {
    case DNS_QUERY_IGNORED:
        return {};
    case DNS_QUERY_FORMERR:
        return late(
            answer_header(WorldAnswerKind::formerr, DNS_RCODE_FORMERR, buffer, query.flags));
    case DNS_QUERY_NOTIMP:
        return late(answer_header(WorldAnswerKind::notimp, DNS_RCODE_NOTIMP, buffer, query.flags));
    case DNS_QUERY_GOOD:
        break;
    }
    const std::uint16_t id = wire_get16(buffer.data());
    AnswerMaker maker(world, question, buffer, query, udp_size_of(buffer, query));
    if (question.server != 0 && !question.is_tcp && world.loses(question.server, maker.name(), id))
        return {.kind = WorldAnswerKind::lost, .type = query.type};

    if (question.is_limited)
        return late(maker.bare(WorldAnswerKind::limited, DNS_RCODE_NOERROR, DNS_TC));
    auto answer = out_of_character(character, maker, query, question.is_tcp);
    if (!answer) {
        if (query.has_edns != 0 && query.edns_version != 0)
            answer = maker.bare(WorldAnswerKind::badvers, DNS_RCODE_BADVERS);
        else if (question.server == 0 || query.class_ != DNS_CLASS_IN ||
                 query.type == DNS_TYPE_AXFR || query.type == DNS_TYPE_IXFR)
            answer = maker.bare(WorldAnswerKind::refused, DNS_RCODE_REFUSED);
        else
            answer = maker.answer();
    }
    if (character == ServerCharacter::drops_large && !question.is_tcp && answer->length > small_udp)
        return {.kind = WorldAnswerKind::lost, .type = query.type};
    return late(*answer);
}

} // namespace dnsgauge
