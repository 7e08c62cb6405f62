// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of queries.
#pragma once

#include "dns/zone_name.h"
#include "workload/edns_options.h"

#include "wire/dns.h"
#include "wire/question.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

namespace dnsgauge
{

struct CaseWish {
    bool exact = false; // a reply must have the letters as they were sent
    // The letters of the queries' names get cases that follow from this number. If unset, they
    // stay.
    std::optional<std::uint64_t> seed{};
};

// Returns a random key for such replies.
[[nodiscard]] question_key new_question_key(const CaseWish &wish);

// Gives letters their cases, a random bit for each.
class CaseMixer
{
public:
    explicit CaseMixer(std::uint64_t seed) : random_(seed) {}

    // Mixes the letters of the name in the question of `message`, which question_hash() takes.
    void mix(std::span<std::uint8_t> message);

private:
    std::mt19937_64 random_;
};

struct QueryHeader {
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size{}; // of the OPT record; none without one
    bool dnssec_ok = false;                   // needs edns_size
};

struct QueryMessage : QueryHeader {
    std::uint16_t id = 0;
    std::span<const std::uint8_t> name{}; // in wire form
    std::uint16_t type = DNS_TYPE_AAAA;
    std::uint16_t query_class = DNS_CLASS_IN;
    const EdnsOptions *options = nullptr; // needs edns_size; null if none
};

// Writes the query in place of what `message` holds.
void write_query(const QueryMessage &query, std::vector<std::uint8_t> &message);

// A query for a name of the test namespace.
struct NameFormat : QueryHeader {
    ZoneName zone{};
    std::uint16_t type = DNS_TYPE_AAAA;
};

// Returns the message that asks for the name of address 0. Its transaction ID is zero. The name
// follows the header, and test_name_write() makes it another one.
[[nodiscard]] std::vector<std::uint8_t> name_message(const NameFormat &format);

// Appends octets and big-endian numbers to `octets`, which must outlive the writer.
class OctetWriter
{
public:
    explicit OctetWriter(std::vector<std::uint8_t> &octets) : octets_(octets) {}

    void put(const auto &octets) { octets_.insert(octets_.end(), octets.begin(), octets.end()); }
    void put8(std::uint8_t value) { octets_.push_back(value); }
    void put16(std::size_t value)
    {
        put8(static_cast<std::uint8_t>(value >> 8U));
        put8(static_cast<std::uint8_t>(value));
    }
    void put_zeros(std::size_t count) { octets_.resize(octets_.size() + count); }

    [[nodiscard]] std::size_t size() const { return octets_.size(); }

private:
    std::vector<std::uint8_t> &octets_;
};

} // namespace dnsgauge
