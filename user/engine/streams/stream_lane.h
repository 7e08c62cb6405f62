// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One lane of the engine: a busy thread that sends queries when they are due, and takes replies
// meanwhile.
//
// Its loop takes no lock and formats nothing. It allocates only for incomplete messages. The
// schedule is never reset: a lane that is behind sends all that is due in batches of at most
// batch_limit. Queries of a batch that go to one connection leave together. A batch ends when it
// has begun a connection, so that a lane that is behind does not neglect the connections that it
// has.
#pragma once

#include "engine/miss_book.h"
#include "engine/query_log.h"
#include "engine/query_tally.h"
#include "engine/stall_book.h"
#include "streams/connection_set.h"
#include "streams/open_queries.h"
#include "streams/reply_book.h"
#include "streams/stream_engine.h"
#include "workload/query_source.h"

#include "wire/scatter.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace dnsgauge
{

class StreamLane final : ConnectionOwner
{
public:
    static constexpr std::uint32_t batch_limit = 32;

    // At most `open_most` queries are open at once.
    StreamLane(const ConnectionPlan &connections, std::size_t open_most,
               ExpectationKind expectations, std::unique_ptr<QuerySource> source);

    void set_log(QueryRing &log) { log_ = &log; }
    void open_connections() { connections_.open_all(plan_.run.timeout); }

    // Sends the queries that are due from `start_ns` (CLOCK_MONOTONIC) on, until all are sent or
    // `halt` is set, and listens. With `stop` set it does not wait for late replies.
    void run(std::int64_t start_ns, const std::atomic<bool> &halt, const std::atomic<bool> &stop);
    // Takes note of what became of the last queries. Waits while the log is full. Closes the
    // connections.
    void end();

    // Other threads may ask while run() goes on.
    [[nodiscard]] RunProgress progress() const;
    [[nodiscard]] bool is_spoilt() const { return stalls_.is_spoilt(); }

    [[nodiscard]] const ReplyTally &replies() const { return replies_.tally(); }
    [[nodiscard]] OwnShortages shortages() const
    {
        OwnShortages all = connections_.shortages();
        all.recycled = recycled_early_;
        return all;
    }
    // Complete after end().
    [[nodiscard]] LaneTally tally() const;

private:
    static constexpr std::uint32_t busy_looks_most = 1024;

    void opened(Connection &connection) override;
    void received(Connection &connection, std::optional<std::uint16_t> id,
                  std::span<const std::uint8_t> message, std::size_t size,
                  std::int64_t at_ns) override;
    void closed(Connection &connection, std::uint16_t id,
                std::uint64_t ConnectionCounts::*cause) override;
    void received_all(Connection &connection) override;
    void ended(Connection &connection, ConnectionEnd end) override;

    template <class Pace>
    void send_all(Pace pace, const std::atomic<bool> &halt);
    void listen(const std::atomic<bool> &stop);
    // Sends a batch of what is due by the schedule's time `until`.
    void send_due(std::int64_t now, std::int64_t until);
    // Returns when this open query freed its place in the window, from the start; OpenWindow::never
    // if it has not until `now`.
    [[nodiscard]] std::int64_t freed_at(std::uint32_t number, std::int64_t now);
    // Returns whether the lane may still send.
    [[nodiscard]] bool is_sending(std::int64_t now) const;
    void put(const Query &query);
    // Opens a connection that counts as the query.
    void open_for(OpenQuery query);
    // Closes a connection that counts as a query, once the server has it open, too.
    void let_go(Connection &connection);
    // Returns the connection for the next query, with a free ID; null if there is none. Then `end`
    // says how the place's last connection ended.
    [[nodiscard]] Connection *find_connection(const Query &query, ConnectionEnd &end);
    void note_keepalive(Connection &connection, std::span<const std::uint8_t> message,
                        std::int64_t at_ns);
    // Returns whether the server wants the connection closed: see StreamPlan::heeds_keepalive.
    [[nodiscard]] static bool is_let_go(const Connection &connection);
    // Returns whether the connection has carried all queries that it may carry.
    [[nodiscard]] bool is_used_up(const Connection &connection) const;
    [[nodiscard]] bool choose_id(Connection &connection);
    [[nodiscard]] std::uint16_t id_of(const Connection &connection) const;
    // Hands the connection's fresh queries to the kernel, or lets them wait until it is open.
    void hand_over(std::uint32_t number);
    void note_sent(OpenQuery &query, std::int64_t now);
    // Returns room on the connection for a query's octets, among the waiting ones if `waits`.
    [[nodiscard]] std::span<std::uint8_t> room_for(Connection &connection, std::size_t size,
                                                   bool waits);
    // Sends queries that wait on the connection, as many as its pipeline allows.
    void fill_pipeline(Connection &connection);
    // Gives up the oldest query that waits on the connection, because it has waited for too long.
    void give_up(Connection &connection, OpenQuery &query);
    void count_lost(ConnectionEnd end);

    // Looks whether anything came, at `now`. Returns whether something did.
    [[nodiscard]] bool look(std::int64_t now, Nanoseconds wait = {});
    void settle_expired(std::int64_t now);
    void settle_oldest();
    void log(const OpenQuery &query, std::uint64_t number);
    void publish();

    const StreamPlan &plan_;
    std::uint32_t number_; // on this host
    std::unique_ptr<QuerySource> source_;
    OpenWindow *window_;         // the source's; null if there is none
    std::int64_t opened_at_ = 0; // when the batch's queries took their places, from the start
    scatter_key ids_;
    OpenQueries open_;
    ReplyBook replies_;
    std::unique_ptr<ConnectionSet> set_;
    ConnectionSet &connections_;
    StallBook stalls_;
    MissBook misses_;
    std::optional<IntervalBook> intervals_;
    QueryRing *log_ = nullptr;
    bool is_over_ = false;             // the run: see end()
    std::vector<std::uint32_t> dirty_; // connections with fresh queries

    // All replies that came until this time have been read: the time of the last look that found
    // nothing. It also moves on if a server sends without a break.
    std::int64_t read_until_ns_ = 0;
    std::uint32_t busy_looks_ = 0; // since then
    std::int64_t start_ns_ = 0;
    std::uint64_t queries_;  // of the lane
    std::uint64_t next_ = 0; // query to be sent next
    Backlog backlog_{};
    std::size_t quarters_ = 0;    // that have been sent
    std::uint64_t awaited_ = 0;   // queries without any reply that may still get one
    std::int64_t settled_ns_ = 0; // when the last settled query was sent, from the start
    std::uint64_t recycled_early_ = 0;
    LaneTally tally_; // without what the books, the connections and the thread tell

    std::atomic<std::uint64_t> progress_sent_{0};
    std::atomic<std::uint64_t> progress_valid_{0};
    std::atomic<std::uint64_t> progress_answered_{0};
};

} // namespace dnsgauge
