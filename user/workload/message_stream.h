// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's queries of a list or of a mix.
#pragma once

#include "workload/query.h"
#include "workload/query_list.h"

#include <cstdint>

namespace dnsgauge
{

// `Cursor` is QueryList's or MixedQueries'.
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

private:
    Cursor cursor_;
    IpAddress source_;
    Timing timing_;
};

} // namespace dnsgauge
