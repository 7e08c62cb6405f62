// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of captures that one Tester plays once, at their times and from their clients.
#pragma once

#include "workload/played_queries.h"
#include "xdp/frame_headers.h"
#include "xdp/message_frames.h"
#include "xdp/source.h"

#include <memory>
#include <optional>

namespace dnsgauge
{

class CaptureSource final : public Source
{
public:
    // Sends the queries of `played` between `ends`. Each client's queries leave from an address
    // of `clients`; without `clients` all queries leave from the source of `ends`.
    CaptureSource(const FrameEnds &ends, PlayedQueries played,
                  const std::optional<IpPrefix> &clients);

    [[nodiscard]] ExpectationKind expectations() const override
    {
        return ExpectationKind::questions;
    }
    [[nodiscard]] std::uint32_t frame_length() const override { return frames_.length(); }
    [[nodiscard]] QueryLog::PutQuery put_query() const override;
    [[nodiscard]] std::uint16_t client_port(const QueryRecord &record) const override
    {
        return played_.captured().entry(record.query).port;
    }
    // This host's senders take turns with the queries, whatever their shares of the whole schedule.
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                      const SenderParts &parts) const override;

private:
    PlayedQueries played_;
    MessageFrames frames_;
    IpAddress source_;
    std::optional<IpPrefix> clients_;
};

} // namespace dnsgauge
