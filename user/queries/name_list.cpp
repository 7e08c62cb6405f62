// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/name_list.h"

#include "dns/name_text.h"
#include "dns/query_type.h"
#include "queries/message_filter.h"
#include "workload/query_list.h"

#include <arpa/nameser.h>
#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Returns the name that owns the record, in wire form and small letters.
std::string owner_of(const ns_rr &record)
{
    NameOfText name;
    static_cast<void>(read_name(ns_rr_name(record), name));
    return folded(name.wire());
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

// An answer without records proves that a name exists only if it comes from a server of the zone or
// from a resolver. From another server it may be a referral.
void NameBook::add(const CapturedMessage &message)
{
    if (!message.is_answer())
        return;
    answers++;
    const std::span<const std::uint8_t> octets = message.message;
    const std::optional<Question> question = question_of(octets);
    const unsigned flags = wire_get16(octets.data() + 2);
    const unsigned rcode = message.rcode();
    ns_msg answer{};
    bool is_useful = question && question->class_ == DNS_CLASS_IN &&
                     (rcode == DNS_RCODE_NOERROR || rcode == DNS_RCODE_NXDOMAIN) &&
                     ns_initparse(octets.data(), static_cast<int>(octets.size()), &answer) == 0;
    std::vector<ns_rr> records(is_useful ? ns_msg_count(answer, ns_s_an) : 0U);
    for (std::size_t i = 0; i < records.size(); i++)
        is_useful =
            is_useful && ns_parserr(&answer, ns_s_an, static_cast<int>(i), &records[i]) == 0;
    if (!is_useful || ((flags & (DNS_AA | DNS_RA)) == 0 && records.empty())) {
        useless++;
        return;
    }
    if (rcode == DNS_RCODE_NXDOMAIN)
        denied++;
    else if (Entry *asked = entry(folded(question->name)))
        asked->answers++;
    for (const ns_rr &record : records) {
        if (record.rr_class != DNS_CLASS_IN || record.type == DNS_TYPE_RRSIG)
            continue;
        if (Entry *owner = entry(owner_of(record))) {
            std::uint32_t &ttl = owner->ttls[record.type];
            ttl = std::max(ttl, record.ttl);
        }
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
