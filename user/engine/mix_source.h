// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of a mix.
#pragma once

#include "engine/frame_headers.h"
#include "engine/message_frames.h"
#include "engine/source.h"
#include "workload/mixed_queries.h"

#include <memory>

namespace dnsgauge
{

class MixSource final : public Source
{
public:
    // Sends the queries of `mixed` between `ends`.
    MixSource(const FrameEnds &ends, std::shared_ptr<const MixedQueries> mixed);

    [[nodiscard]] SlotsHold slots_hold() const override { return SlotsHold::questions; }
    [[nodiscard]] std::uint32_t frame_length() const override { return frames_.length(); }
    [[nodiscard]] QueryLog::PutQuery put_query() const override;
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                      const SenderParts &parts) const override;

private:
    std::shared_ptr<const MixedQueries> mixed_;
    MessageFrames frames_;
    IpAddress source_;
};

} // namespace dnsgauge
