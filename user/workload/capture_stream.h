// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's share of the queries that a Tester plays, at the times and from the clients of the
// captures.
#pragma once

#include "workload/played_queries.h"
#include "workload/query.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace dnsgauge
{

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

    // Never, behind the last query.
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
                    .wants = entry.wants};
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
