// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any octets as the lines of a list of queries, and as a message of a list. An accepted query
// can be read by a server, and its text reads as the same question. Reads them as a file of
// prepared queries, too: each query of one that is accepted has its question's hash. An error is
// one line.
#include "fuzz.h"

#include "support/exact_buffer.h"
#include "system/setup_error.h"
#include "wire/dns.h"
#include "workload/prepared_file.h"
#include "workload/query_list.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// The question of a message without anything after it.
std::span<const std::uint8_t> question(std::span<const std::uint8_t> message,
                                       const dns_query &query)
{
    return message.subspan(DNS_HEADER_SIZE, std::size_t{query.name_length} + DNS_QUESTION_TAIL);
}

dns_query read_back(std::span<const std::uint8_t> message)
{
    dns_query query{};
    must(dns_read_query(ExactBuffer(message).cursor(), 0, &query) == DNS_QUERY_GOOD,
         "a server can read the query");
    return query;
}

// Finds the question after the header of a message that a list has taken.
dns_query question_of(std::span<const std::uint8_t> message)
{
    const ExactBuffer buffer(message);
    wire_cursor name = buffer.cursor();
    dns_query query{};
    name.pos += DNS_HEADER_SIZE;
    query.name_length = static_cast<__u16>(dns_skip_name(&name, &query.label_starts));
    must(query.name_length != 0, "a message that is taken has a question");
    return query;
}

// `is_own`: the list has made the message, and has not been given it.
template <class Add>
void understand(Add add, bool is_own)
{
    QueryList list("list", {});
    try {
        add(list);
    } catch (const SetupError &error) {
        must(is_plain_line(error.what()), "what is wrong is told in one line");
        return;
    }
    if (list.size() == 0)
        return;
    const QueryList::Entry entry = list.entry(0);
    const dns_query query = is_own ? read_back(entry.message) : question_of(entry.message);
    must(entry.message.size() == list.longest(), "the longest message is known");
    __u64 hash = 0;
    must(question_hash(ExactBuffer(entry.message).cursor(), &list.key(), &hash) != 0 &&
             hash == entry.expectation,
         "the expectation is the question's hash");

    const std::string text = list.text(0);
    must(text.size() <= 1100 && is_plain_line(text) && text.find(';') == std::string::npos,
         "a query's text fits a field of CSV");
    QueryList again("list", {});
    again.add_line(text);
    must(again.size() == 1, "a query's text is a query");
    const QueryList::Entry same = again.entry(0);
    must(std::ranges::equal(question(entry.message, query),
                            question(same.message, read_back(same.message))),
         "a query's text is the same question");
}

void understand_prepared(std::span<const std::uint8_t> file)
{
    // A mapping begins at a page.
    std::vector<std::uint64_t> room(file.size() / sizeof(std::uint64_t) + 1);
    auto *const octets = reinterpret_cast<std::uint8_t *>(room.data());
    std::ranges::copy(file, octets);
    try {
        const PreparedQueries queries({octets, file.size()});
        const bool is_list = queries.head().kind == PreparedKind::list;
        for (std::uint64_t i = 0; i < queries.head().queries; i++) {
            const std::uint8_t *const entry =
                queries.entries().data() + (is_list ? queries.offsets()[i] : queries.places()[i]);
            const std::size_t size =
                wire_raw16(entry + (is_list ? ListEntry::size_at : CapturedEntry::size_at));
            const std::span message(
                entry + (is_list ? ListEntry::head_size : CapturedEntry::head_size), size);
            must(size <= queries.longest(), "the longest message is known");
            __u64 hash = 0;
            must(question_hash(ExactBuffer(message).cursor(), &queries.head().key, &hash) != 0 &&
                     hash == wire_raw64(entry),
                 "the expectation is the question's hash");
            if (!is_list)
                static_cast<void>(queries.client(wire_raw32(entry + CapturedEntry::client_at)));
        }
    } catch (const SetupError &error) {
        must(is_plain_line(error.what()), "what is wrong is told in one line");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::string_view text(reinterpret_cast<const char *>(data), size);
    understand_prepared({data, size});
    understand([&](QueryList &list) { list.add_message({data, size}); }, false);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        understand([line](QueryList &list) { list.add_line(line); }, true);
        text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
    return 0;
}
