// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of captures that one Tester plays: all of them, or its own clients' if several
// Testers play the captures together.
#pragma once

#include "units/rate.h"
#include "workload/captured_queries.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

// Share i of the `of` shares has the clients i, i + of, i + 2 of, ... A Tester has `count` shares
// from `first` on.
struct ClientShares {
    std::uint32_t first = 0;
    std::uint32_t count = 1;
    std::uint32_t of = 1;

    [[nodiscard]] bool contain(std::uint32_t client) const { return client % of - first < count; }
};

class PlayedQueries
{
public:
    // All queries of the captures.
    explicit PlayedQueries(std::shared_ptr<const CapturedQueries> captured);
    // The queries of the clients in the shares. Throws SetupError if there are none.
    PlayedQueries(std::shared_ptr<const CapturedQueries> captured, const ClientShares &mine);

    [[nodiscard]] std::size_t size() const
    {
        return is_all() ? captured_->size() : numbers_.size();
    }
    // Returns the number in the captures of query `index`. Ascending.
    [[nodiscard]] std::size_t number(std::size_t index) const
    {
        return is_all() ? index : numbers_[index];
    }
    [[nodiscard]] std::int64_t due_ns(std::size_t index) const
    {
        return captured_->due_ns()[number(index)];
    }
    [[nodiscard]] CapturedQueries::Entry entry(std::size_t index) const
    {
        return captured_->entry(number(index));
    }
    // Returns the numbers of all queries; none if these are all queries of the captures.
    [[nodiscard]] std::span<const std::uint64_t> numbers() const { return numbers_; }
    [[nodiscard]] const CapturedQueries &captured() const { return *captured_; }

    // Returns a number that is above all clients' numbers.
    [[nodiscard]] std::uint32_t client_numbers() const;
    // Returns the most clients that hold something at any one time, if a client holds it after each
    // query for the time that `hold` returns for the client's number.
    using Hold = std::function<Nanoseconds(std::uint32_t client)>;
    [[nodiscard]] std::uint32_t clients_at_once(const Hold &hold) const;

    // Returns the least rate that no time span of this length exceeds.
    [[nodiscard]] Rate peak_rate(Nanoseconds span) const;

private:
    [[nodiscard]] bool is_all() const { return numbers_.empty(); }

    std::shared_ptr<const CapturedQueries> captured_;
    std::vector<std::uint64_t> numbers_;
};

// Returns how many queries the clients of each share have.
[[nodiscard]] std::vector<std::uint64_t> queries_by_share(const CapturedQueries &captured,
                                                          std::uint32_t shares);

} // namespace dnsgauge
