// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/source.h"

#include "workload/name_walk.h"
#include "xdp/paced_sender.h"

namespace dnsgauge
{

NameSource::NameSource(const QueryFormat &format, const NameRange &names, CachedShare cached,
                       const NameKey &key)
    : frame_(format), zone_(format.zone.text), names_(names), cached_(cached), key_(key)
{
}

std::unique_ptr<Sender> NameSource::make_sender(const SenderPlan &plan,
                                                const SenderParts &parts) const
{
    const auto [number, of] = plan.share;
    const NameWalk names(names_, number, of, cached_, key_);
    return make_paced_sender(plan, frame_, parts,
                             [&](const auto &schedule) { return NameStream(names, schedule); });
}

} // namespace dnsgauge
