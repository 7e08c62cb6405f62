// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's queries of a list, over and over in the list's order.
#pragma once

#include "workload/query.h"
#include "workload/query_list.h"

#include <cstddef>
#include <cstdint>

namespace dnsgauge
{

template <Schedule Timing>
class ListStream
{
public:
    // Yields queries start, start + stride, start + 2 stride, ... of the endless repetition of
    // `list`. The queries come from `source`. The list must outlive the stream.
    ListStream(const QueryList &list, std::uint64_t start, std::uint64_t stride,
               const IpAddress &source, const Timing &timing)
        : list_(&list), next_(start % list.size()), stride_(stride % list.size()), source_(source),
          timing_(timing)
    {
    }

    [[nodiscard]] std::int64_t due() const { return timing_.due(); }

    Query next()
    {
        const QueryList::Entry entry = list_->entry(next_);
        const Query query{.message = entry.message,
                          .due_ns = timing_.due(),
                          .source = source_,
                          .expectation = entry.expectation,
                          .wants = entry.wants};
        timing_.advance();
        next_ += stride_;
        if (next_ >= list_->size())
            next_ -= list_->size();
        list_->prefetch(next_);
        return query;
    }

private:
    const QueryList *list_;
    std::size_t next_;
    std::size_t stride_;
    IpAddress source_;
    Timing timing_;
};

} // namespace dnsgauge
