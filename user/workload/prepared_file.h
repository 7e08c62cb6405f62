// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries as a trial has them in memory, in a file: dnsgauge-queries writes it, and a trial maps
// it.
//
// The file has a head, the entries, and tables. A list's table has the entries' offsets in the
// order in which they are asked. The tables of captures have the times at which the queries are
// due, the entries' offsets, and the clients' addresses. All numbers are in this machine's form.
#pragma once

#include "dns/ip_address.h"

#include "wire/question.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dnsgauge
{

enum class PreparedKind : std::uint32_t { list = 1, captures = 2 };

// An entry begins with its head, in this order; the message follows.
struct ListEntry {
    static constexpr std::size_t wants_at = 8; // the expectation comes first
    static constexpr std::size_t size_at = 12; // of the message
    static constexpr std::size_t head_size = 14;
};

struct CapturedEntry {
    static constexpr std::size_t client_at = 8;
    static constexpr std::size_t wants_at = 12; // with the data of the capture's answer
    static constexpr std::size_t number_at =
        16; // the same, with the number of records in place of the data
    static constexpr std::size_t size_at = 20;
    static constexpr std::uint16_t over_tcp = 0x8000; // a bit of the size: TCP carried the query
    static constexpr std::size_t port_at = 22;
    static constexpr std::size_t head_size = 24;

    // Returns the size of an entry's message.
    [[nodiscard]] static std::size_t size_of(const std::uint8_t *entry)
    {
        return static_cast<std::size_t>(wire_raw16(entry + size_at) % over_tcp);
    }
    [[nodiscard]] static bool is_over_tcp(const std::uint8_t *entry)
    {
        return (wire_raw16(entry + size_at) & over_tcp) != 0;
    }
};

struct PreparedHead {
    std::array<std::uint8_t, 8> magic{};
    std::uint32_t order = 0; // of octets in a number
    std::uint32_t version = 0;
    PreparedKind kind{};
    std::uint32_t clients = 0; // of captures
    std::uint64_t queries = 0;
    std::uint64_t octets = 0;   // of the entries
    std::uint64_t distinct = 0; // of a list: see QueryList
    question_key key{};         // of the entries' expectations
};

// Views of what such a file holds.
class PreparedQueries
{
public:
    // Looks at each query in `file`, the file's octets, which must outlive the object and begin at
    // a multiple of eight. Throws SetupError, which says what is wrong with the file.
    explicit PreparedQueries(std::span<const std::uint8_t> file);

    [[nodiscard]] const PreparedHead &head() const { return head_; }
    [[nodiscard]] std::span<const std::uint8_t> entries() const { return entries_; }
    // A list's entries, in the order in which they are asked.
    [[nodiscard]] std::span<const std::uint32_t> offsets() const { return offsets_; }
    // Captures' ascending times from the first read message, offsets of entries, and clients.
    [[nodiscard]] std::span<const std::int64_t> due_ns() const { return due_ns_; }
    [[nodiscard]] std::span<const std::uint64_t> places() const { return places_; }
    [[nodiscard]] IpAddress client(std::uint32_t number) const;

    // Return the size of the longest message, and what all queries together want.
    [[nodiscard]] std::size_t longest() const { return longest_; }
    [[nodiscard]] std::uint32_t wants() const { return wants_; }

private:
    void check_entry(std::uint64_t index, std::uint64_t at);

    PreparedHead head_;
    std::span<const std::uint8_t> entries_;
    std::span<const std::uint32_t> offsets_;
    std::span<const std::int64_t> due_ns_;
    std::span<const std::uint64_t> places_;
    std::span<const std::uint8_t> clients_;
    std::size_t longest_ = 0;
    std::uint32_t wants_ = 0;
};

// Maps a file into memory. Owns the mapping.
class PreparedFile
{
public:
    // `option` named the file. Throws SetupError if the file cannot be read, is damaged, or is of
    // another kind.
    PreparedFile(const std::string &option, const std::string &path, PreparedKind kind);

    [[nodiscard]] const PreparedQueries &queries() const { return queries_; }
    [[nodiscard]] std::size_t size() const { return mapping_.octets.size(); }

private:
    struct Mapping {
        explicit Mapping(const std::string &name, const std::string &path);
        Mapping &operator=(Mapping &&) = delete;
        ~Mapping();
        std::span<const std::uint8_t> octets;
    };
    [[nodiscard]] static PreparedQueries checked(const Mapping &mapping, const std::string &name,
                                                 PreparedKind kind);

    Mapping mapping_;
    PreparedQueries queries_;
};

// Returns whether the file begins like a prepared one; false if it cannot be read.
[[nodiscard]] bool is_prepared(const std::string &path);

// What such a file is to hold. A list fills `offsets`; captures fill `due_ns`, `places` and
// `clients`.
struct PreparedParts {
    PreparedKind kind{};
    const question_key &key;
    std::uint64_t distinct = 0;
    std::span<const std::uint8_t> entries;
    std::span<const std::uint32_t> offsets{};
    std::span<const std::int64_t> due_ns{};
    std::span<const std::uint64_t> places{};
    std::span<const IpAddress> clients{};
};

// Writes the file. Throws SetupError if it cannot be written.
void write_prepared(const std::string &path, const PreparedParts &parts);

} // namespace dnsgauge
