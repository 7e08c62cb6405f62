// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The hot path as one object: what is sent, by which schedule and through which sockets, and the
// clock of the replies.
//
// An engine sends one host's shares of a schedule and counts what becomes of the queries. An engine
// knows no verdict: a run yields a tally, and tallies of several hosts add up.
#pragma once

#include "engine/interval_book.h"
#include "engine/query_log.h"
#include "engine/reply_clock.h"
#include "engine/run_progress.h"
#include "engine/sender.h"
#include "engine/slots.h"
#include "engine/source.h"
#include "engine/tally.h"
#include "host/xdp_link.h"
#include "machine/interface.h"
#include "xsk/tx_socket.h"

#include "reply_clock_abi.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The stamps that an engine takes beside its own times.
struct StampWish {
    bool receive = false;  // the card's receive stamps by XDP metadata, where kernel and driver can
    bool transmit = false; // transmit stamps by AF_XDP metadata
    // In zero-copy mode the driver stamps what it sends, by the card's clock.
    bool has_driver_transmit = false;
    bool must_have_both = false; // the engine refuses a card that does not stamp both ways
};

struct EnginePlan {
    Interface interface;
    XdpMode xdp_mode = XdpMode::automatic;
    TxOptions tx;

    std::vector<unsigned> cpus;   // a lane on each
    std::vector<unsigned> queues; // the lanes' transmit queues
    // Lane i has share first_share + i of the `shares` of the whole schedule, which the lanes of
    // all hosts have together.
    std::uint32_t first_share = 0;
    std::uint32_t shares = 1;
    SchedulePlan schedule;     // of all hosts' lanes
    std::uint64_t queries = 0; // of the whole schedule
    Nanoseconds timeout{};
    Nanoseconds stall_limit{}; // see SenderPlan, likewise the next
    Nanoseconds bearable = Nanoseconds::max();

    IdentityPlan identities;      // of this host's lanes
    reply_clock_config replies{}; // the engine sets the timeout and the identities
    StampWish stamps;
    IntervalPlan intervals;
    std::optional<std::string> per_query_file;
};

// What the caller of run() wants to hear of the run. The thread that called run() calls all
// functions.
struct RunWatch {
    const std::atomic<bool> &stop;                     // set: the run ends early
    std::function<void(const RunProgress &)> progress; // a few times a second
    std::function<void()> heard_all; // nothing counts any more, and the program is still attached
    std::function<void()> detached;  // the program has left the interface
};

class Engine
{
public:
    // Loads and attaches the program, binds the sockets and opens the per-query file. Waits until
    // the link is up and each queue has sent a frame, which no host answers; a veth pair needs
    // neither. Packets that waited in a veth end's ring are dropped. Throws SetupError; nothing
    // stays attached then, and no file has been emptied.
    Engine(EnginePlan plan, std::unique_ptr<const Source> source);
    ~Engine();
    Engine(const Engine &) = delete;
    Engine &operator=(const Engine &) = delete;

    // Sends the queries due from `start` (CLOCK_MONOTONIC) on, waits for the last reply that can
    // count, and detaches. A spoilt run stops sending at once. Returns what was counted. Throws
    // what a sender throws. An engine runs once.
    [[nodiscard]] Tally run(Nanoseconds start, const RunWatch &watch);

    // Returns how long the constructor waited for the link and for the queues' first frames.
    [[nodiscard]] Nanoseconds link_wait() const { return link_wait_; }
    [[nodiscard]] XdpMode xdp_mode() const { return clock_.mode(); }
    [[nodiscard]] bool is_zero_copy() const;
    // Returns whether every lane's memory is of huge pages.
    [[nodiscard]] bool has_huge_pages() const;
    // Returns how many packets the kernel copies and sends at most for one kick.
    [[nodiscard]] std::uint32_t kick_budget() const;
    // Returns whose transmit stamps are taken: "none", "software" or "hardware".
    [[nodiscard]] const char *transmit_stamps() const { return transmit_stamps_; }
    // Returns the CPUs each of which dealt with a hundredth of the replies, or more.
    [[nodiscard]] std::vector<unsigned> receiving_cpus() const { return clock_.receiving_cpus(); }

private:
    class Lane;

    void await_link();
    void make_stamp_books();
    void send(const RunWatch &watch);
    void listen(const RunWatch &watch);
    [[nodiscard]] RunProgress progress_now() const;
    [[nodiscard]] Tally settle();

    // Members are destroyed in reverse: senders and sockets before the memory that they use, and
    // the program last.
    EnginePlan plan_;
    std::unique_ptr<const Source> source_;
    const char *transmit_stamps_ = "none";
    ReplyClock clock_;
    SlotTable slots_;
    std::optional<QueryLog> log_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::int64_t start_ns_ = 0;
    Nanoseconds link_wait_{};
};

} // namespace dnsgauge
