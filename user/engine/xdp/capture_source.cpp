// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/capture_source.h"

#include "workload/query_list.h"
#include "workload/streams.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

CaptureSource::CaptureSource(const FrameEnds &ends, PlayedQueries played,
                             const std::optional<IpPrefix> &clients)
    : played_(std::move(played)), frames_(ends, played_.captured().longest()), source_(ends.source),
      clients_(clients)
{
}

QueryLog::PutQuery CaptureSource::put_query() const
{
    return [this](char *end, const QueryRecord &record) {
        const CapturedQueries::Entry entry = played_.captured().entry(record.query);
        return std::ranges::copy(question_text(entry.message), end).out;
    };
}

std::unique_ptr<Sender> CaptureSource::make_sender(const SenderPlan &plan,
                                                   const SenderParts &parts) const
{
    SenderPlan mine = plan;
    mine.share = {.number = plan.lane, .of = plan.identities.senders};
    mine.queries = played_.size();
    mine.numbers = played_.numbers();
    const CaptureStream stream(played_, mine.share.number, mine.share.of, source_, clients_,
                               plan.identities.id_bits != 0);
    return std::make_unique<SenderOf<CaptureStream, MessageFrames>>(mine, stream, frames_, parts);
}

} // namespace dnsgauge
