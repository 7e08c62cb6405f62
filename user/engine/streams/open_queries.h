// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One lane's queries that may still get a reply, in the order of sending. A reply's connection and
// transaction ID find its query.
#pragma once

#include "wire/query_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dnsgauge
{

struct OpenQuery {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::int64_t sent_ns = 0; // CLOCK_MONOTONIC; before it is handed over, when it is due
    std::uint64_t expectation = 0;
    std::uint64_t key = 0;    // see query_key(); 0 if no reply can come any more
    std::uint64_t rtt_ns = 0; // if it is valid or late
    std::uint32_t wants = 0;
    // The connection on which a reply that decides the query may still come.
    std::uint32_t connection = none;
    std::uint32_t before = none; // neighbours among the connection's queries
    std::uint32_t behind = none;
    query_state state = QUERY_OUTSTANDING;
    std::uint32_t rcode = 0; // dns_rcode_count() of the reply that decided the query
    bool waited_for_open = false;
    bool is_held = false; // not sent yet: it waits for earlier replies on its connection
};

// Returns the key of a query; `serial` numbers the lane's connections from 1 on.
[[nodiscard]] constexpr std::uint64_t query_key(std::uint32_t serial, std::uint16_t id)
{
    return std::uint64_t{serial} << 16U | id;
}

class OpenQueries
{
public:
    // Has room for `room` queries or more.
    explicit OpenQueries(std::size_t room);

    [[nodiscard]] bool empty() const { return added_ == dropped_; }
    [[nodiscard]] bool is_full() const { return added_ - dropped_ == queries_.size(); }

    // Adds a query. There must be room. An older query with the same key can no longer be found.
    // Returns the number by which at() finds the query until it is dropped.
    std::uint32_t add(const OpenQuery &query);
    [[nodiscard]] OpenQuery &at(std::uint32_t number) { return queries_[number]; }
    // Returns null if no query has the key. A key is not 0.
    [[nodiscard]] OpenQuery *find(std::uint64_t key);
    [[nodiscard]] std::uint32_t number_of(const OpenQuery &query) const
    {
        return static_cast<std::uint32_t>(&query - queries_.data());
    }

    // There must be a query.
    [[nodiscard]] OpenQuery &oldest() { return queries_[dropped_ & (queries_.size() - 1)]; }
    void drop_oldest();
    // Returns the number of the query that was added last.
    [[nodiscard]] std::uint32_t newest() const
    {
        return static_cast<std::uint32_t>((added_ - 1) & (queries_.size() - 1));
    }
    // Returns how many queries have been dropped.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const
    {
        return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15ULL >> shift_);
    }
    void forget(std::uint32_t number);

    std::vector<OpenQuery> queries_; // a ring
    std::uint64_t added_ = 0;
    std::uint64_t dropped_ = 0;
    // A hash table with linear probing. A place has a query's number plus one, or 0 if it is free.
    // At most half the places are in use.
    std::vector<std::uint32_t> places_;
    unsigned shift_;
};

} // namespace dnsgauge
