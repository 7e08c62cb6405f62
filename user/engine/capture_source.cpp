// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/capture_source.h"

#include "workload/capture_stream.h"
#include "workload/query_list.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

CaptureSource::CaptureSource(const FrameEnds &ends, std::shared_ptr<const CapturedQueries> captured,
                             const std::optional<IpPrefix> &clients)
    : captured_(std::move(captured)), frames_(ends, captured_->longest()), source_(ends.source),
      clients_(clients)
{
}

QueryLog::PutQuery CaptureSource::put_query() const
{
    return [captured = captured_](char *end, const QueryRecord &record) {
        return std::ranges::copy(question_text(captured->entry(record.query).message), end).out;
    };
}

std::unique_ptr<Sender> CaptureSource::make_sender(const SenderPlan &plan,
                                                   const SenderParts &parts) const
{
    const CaptureStream stream(*captured_, plan.share.number, plan.share.of, source_, clients_,
                               plan.identities.id_bits != 0);
    return std::make_unique<SenderOf<CaptureStream, MessageFrames>>(plan, stream, frames_, parts);
}

} // namespace dnsgauge
