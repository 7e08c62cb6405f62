// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/source.h"

#include "workload/name_walk.h"
#include "workload/schedule.h"

namespace dnsgauge
{

NameSource::NameSource(const QueryFormat &format, const NameRange &names, CachedShare cached)
    : frame_(format), zone_(format.zone.text), names_(names), cached_(cached)
{
}

std::unique_ptr<Sender> NameSource::make_sender(const SenderPlan &plan,
                                                const SenderParts &parts) const
{
    const auto [number, of] = plan.share;
    const NameWalk names(names_, number, of, cached_);
    if (plan.schedule.pace.kind == Pace::Kind::constant)
        return std::make_unique<NameSender>(
            plan, NameStream(names, ConstantRate(plan.schedule.rate, number, of)), frame_, parts);
    return std::make_unique<PacedNameSender>(
        plan, NameStream(names, PacedSchedule(plan.schedule, number, of)), frame_, parts);
}

} // namespace dnsgauge
