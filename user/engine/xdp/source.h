// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What an engine sends: a source makes the sender of each lane, compiled for the source's kind of
// queries, so that no query costs an indirect call.
#pragma once

#include "engine/query_log.h"
#include "xdp/frame_template.h"
#include "xdp/reply_clock.h"
#include "xdp/sender.h"

#include <cstdint>
#include <memory>
#include <string>

namespace dnsgauge
{

class Source
{
public:
    Source() = default;
    Source(const Source &) = delete;
    Source &operator=(const Source &) = delete;
    virtual ~Source() = default;

    [[nodiscard]] virtual ExpectationKind expectations() const = 0;
    // Returns the length of the longest frame.
    [[nodiscard]] virtual std::uint32_t frame_length() const = 0;
    // Returns what writes a query into the per-query log.
    [[nodiscard]] virtual QueryLog::PutQuery put_query() const = 0;
    // Returns the port of the query's client, if queries keep their clients' ports.
    [[nodiscard]] virtual std::uint16_t client_port(const QueryRecord & /*record*/) const
    {
        return 0;
    }
    // Returns the sender of a share of the queries. The sender refers to the source and to `parts`.
    [[nodiscard]] virtual std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                              const SenderParts &parts) const = 0;
};

// Queries for names of the test namespace, in the order of a NameWalk.
class NameSource final : public Source
{
public:
    NameSource(const QueryFormat &format, const NameRange &names, CachedShare cached,
               const NameKey &key = {});

    [[nodiscard]] ExpectationKind expectations() const override { return ExpectationKind::names; }
    [[nodiscard]] std::uint32_t frame_length() const override { return frame_.length(); }
    [[nodiscard]] QueryLog::PutQuery put_query() const override { return put_names_of(zone_); }
    [[nodiscard]] std::unique_ptr<Sender> make_sender(const SenderPlan &plan,
                                                      const SenderParts &parts) const override;

private:
    FrameTemplate frame_;
    std::string zone_;
    NameRange names_;
    CachedShare cached_;
    NameKey key_;
};

} // namespace dnsgauge
