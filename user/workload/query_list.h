// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A user's own queries, read from the text form that dnsperf, flamethrower and kxdpgun read.
//
// A line is a name, a type and, if wanted, flags: "www.example.org MX D". The type is a mnemonic or
// TYPE123; the flags are E (add an OPT record) and D (set DO in it). Names are absolute, with or
// without the last dot, with escapes as in zone files. A line that is empty or begins with ; or #
// is a comment.
#pragma once

#include "wire/question.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// What every query of a list has besides what its line says.
struct MessageFormat {
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size; // of the OPT record; none: none but where a line asks
    bool dnssec_ok = false;                 // in every OPT record
};

// The queries as whole messages, one behind the other in one piece of memory.
class QueryList
{
public:
    // Begins a list; `name` stands for it in messages.
    QueryList(std::string name, const MessageFormat &format);

    // Appends the query of the next line, if the line holds one. Throws SetupError, with the
    // line's number.
    void add_line(std::string_view line);
    // Ends the list. Throws SetupError: it has no queries.
    void finish();

    // Puts the queries into an order that follows from `seed` alone.
    void shuffle(std::uint64_t seed);

    struct Entry {
        std::span<const std::uint8_t> message; // its transaction ID is zero
        std::uint64_t expectation = 0;         // question_hash() by key()
    };
    [[nodiscard]] Entry entry(std::size_t index) const
    {
        const std::uint8_t *at = octets_.data() + offsets_[index];
        return {.message = {at + head_size, wire_raw16(at + 8)}, .expectation = wire_raw64(at)};
    }
    // Has the processor fetch an entry that will be asked for soon.
    void prefetch(std::size_t index) const { __builtin_prefetch(octets_.data() + offsets_[index]); }

    [[nodiscard]] std::size_t size() const { return offsets_.size(); }
    [[nodiscard]] std::size_t distinct() const { return distinct_; } // questions, letters folded
    [[nodiscard]] std::size_t longest() const { return longest_; }   // message, octets
    [[nodiscard]] std::size_t memory() const;                        // octets
    [[nodiscard]] const question_key &key() const { return key_; }   // random for each list

    // Returns question_text() of the entry.
    [[nodiscard]] std::string text(std::size_t index) const;

private:
    static constexpr std::size_t head_size = 10; // expectation, size of the message

    void append(std::span<const std::uint8_t> name, std::uint16_t type, bool edns, bool dnssec_ok);
    [[noreturn]] void refuse(const std::string &why) const;

    std::string name_;
    MessageFormat format_;
    question_key key_{};
    std::uint64_t line_ = 0;
    std::size_t distinct_ = 0;
    std::size_t longest_ = 0;
    std::vector<std::uint8_t> octets_;
    std::vector<std::uint32_t> offsets_; // of the entries, in the order in which they are asked
};

// Returns the question of a message that has a whole uncompressed one, "www.example.org. MX",
// without separators of CSV.
[[nodiscard]] std::string question_text(std::span<const std::uint8_t> message);

// Reads the file. Throws SetupError: it cannot be read, a line is no query (with its number), or
// there are none.
[[nodiscard]] QueryList read_query_list(const std::string &path, const MessageFormat &format);

// The type's number: of a mnemonic, in any case, or of TYPE123. Nothing: it is neither.
[[nodiscard]] std::optional<std::uint16_t> parse_query_type(std::string_view text);

// The mnemonic, or TYPE123.
[[nodiscard]] std::string query_type_text(std::uint16_t type);

} // namespace dnsgauge
