// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's queries of a mix.
#pragma once

#include "workload/mixed_queries.h"
#include "workload/query.h"

#include <cstdint>

namespace dnsgauge
{

template <Schedule Timing>
class MixStream
{
public:
    // Yields queries start, start + stride, start + 2 stride, ... of `queries`, which must outlive
    // the stream. The queries come from `source`.
    MixStream(const MixedQueries &queries, std::uint64_t start, std::uint64_t stride,
              const IpAddress &source, const Timing &timing)
        : queries_(&queries), next_(start), stride_(stride), source_(source), timing_(timing)
    {
    }

    [[nodiscard]] std::int64_t due() const { return timing_.due(); }

    // The message stays as it is until the next call.
    Query next()
    {
        const QueryList::Entry entry = queries_->write(next_, room_);
        const Query query{.message = entry.message,
                          .due_ns = timing_.due(),
                          .source = source_,
                          .expectation = entry.expectation,
                          .wants = entry.wants};
        timing_.advance();
        next_ += stride_;
        return query;
    }

private:
    const MixedQueries *queries_;
    std::uint64_t next_;
    std::uint64_t stride_;
    IpAddress source_;
    Timing timing_;
    MixedQueries::Room room_{};
};

} // namespace dnsgauge
