// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A workload's queries for engines in which a system call costs more than an indirect call: whole
// DNS messages, whatever the workload.
#pragma once

#include "units/pace.h"
#include "userland/ip_address.h"
#include "workload/open_window.h"
#include "workload/query.h"
#include "workload/workload.h"

#include "wire/identity.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace dnsgauge
{

// One sender's queries.
class QuerySource
{
public:
    QuerySource() = default;
    QuerySource(const QuerySource &) = delete;
    QuerySource &operator=(const QuerySource &) = delete;
    virtual ~QuerySource() = default;

    // Returns when the query that next() yields is due, in nanoseconds from the start.
    [[nodiscard]] virtual std::int64_t due() const = 0;
    // Returns the next query, whose transaction ID is zero. The message stays as it is until the
    // next call. Call it at most queries() times.
    virtual Query next() = 0;
    // Returns the window that is the schedule; null if another pace is.
    [[nodiscard]] virtual OpenWindow *window() { return nullptr; }

    // Returns how many queries the source yields.
    [[nodiscard]] virtual std::uint64_t queries() const = 0;
    // Returns the number in the whole schedule of the source's query `index`.
    [[nodiscard]] virtual std::uint64_t number(std::uint64_t index) const = 0;
};

// The sources of one host's senders. Sender i of `senders` has share first_share + i of `shares`
// shares of the whole schedule.
class QuerySources
{
public:
    QuerySources() = default;
    QuerySources(const QuerySources &) = delete;
    QuerySources &operator=(const QuerySources &) = delete;
    virtual ~QuerySources() = default;

    [[nodiscard]] virtual ExpectationKind expectations() const = 0;
    // Returns the length of the longest message.
    [[nodiscard]] virtual std::size_t longest() const = 0;
    // Returns the source of a sender, 0 to senders - 1. The source refers to this object.
    [[nodiscard]] virtual std::unique_ptr<QuerySource> make(std::uint32_t sender) const = 0;
    // Writes the question of query `number` of the whole schedule to `end`, where there is room for
    // QueryLog::query_text_most octets. Returns the text's end.
    virtual char *put_text(char *end, std::uint64_t number, std::uint64_t expectation) const = 0;
};

struct SourcesPlan {
    SchedulePlan schedule;     // of all hosts' senders
    std::uint64_t queries = 0; // of the whole schedule
    std::uint32_t senders = 1; // of this host
    std::uint32_t first_share = 0;
    std::uint32_t shares = 1; // of all hosts' senders
    // Each client of captures has all its queries from one sender, whose share is the client's
    // number modulo `shares`. Otherwise the senders have the queries in turn.
    bool by_client = false;
    identity_key order{}; // of names in random order; the same on all hosts
    IpAddress source;     // where the queries come from
};

// Returns the sources of a loaded workload. Queries of captures all come from the plan's source.
// Throws SetupError if this host has none of the captures' queries.
[[nodiscard]] std::unique_ptr<const QuerySources> make_query_sources(const Workload &workload,
                                                                     const SourcesPlan &plan);

} // namespace dnsgauge
