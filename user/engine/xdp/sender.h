// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender: it has a transmit queue, a share of the schedule, source ports and slots of its own.
//
// run() is the packet loop: no allocation, no lock, no formatting, and no system call but the kick
// that makes the kernel send. The schedule is never reset: a sender that is behind sends all that
// is due in batches of at most batch_limit, at once or at a pace that has a limit
// (engine/catch_up.h). The lateness of each query goes into a histogram. In a window a query is due
// when its place becomes free (workload/open_window.h), which the sender sees in the slots.
//
// A batch has one time of sending, but the kernel sends its queries one after the other. So an RTT
// is too long by the time that the earlier queries of its batch take: 0.7 us each on a veth pair,
// nothing while each query has a kick of its own, and 22 us in a sender that is far behind. In a
// window batches are smaller (batch_size.h). No RTT is too short.
//
// Sender is what all senders have in common. SenderOf is compiled for each kind of stream and the
// writer of its frames, so that a query costs the stream's and the writer's own work alone.
#pragma once

#include "engine/miss_book.h"
#include "engine/query_log.h"
#include "engine/query_tally.h"
#include "engine/stall_book.h"
#include "engine/tally.h"
#include "workload/query_source.h"
#include "xdp/batch_size.h"
#include "xdp/driver_lag.h"
#include "xdp/frames.h"
#include "xdp/hardware_rtt.h"
#include "xdp/slots.h"
#include "xsk/tx_socket.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

namespace dnsgauge
{

struct SenderPlan {
    std::uint32_t lane = 0; // number on this host: the sender's ports and slots
    Nanoseconds duration{}; // of the schedule
    Nanoseconds timeout{};
    // See RunPlan for these three.
    Nanoseconds stall_limit{};
    Nanoseconds bearable = Nanoseconds::max();
    std::uint32_t catch_up_per_mille = 0;
    // Whether a query that the driver keeps waits for the Tester's card. A veth pair's driver keeps
    // queries until the other end takes them.
    bool has_card = false;
    IdentityPlan identities; // of this host's senders
};

// What a sender uses, and what must outlive the sender.
struct SenderParts {
    Umem &umem;
    TxSocket &socket;
    std::span<query_slot> slots;   // the sender's own
    QueryRing *log = nullptr;      // may be null, as may the next three
    QueryRing *late_log = nullptr; // of late queries alone; what it has no room for is not counted
    StampBook *stamps = nullptr;
    IntervalBook *intervals = nullptr;
};

class Sender
{
public:
    static constexpr std::uint32_t batch_limit = 32;        // what one kick makes the kernel send
    static constexpr std::uint32_t window_batch_limit = 12; // the same; batch_size.h says when less
    static constexpr std::uint32_t send_frames = 4096;

    virtual ~Sender() = default;

    // Sends the queries that are due from `start_ns` (CLOCK_MONOTONIC) on, until all are sent,
    // `stop` is set, or the link fails.
    virtual void run(std::int64_t start_ns, const std::atomic<bool> &stop) = 0;
    // Takes note of the frames that the kernel has sent since the last call. run() calls reap()
    // while it goes on.
    void reap();
    // Takes note of what became of the queries whose slots were not used again. Waits while the log
    // is full. Call it after the last timeout, and after the last reap().
    void settle_remaining();

    // Returns how many queries were handed over. Other threads may ask while run() goes on.
    [[nodiscard]] std::uint64_t sent_so_far() const
    {
        return progress_.load(std::memory_order_relaxed);
    }
    // Returns what the sender and its books counted. The lane adds the rest. Complete after
    // settle_remaining().
    [[nodiscard]] LaneTally tally() const;
    [[nodiscard]] Nanoseconds last_sent() const { return tally_.last_sent; }
    // Returns how many slots were used again before their timeout had passed.
    [[nodiscard]] std::uint64_t recycled_early() const { return recycled_early_; }
    // Returns whether a query was later than is bearable. Other threads may ask while run() goes
    // on.
    [[nodiscard]] bool is_spoilt() const { return stalls_.is_spoilt(); }
    // Returns the number of frames that the kernel has not yet reported as sent.
    [[nodiscard]] std::uint64_t not_completed() const
    {
        return umem_.send_frames() - umem_.free_frames();
    }

protected:
    Sender(const SenderPlan &plan, const SenderPart &part, const SenderParts &parts);

    [[nodiscard]] QueryRecord record_of(const query_slot &slot, std::uint64_t word,
                                        std::uint64_t query) const;
    // Takes note of what became of the sender's query `query`, whose slot said `word` in the end.
    void settle(const query_slot &slot, std::uint64_t word, std::uint64_t query);
    // Takes note of the sender's query `query`, which is not valid and loses its slot at `now`.
    // `word` is what its slot said in the end.
    void miss(const query_slot &slot, std::uint64_t word, std::uint64_t query, std::uint64_t now);
    // Takes note of the time and the port of a query that is not valid.
    void book(const query_slot &slot, std::uint64_t word, std::uint64_t query);
    // Returns when the slot's query freed its place in a window; OpenWindow::never if it is open at
    // `now`.
    [[nodiscard]] std::int64_t freed_at(const query_slot &slot, std::int64_t now) const;
    // Returns whether no further reply can decide the slot's query.
    [[nodiscard]] bool is_settled(const query_slot &slot, std::int64_t now) const;
    void look_at_driver(std::int64_t before);
    void push_out(std::int64_t now);
    void wait_for_completions();

    // SenderOf alone uses these members, in its loop.
    // NOLINTBEGIN(cppcoreguidelines-non-private-member-variables-in-classes)
    SenderPlan plan_;
    SenderPart part_;
    Umem &umem_;
    TxSocket &socket_;
    std::span<query_slot> slots_;
    QueryRing *log_;
    QueryRing *late_log_;
    StampBook *stamps_;
    IntervalBook *intervals_;
    bool settles_; // log, stamps or intervals want to know what becomes of queries

    BatchSize batch_size_{window_batch_limit}; // of a window
    DriverLag driver_lag_;
    StallBook stalls_;
    MissBook misses_;
    IdentityWalk identities_;
    std::uint64_t next_ = 0; // index, in the sender's part, of the query to be sent next
    std::int64_t start_ns_ = 0;
    std::int64_t kick_again_ns_ = 0;
    std::atomic<std::uint64_t> progress_{0};
    LaneTally tally_;
    std::uint64_t recycled_early_ = 0;
    // NOLINTEND(cppcoreguidelines-non-private-member-variables-in-classes)
};

// Returns the sender of the queries that `sources` have for it, in frames between `ends`. `sources`
// must outlive the sender.
[[nodiscard]] std::unique_ptr<Sender> make_sender(const QuerySources &sources,
                                                  const FrameEnds &ends, const SenderPlan &plan,
                                                  const SenderParts &parts);

} // namespace dnsgauge
