// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender: its own transmit queue, its own share of the schedule, ports and slots.
//
// run() is the packet loop: no allocation, no lock, no formatting, and no system call but the kick
// that makes the kernel send. It never resets its schedule: a sender that is behind sends all that
// is due in batches of at most batch_limit, and how late each query was goes into a histogram.
//
// Sender is what all senders have in common; SenderOf is compiled for each kind of stream and the
// writer of its frames, so that what a query costs is the stream's and the writer's own work.
#pragma once

#include "engine/driver_lag.h"
#include "engine/frame_template.h"
#include "engine/hardware_rtt.h"
#include "engine/histogram.h"
#include "engine/message_frames.h"
#include "engine/query_log.h"
#include "engine/slots.h"
#include "workload/capture_stream.h"
#include "workload/list_stream.h"
#include "workload/name_stream.h"
#include "workload/query.h"
#include "workload/schedule.h"
#include "workload/share.h"
#include "xsk/tx_socket.h"

#include <atomic>
#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace dnsgauge
{

struct SenderPlan {
    std::uint32_t lane = 0;    // number on this host: the sender's ports and slots
    Share share;               // of the schedule of all hosts' senders
    std::uint64_t queries = 0; // of the whole schedule
    Rate rate;                 // likewise
    Nanoseconds timeout{};
    IdentityPlan identities;                // of this host's senders
    std::span<const std::int64_t> due_ns{}; // of the whole schedule; empty: due_at(rate, i)
};

// What a sender uses, and what must outlive the sender.
struct SenderParts {
    Umem &umem;
    TxSocket &socket;
    std::span<query_slot> slots; // the sender's own
    QueryRing *log = nullptr;    // may be null
    StampBook *stamps = nullptr; // may be null
};

struct SenderRecord {
    std::uint64_t handed_over = 0;    // queries the kernel has been given
    std::uint64_t recycled_early = 0; // see OwnLosses
    std::uint64_t not_logged = 0;     // records for which the query log had no room
    std::int64_t last_sent_ns = 0;    // CLOCK_MONOTONIC
    std::int64_t driver_lag_ns = 0;   // see SendingSummary
    bool link_failed = false;
    Histogram lateness;
    std::vector<std::uint64_t> bursts; // [n]: batches of n queries
};

class Sender
{
public:
    static constexpr std::uint32_t batch_limit = 32; // what one kick makes the kernel send
    static constexpr std::uint32_t send_frames = 4096;

    Sender(const Sender &) = delete;
    Sender &operator=(const Sender &) = delete;
    virtual ~Sender() = default;

    // Sends the queries due from `start_ns` (CLOCK_MONOTONIC) on, until all are sent, `stop` is
    // set, or the link fails.
    virtual void run(std::int64_t start_ns, const std::atomic<bool> &stop) = 0;
    // Takes note of what the kernel has sent since; run() does so itself while it goes on.
    void reap();
    // After the last timeout: logs the queries whose slots were not used again, and waits for the
    // log where it must; settles their stamps.
    void settle_remaining();

    // May be read from other threads while run() goes on.
    [[nodiscard]] std::uint64_t sent_so_far() const
    {
        return progress_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] const SenderRecord &record() const { return record_; }
    // Frames that the kernel has not said to have sent.
    [[nodiscard]] std::uint64_t not_completed() const
    {
        return umem_.send_frames() - umem_.free_frames();
    }

protected:
    Sender(const SenderPlan &plan, const SenderParts &parts);

    [[nodiscard]] QueryRecord record_of(const query_slot &slot, std::uint64_t query) const;
    void look_at_driver(std::int64_t before);
    void push_out(std::int64_t now);
    void wait_for_completions();

    // For SenderOf alone, whose loop these are.
    // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes)
    SenderPlan plan_;
    Umem &umem_;
    TxSocket &socket_;
    std::span<query_slot> slots_;
    QueryRing *log_;
    StampBook *stamps_;

    DriverLag driver_lag_;
    IdentityWalk identities_;
    std::uint64_t mine_;     // queries that are this sender's
    std::uint64_t next_ = 0; // of these, the one to be sent next
    std::int64_t start_ns_ = 0;
    std::int64_t kick_again_ns_ = 0;
    std::atomic<std::uint64_t> progress_{0};
    SenderRecord record_;
    // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)
};

template <class Frames, class Query>
concept FrameWriter = requires(const Frames &frames, std::uint8_t *frame, std::uint16_t number,
                               const Query &query)
{
    frames.prepare(frame);
    {
        frames.write(frame, number, number, query)
        } -> std::same_as<std::uint32_t>;
};

template <QueryStream Stream, class Frames>
requires FrameWriter<Frames, decltype(std::declval<Stream &>().next())>
class SenderOf final : public Sender
{
public:
    // Sends `stream`, which yields the queries of the plan's share. `frames` must outlive the
    // sender.
    SenderOf(const SenderPlan &plan, const Stream &stream, const Frames &frames,
             const SenderParts &parts);

    void run(std::int64_t start_ns, const std::atomic<bool> &stop) override;

private:
    std::uint32_t send_due(std::int64_t now);
    void send_one(std::int64_t now);

    Stream stream_;
    const Frames &frames_;
};

// The streams that there are; compiled in sender.cpp.
using NameSender = SenderOf<NameStream<ConstantRate>, FrameTemplate>;
using ListSender = SenderOf<ListStream<ConstantRate>, MessageFrames>;
using CaptureSender = SenderOf<CaptureStream, MessageFrames>;
extern template class SenderOf<NameStream<ConstantRate>, FrameTemplate>;
extern template class SenderOf<ListStream<ConstantRate>, MessageFrames>;
extern template class SenderOf<CaptureStream, MessageFrames>;

} // namespace dnsgauge
