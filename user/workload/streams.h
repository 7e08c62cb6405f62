// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The streams of one sender: its share of a workload's queries. See workload/query.h.
#pragma once

#include "workload/name_walk.h"
#include "workload/played_queries.h"
#include "workload/query.h"
#include "workload/query_list.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace dnsgauge
{

// One sender's queries for names of the test namespace.
template <Schedule Timing>
class NameStream
{
public:
    NameStream(const NameWalk &names, const Timing &timing) : names_(names), timing_(timing) {}

    [[nodiscard]] std::int64_t due() const { return timing_.due(); }

    NameQuery next()
    {
        const NameQuery query{.due_ns = timing_.due(), .expectation = names_.next()};
        timing_.advance();
        return query;
    }
    [[nodiscard]] Timing &timing() { return timing_; }

private:
    NameWalk names_;
    Timing timing_;
};

// The cursor of connections, which carry no query.
struct NoMessages {
    static QueryList::Entry next() { return {}; }
};

// One sender's queries of a list or of a mix, or its connections.
//
// `Cursor` is QueryList's, MixedQueries' or NoMessages.
template <class Cursor, Schedule Timing>
class MessageStream
{
public:
    // Yields the cursor's queries at the times of `timing`. The queries come from `source`.
    MessageStream(const Cursor &cursor, const IpAddress &source, const Timing &timing)
        : cursor_(cursor), source_(source), timing_(timing)
    {
    }

    [[nodiscard]] std::int64_t due() const { return timing_.due(); }

    // The message stays as it is until the next call.
    Query next()
    {
        const QueryList::Entry entry = cursor_.next();
        const Query query{.message = entry.message,
                          .due_ns = timing_.due(),
                          .source = source_,
                          .expectation = entry.expectation,
                          .wants = entry.wants};
        timing_.advance();
        return query;
    }
    [[nodiscard]] Timing &timing() { return timing_; }

private:
    Cursor cursor_;
    IpAddress source_;
    Timing timing_;
};

// One sender's share of the queries that a Tester plays, at the times and from the clients of the
// captures.
class CaptureStream
{
public:
    // Queries start, start + stride, start + 2 stride, ... of `queries`, which must outlive the
    // stream. Each client has its address in `clients`, or all have `source`. With `keeps_ports`,
    // which needs `clients`, each also has its port.
    CaptureStream(const PlayedQueries &queries, std::uint64_t start, std::uint64_t stride,
                  const IpAddress &source, const std::optional<IpPrefix> &clients,
                  bool keeps_ports = false)
        : queries_(&queries), next_(start), stride_(stride), source_(source), clients_(clients),
          keeps_ports_(keeps_ports)
    {
    }

    // Never, after the last query.
    [[nodiscard]] std::int64_t due() const
    {
        return next_ < queries_->size() ? queries_->due_ns(next_)
                                        : std::numeric_limits<std::int64_t>::max();
    }

    Query next()
    {
        const CapturedQueries::Entry entry = queries_->entry(next_);
        Query query{.message = entry.message,
                    .due_ns = due(),
                    .source = source_,
                    .expectation = entry.expectation,
                    .wants = entry.wants,
                    .client = entry.client};
        if (clients_) {
            query.source = clients_->address(std::uint64_t{entry.client} + 1);
            query.port = keeps_ports_ ? entry.port : std::uint16_t{0};
            query.expectation +=
                question_client(query.source.bytes.data(), query.source.is_ipv6 ? 1 : 0, query.port,
                                &queries_->captured().key());
        }
        next_ += stride_;
        return query;
    }

private:
    const PlayedQueries *queries_;
    std::size_t next_;
    std::size_t stride_;
    IpAddress source_;
    std::optional<IpPrefix> clients_;
    bool keeps_ports_;
};

} // namespace dnsgauge
