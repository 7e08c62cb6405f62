// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/name_list.h"

#include "queries/message_filter.h"
#include "userland/name_text.h"
#include "userland/query_type.h"
#include "workload/query_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

using Octets = std::span<const std::uint8_t>;

constexpr unsigned flag_ra = 0x0080;

// A place in a message. Its members return nothing, or false, if the message is damaged.
class MessageReader
{
public:
    explicit MessageReader(Octets message) : message_(message) {}

    [[nodiscard]] bool has(std::size_t octets) const { return message_.size() - at_ >= octets; }

    // Steps over a name, which may be compressed, and returns the name in small letters. Pointers
    // lead to the front, each farther than the one before, so there is an end.
    std::optional<std::string> name()
    {
        constexpr unsigned pointer = DNS_POINTER >> 8U;
        std::string name;
        std::size_t at = at_;
        std::size_t before = at_;
        bool is_here = true;
        while (at < message_.size()) {
            const std::uint8_t label = message_[at];
            if (label >= pointer) {
                if (at + 2 > message_.size())
                    return {};
                if (is_here)
                    at_ = at + 2;
                is_here = false;
                at = wire_get16(message_.data() + at) & ~static_cast<unsigned>(DNS_POINTER);
                if (at >= before)
                    return {};
                before = at;
                continue;
            }
            if (label > DNS_LABEL_MAX || name.size() + 1 + label > DNS_NAME_MAX ||
                at + 1 + label > message_.size())
                return {};
            name += folded(message_.subspan(at, 1 + label));
            at += 1 + label;
            if (label == 0) {
                if (is_here)
                    at_ = at;
                return name;
            }
        }
        return {};
    }

    // Steps over octets and returns them.
    std::optional<Octets> take(std::size_t octets)
    {
        if (!has(octets))
            return {};
        at_ += octets;
        return message_.subspan(at_ - octets, octets);
    }

private:
    Octets message_;
    std::size_t at_ = DNS_HEADER_SIZE;
};

struct Record {
    std::string owner;
    std::uint16_t type = 0;
    std::uint16_t class_ = 0;
    std::uint32_t ttl = 0;
};

std::optional<Record> read_record(MessageReader &reader)
{
    std::optional<std::string> owner = reader.name();
    if (!owner)
        return {};
    const std::optional<Octets> tail = reader.take(DNS_RECORD_TAIL);
    if (!tail || !reader.take(wire_get16(tail->data() + 8)))
        return {};
    return Record{.owner = std::move(*owner),
                  .type = wire_get16(tail->data()),
                  .class_ = wire_get16(tail->data() + 2),
                  .ttl = wire_get32(tail->data() + 4)};
}

} // namespace

NameBook::Entry *NameBook::entry(const std::string &name)
{
    const auto found = names_.find(name);
    if (found != names_.end())
        return &found->second;
    if (names_.size() < most)
        return &names_[name];
    uncounted++;
    return nullptr;
}

// An answer without records proves a name only if it comes from a server of the zone or from a
// resolver. Another server's may be a referral.
void NameBook::add(const CapturedMessage &message)
{
    if (!message.is_answer())
        return;
    answers++;
    const Octets octets = message.message;
    const std::optional<Question> question = question_of(octets);
    const unsigned flags = wire_get16(octets.data() + 2);
    const unsigned rcode = message.rcode();
    unsigned records = wire_get16(octets.data() + 6);
    const bool is_certain = (flags & (DNS_AA | flag_ra)) != 0 || records != 0;
    if (!question || question->class_ != DNS_CLASS_IN ||
        (rcode != DNS_RCODE_NOERROR && rcode != DNS_RCODE_NXDOMAIN) || !is_certain) {
        useless++;
        return;
    }
    MessageReader reader(octets);
    static_cast<void>(reader.take(question->name.size() + DNS_QUESTION_TAIL));
    std::vector<Record> all;
    for (; records != 0; records--) {
        std::optional<Record> record = read_record(reader);
        if (!record) {
            useless++;
            return;
        }
        if (record->class_ == DNS_CLASS_IN && record->type != DNS_TYPE_RRSIG)
            all.push_back(std::move(*record));
    }
    if (rcode == DNS_RCODE_NXDOMAIN)
        denied++;
    else if (Entry *asked = entry(folded(question->name)))
        asked->answers++;
    for (const Record &record : all)
        if (Entry *owner = entry(record.owner)) {
            std::uint32_t &ttl = owner->ttls[record.type];
            ttl = std::max(ttl, record.ttl);
        }
}

std::vector<std::string> NameBook::lines() const
{
    std::vector<const std::pair<const std::string, Entry> *> order;
    order.reserve(names_.size());
    for (const auto &name : names_)
        order.push_back(&name);
    std::ranges::sort(order, [](const auto *a, const auto *b) {
        return a->second.answers != b->second.answers ? a->second.answers > b->second.answers
                                                      : a->first < b->first;
    });
    std::vector<std::string> lines;
    lines.reserve(order.size());
    for (const auto *name : order) {
        std::string line = name_text(name->first);
        for (const auto &[type, ttl] : name->second.ttls)
            line += fmt::format(" {} {}", query_type_text(type), ttl);
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string name_text(const std::string &wire)
{
    return name_text(std::span(reinterpret_cast<const std::uint8_t *>(wire.data()), wire.size()));
}

std::vector<std::string> read_name_list(const std::string &path, const std::string &option)
{
    const QueryList list = read_query_list(path, {.names_alone = true}, option);
    std::vector<std::string> names;
    names.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); i++)
        names.push_back(folded(question_of(list.entry(i).message)->name));
    return names;
}

} // namespace dnsgauge
