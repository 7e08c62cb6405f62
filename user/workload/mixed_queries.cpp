// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/mixed_queries.h"

#include "wire/test_name.h"

#include <algorithm>
#include <initializer_list>

namespace dnsgauge
{

namespace
{

// Returns the number of the entry. The constructor makes the entries in this order.
std::size_t entry_of(const MixedQuery &query, bool has_aaaa)
{
    return ((query.type * 2 + (query.dnssec_ok ? 1 : 0)) * 2 + (query.exists ? 1 : 0)) * 2 +
           (has_aaaa ? 1 : 0);
}

} // namespace

MixedQueries::MixedQueries(const QueryMix &mix, const MessageFormat &format)
    : mix_(mix), entries_("--types", format)
{
    for (std::size_t type = 0; type < mix.types.size(); type++)
        for (const bool dnssec_ok : {false, true})
            for (const bool exists : {false, true})
                for (const bool has_aaaa : {false, true}) {
                    QueryMix one = mix;
                    one.aaaa_share = has_aaaa ? 100 : 0;
                    entries_.add_line(mixed_line(
                        one, {.dnssec_ok = dnssec_ok, .exists = exists, .type = type}, 0));
                }
    entries_.finish();
}

QueryList::Entry MixedQueries::write(std::uint64_t index, Room &room) const
{
    const MixedQuery query = mixed_query(mix_, index);
    const std::uint32_t address = mixed_address(mix_, index);
    QueryList::Entry entry =
        entries_.entry(entry_of(query, test_name_has_aaaa(address, mix_.aaaa_share) != 0));
    std::ranges::copy(entry.message, room.begin());
    test_name_write(room.data() + DNS_HEADER_SIZE + 1 + (query.exists ? 0 : missing_prefix.size()),
                    address);
    entry.message = std::span(room).first(entry.message.size());
    __u64 hash = 0;
    // The entry's question could be hashed, and this one has the same size.
    static_cast<void>(
        question_hash({room.data(), room.data() + entry.message.size()}, &key(), &hash));
    entry.expectation = hash;
    return entry;
}

std::string MixedQueries::text(std::uint64_t index) const
{
    Room room{};
    return question_text(write(index, room).message);
}

} // namespace dnsgauge
