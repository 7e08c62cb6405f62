// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/list_source.h"

#include "workload/list_stream.h"
#include "workload/schedule.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dnsgauge
{

ListSource::ListSource(const FrameEnds &ends, std::shared_ptr<const QueryList> list)
    : list_(std::move(list)), frames_(ends, list_->longest()), source_(ends.source)
{
}

QueryLog::PutQuery ListSource::put_query() const
{
    return [list = list_](char *end, const QueryRecord &record) {
        return std::ranges::copy(list->text(record.query % list->size()), end).out;
    };
}

std::unique_ptr<Sender> ListSource::make_sender(const SenderPlan &plan,
                                                const SenderParts &parts) const
{
    const auto [number, of] = plan.share;
    if (plan.schedule.pace.kind == Pace::Kind::constant)
        return std::make_unique<ListSender>(
            plan,
            ListStream(*list_, number, of, source_, ConstantRate(plan.schedule.rate, number, of)),
            frames_, parts);
    return std::make_unique<PacedListSender>(
        plan, ListStream(*list_, number, of, source_, PacedSchedule(plan.schedule, number, of)),
        frames_, parts);
}

} // namespace dnsgauge
