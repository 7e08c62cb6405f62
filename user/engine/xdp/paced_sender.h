// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sender for the pace of a plan.
#pragma once

#include "workload/schedule.h"
#include "xdp/sender.h"

#include <memory>

namespace dnsgauge
{

// Returns a sender of the stream that `stream_of` makes of a schedule; `frames` writes the frames.
// The schedule of a constant pace is a ConstantRate, which costs least per query. A window is its
// own schedule. All other paces have a PacedSchedule.
template <class Frames, class StreamOf>
[[nodiscard]] std::unique_ptr<Sender>
make_paced_sender(const SenderPlan &plan, const Frames &frames, const SenderParts &parts,
                  const StreamOf &stream_of)
{
    const auto send_at = [&](const auto &schedule) -> std::unique_ptr<Sender> {
        auto stream = stream_of(schedule);
        return std::make_unique<SenderOf<decltype(stream), Frames>>(plan, stream, frames, parts);
    };
    const auto [number, of] = plan.share;
    if (plan.schedule.pace.kind == Pace::Kind::constant)
        return send_at(ConstantRate(plan.schedule.rate, number, of));
    if (plan.schedule.pace.kind == Pace::Kind::window)
        return send_at(window_of(plan.schedule.pace, of));
    return send_at(PacedSchedule(plan.schedule, number, of));
}

} // namespace dnsgauge
