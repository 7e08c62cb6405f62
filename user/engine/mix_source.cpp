// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/mix_source.h"

#include "workload/mix_stream.h"
#include "workload/schedule.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

MixSource::MixSource(const FrameEnds &ends, std::shared_ptr<const MixedQueries> mixed)
    : mixed_(std::move(mixed)), frames_(ends, mixed_->longest()), source_(ends.source)
{
}

QueryLog::PutQuery MixSource::put_query() const
{
    return [mixed = mixed_](char *end, const QueryRecord &record) {
        return std::ranges::copy(mixed->text(record.query), end).out;
    };
}

std::unique_ptr<Sender> MixSource::make_sender(const SenderPlan &plan,
                                               const SenderParts &parts) const
{
    const auto [number, of] = plan.share;
    if (plan.schedule.pace.kind == Pace::Kind::constant)
        return std::make_unique<MixSender>(
            plan,
            MixStream(*mixed_, number, of, source_, ConstantRate(plan.schedule.rate, number, of)),
            frames_, parts);
    return std::make_unique<PacedMixSender>(
        plan, MixStream(*mixed_, number, of, source_, PacedSchedule(plan.schedule, number, of)),
        frames_, parts);
}

} // namespace dnsgauge
