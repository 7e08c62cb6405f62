// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of a list or of a mix.
#pragma once

#include "workload/streams.h"
#include "xdp/frame_headers.h"
#include "xdp/message_frames.h"
#include "xdp/paced_sender.h"
#include "xdp/source.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace dnsgauge
{

// `Queries` is QueryList or MixedQueries.
template <class Queries>
class QueriesSource final : public Source
{
public:
    // Sends the queries between `ends`.
    QueriesSource(const FrameEnds &ends, std::shared_ptr<const Queries> queries)
        : queries_(std::move(queries)), frames_(ends, queries_->longest()), source_(ends.source)
    {
    }

    [[nodiscard]] ExpectationKind expectations() const override
    {
        return ExpectationKind::questions;
    }
    [[nodiscard]] std::uint32_t frame_length() const override { return frames_.length(); }
    [[nodiscard]] QueryLog::PutQuery put_query() const override
    {
        return [queries = queries_](char *end, const QueryRecord &record) {
            return std::ranges::copy(queries->text(record.query), end).out;
        };
    }
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                      const SenderParts &parts) const override
    {
        const auto [number, of] = plan.share;
        const typename Queries::Cursor cursor(*queries_, number, of);
        return make_paced_sender(plan, frames_, parts, [&](const auto &schedule) {
            return MessageStream(cursor, source_, schedule);
        });
    }

private:
    std::shared_ptr<const Queries> queries_;
    MessageFrames frames_;
    IpAddress source_;
};

} // namespace dnsgauge
