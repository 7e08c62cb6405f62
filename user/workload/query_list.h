// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A user's own queries, read from the text form that dnsperf, flamethrower and kxdpgun read, or
// from dnsperf's binary form. README.md describes both.
#pragma once

#include "input/unpack_limit.h"
#include "workload/octet_store.h"
#include "workload/prepared_file.h"
#include "workload/query_message.h"

#include "wire/judge.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// What every query of a list has besides the wishes of its line.
//
// Without edns_size queries have an OPT record only where a line asks; dnssec_ok is in every one.
struct MessageFormat : QueryHeader {
    EdnsOptions edns_options{};         // if any, every line's query has an OPT record with them
    std::uint32_t wants = WANTS_USEFUL; // of the reply
    CaseWish letters{};                 // of the queries' names, messages' too
    bool names_alone = false;           // reads a line's name alone: its query is for A
};

// The queries as whole messages, one after the other in one piece of memory.
class QueryList
{
public:
    // Begins a list; `name` stands for it in messages.
    QueryList(std::string name, const MessageFormat &format);

    // A whole list of queries that were made before. Only two parts of `format` are used: the
    // letters, and what is wanted of replies if a query's line did not say.
    QueryList(std::string name, std::shared_ptr<const PreparedFile> file,
              const MessageFormat &format);

    // Appends the query of the next line, if the line holds one. Throws SetupError, with the
    // line's number.
    void add_line(std::string_view line);
    // Appends the next message as it is. Throws SetupError, with the message's number.
    void add_message(std::span<const std::uint8_t> message);
    // Ends the list. Throws SetupError if the list has no queries.
    void finish();

    // Puts the queries into an order that follows from `seed` alone.
    void shuffle(std::uint64_t seed);

    struct Entry {
        std::span<const std::uint8_t> message; // its transaction ID is zero
        std::uint64_t expectation = 0;         // question_hash() by key()
        std::uint32_t wants = 0;
    };
    [[nodiscard]] Entry entry(std::size_t index) const
    {
        const std::uint8_t *at = base_ + order_[index];
        const std::uint32_t wants = wire_raw32(at + ListEntry::wants_at);
        return {.message = {at + ListEntry::head_size, wire_raw16(at + ListEntry::size_at)},
                .expectation = wire_raw64(at),
                .wants =
                    (wants & (WANTS_ANY_RCODE | WANTS_DATA)) != 0 ? wants : wants | format_.wants};
    }
    // Makes the processor fetch an entry that will be asked for soon.
    void prefetch(std::size_t index) const { __builtin_prefetch(base_ + order_[index]); }

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] std::size_t distinct() const { return distinct_; } // questions, letters folded
    [[nodiscard]] std::size_t longest() const { return longest_; }   // message, octets
    // Returns whether any query wants certain data in its reply.
    [[nodiscard]] bool reads_data() const { return reads_data_; }
    [[nodiscard]] std::size_t memory() const;                      // octets
    [[nodiscard]] const question_key &key() const { return key_; } // random for each list

    // Returns question_text() of query `index` of the list's endless repetition.
    [[nodiscard]] std::string text(std::uint64_t index) const;

    // Writes the list to a file that a trial maps. Throws SetupError if it cannot be written.
    void save(const std::string &path) const;

    // Yields entries start, start + stride, start + 2 stride, ... of the endless repetition of
    // `list`, which must outlive the cursor.
    class Cursor
    {
    public:
        Cursor(const QueryList &list, std::uint64_t start, std::uint64_t stride)
            : list_(&list), next_(start % list.size()), stride_(stride % list.size())
        {
        }

        Entry next()
        {
            const Entry entry = list_->entry(next_);
            next_ += stride_;
            if (next_ >= list_->size())
                next_ -= list_->size();
            list_->prefetch(next_);
            return entry;
        }

    private:
        const QueryList *list_;
        std::size_t next_;
        std::size_t stride_;
    };

private:
    // What a line asks for.
    struct Asked {
        std::span<const std::uint8_t> name; // in wire form
        std::uint16_t type = 0;
        std::uint16_t query_class = DNS_CLASS_IN;
        bool edns = false;
        bool dnssec_ok = false;
        std::uint32_t wants = 0;
        bool says_data = false; // data=
        bool says_less = false; // rcode= or answers=
    };

    void read_rest(std::string_view line, Asked &asked) const;
    void read_wish(std::string_view word, Asked &asked) const;
    [[nodiscard]] std::uint32_t read_data(std::string_view text, const Asked &asked) const;
    [[nodiscard]] std::uint8_t *add_entry(std::size_t size);
    void append(const Asked &asked);
    void append(std::span<const std::uint8_t> message, std::uint32_t wants);
    void finish_entry(std::uint8_t *entry, std::size_t size, std::uint32_t wants);
    [[noreturn]] void refuse(const std::string &why) const;

    std::string name_;
    MessageFormat format_;
    question_key key_{};
    std::optional<CaseMixer> case_mixer_;
    const char *unit_ = "line"; // what number_ counts
    std::uint64_t number_ = 0;
    std::vector<std::uint8_t> message_; // of the line at hand
    std::size_t distinct_ = 0;
    std::size_t longest_ = 0;
    bool reads_data_ = false;
    OctetStore octets_;
    std::vector<std::uint32_t> offsets_; // of the entries, in the order in which they are asked
    std::shared_ptr<const PreparedFile> prepared_; // in place of the octets
    // Both are of the octets or of the file.
    const std::uint8_t *base_ = nullptr;
    std::span<const std::uint32_t> order_;
};

// Returns whether all servers write the data of a record of `type` alike. Servers may compress
// names, or write them in other letters; a question for a set of types has data of several.
[[nodiscard]] bool has_plain_data(std::uint16_t type);

// Returns the data of a record of `type` from `text`: an IPv4 address for A, an IPv6 address for
// AAAA, pairs of hexadecimal digits for other types. Throws SetupError if `text` is something else,
// if the data are too long, or if a server may compress a name in such data.
[[nodiscard]] std::vector<std::uint8_t> parse_record_data(std::uint16_t type,
                                                          std::string_view text);

// Returns the question of a message that has a whole uncompressed one, "www.example.org. MX",
// without separators of CSV.
[[nodiscard]] std::string question_text(std::span<const std::uint8_t> message);

// Reads the file `path`, or standard input if that is "-"; gzip, zstd or xz may have packed it. A
// file that begins with an octet below 9 is in the binary form. Throws SetupError if the file
// cannot be read, if a line or a message is no query (the error names its number), if there is no
// query, or if the queries take more than 4 GiB. `option` named the file; it may be empty.
[[nodiscard]] QueryList read_query_list(const std::string &path, const MessageFormat &format,
                                        const std::string &option = "--queries",
                                        UnpackLimit limit = {});

} // namespace dnsgauge
