// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of captures, once, at their times and from their clients.
#pragma once

#include "engine/frame_headers.h"
#include "engine/message_frames.h"
#include "engine/source.h"
#include "workload/captured_queries.h"

#include <memory>
#include <optional>

namespace dnsgauge
{

class CaptureSource final : public Source
{
public:
    // Sends the queries of `captured` between `ends`. Each client's queries leave from an address
    // of `clients`; without `clients` all queries leave from the source of `ends`.
    CaptureSource(const FrameEnds &ends, std::shared_ptr<const CapturedQueries> captured,
                  const std::optional<IpPrefix> &clients);

    [[nodiscard]] SlotsHold slots_hold() const override { return SlotsHold::questions; }
    [[nodiscard]] std::uint32_t frame_length() const override { return frames_.length(); }
    [[nodiscard]] QueryLog::PutQuery put_query() const override;
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                      const SenderParts &parts) const override;

private:
    std::shared_ptr<const CapturedQueries> captured_;
    MessageFrames frames_;
    IpAddress source_;
    std::optional<IpPrefix> clients_;
};

} // namespace dnsgauge
