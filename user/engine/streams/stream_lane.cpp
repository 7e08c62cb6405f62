// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/stream_lane.h"

#include "engine/catch_up.h"
#include "engine/listening.h"
#include "streams/reply_book.h"
#include "system/random.h"

#include "wire/bytes.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#ifdef DNSGAUGE_QUIC
#include "streams/quic_set.h"
#endif

namespace dnsgauge
{

namespace
{

constexpr std::uint32_t all_ids = 65'536;
// IDs that are tried before a connection is replaced.
constexpr std::uint32_t ids_tried = 16;

// Each connection has at least these events: it is open, and a reply has come.
constexpr std::uint32_t events_of_connection = 2;

// Returns the connections over the plan's transport.
std::unique_ptr<ConnectionSet> make_connections(const ConnectionPlan &plan, ConnectionOwner &owner)
{
#ifdef DNSGAUGE_QUIC
    if (plan.stream.is_quic)
        return std::make_unique<QuicSet>(plan, owner);
#endif
    return std::make_unique<ConnectionSet>(plan, owner);
}

} // namespace

bool speaks_quic()
{
#ifdef DNSGAUGE_QUIC
    return true;
#else
    return false;
#endif
}

StreamLane::StreamLane(const ConnectionPlan &connections, std::size_t open_most,
                       ExpectationKind expectations, std::unique_ptr<QuerySource> source)
    : plan_(connections.stream), number_(connections.lane), source_(std::move(source)),
      window_(source_->window()), ids_(new_scatter_key()), open_(open_most),
      replies_(plan_.judge, expectations, plan_.run.timeout),
      set_(make_connections(connections, *this)), connections_(*set_),
      stalls_(plan_.run.stall_limit, std::max(plan_.run.stall_limit, plan_.run.bearable),
              source_->part().count()),
      misses_(plan_.run.stall_limit, source_->part().count()), queries_(source_->part().count())
{
    tally_.share = plan_.run.first_share + number_;
    tally_.cpu = plan_.run.cpus[number_];
    tally_.bursts.assign(batch_limit + 1, 0);
    if (plan_.run.intervals.count() != 0)
        intervals_.emplace(plan_.run.intervals);
    dirty_.reserve(batch_limit);
}

void StreamLane::run(std::int64_t start_ns, const std::atomic<bool> &halt,
                     const std::atomic<bool> &stop)
{
    start_ns_ = start_ns;
    read_until_ns_ = start_ns;
    const RunPlan &run = plan_.run;
    if (run.catch_up_per_mille == 0)
        send_all(FullSpeed(), halt);
    else
        send_all(CatchUp(run.catch_up_per_mille,
                         standstill(run.stall_limit, std::uint64_t{batch_limit} * run.shares)),
                 halt);
    stalls_.close();
    listen(stop);
}

// Checks what is due between any two events. So a lane that is behind begins no more connections
// than it has time for.
template <class Pace>
void StreamLane::send_all(Pace pace, const std::atomic<bool> &halt)
{
    const auto send_if_due = [&] {
        const std::int64_t now = monotonic_ns();
        if (window_ != nullptr)
            window_->look([&](std::uint32_t number) { return freed_at(number, now); });
        const std::int64_t until = pace.at(now - start_ns_, source_->due());
        if (is_sending(now) && until >= source_->due())
            send_due(now, until);
        return now;
    };
    std::int64_t now = start_ns_;
    while (is_sending(now) && !halt.load(std::memory_order_relaxed)) {
        now = send_if_due();
        if (look(now)) {
            const std::uint32_t begun = connections_.begun();
            for (std::uint32_t events = 1; connections_.handle_next(); events++)
                if (connections_.begun() - begun <= events / events_of_connection)
                    send_if_due();
            publish();
        }
        settle_expired(read_until_ns_);
        connections_.close_idle(read_until_ns_);
    }
    now = monotonic_ns();
    if (window_ != nullptr)
        tally_.window = window_->tally(now - start_ns_,
                                       [&](std::uint32_t number) { return freed_at(number, now); });
}

bool StreamLane::is_sending(std::int64_t now) const
{
    return next_ < queries_ &&
           (window_ == nullptr || now - start_ns_ < plan_.run.schedule.duration.count());
}

std::int64_t StreamLane::freed_at(std::uint32_t number, std::int64_t now)
{
    const std::int64_t timeout = plan_.run.timeout.count();
    const OpenQuery &query = open_.at(number);
    const std::int64_t sent = query.sent_ns - start_ns_;
    if (query.state >= QUERY_VALID && query.state != QUERY_LATE)
        return sent + static_cast<std::int64_t>(query.rtt_ns);
    return now - query.sent_ns > timeout ? sent + timeout : OpenWindow::never;
}

bool StreamLane::look(std::int64_t now, Nanoseconds wait)
{
    const bool found = connections_.look(wait);
    busy_looks_ = found ? busy_looks_ + 1 : 0;
    if (busy_looks_ % busy_looks_most == 0)
        read_until_ns_ = now;
    return found;
}

void StreamLane::listen(const std::atomic<bool> &stop)
{
    const Listening listening(Nanoseconds(start_ns_) + tally_.last_sent, plan_.run.timeout,
                              plan_.run.wants_copies);
    for (;;) {
        // If nothing is being timed, others may have the CPU.
        const bool is_timed = awaited_ != 0 || connections_.is_opening();
        if (look(monotonic_ns(), is_timed ? Nanoseconds{} : Listening::look_interval)) {
            while (connections_.handle_next()) {
            }
            publish();
        }
        settle_expired(read_until_ns_);
        connections_.close_idle(read_until_ns_);
        // A stopped run waits neither for late replies nor for copies of replies.
        if (stop && awaited_ == 0)
            return;
        if (listening.rest(Nanoseconds(read_until_ns_), stop ? 0 : awaited_) <= Nanoseconds{})
            return;
    }
}

void StreamLane::send_due(std::int64_t now, std::int64_t until)
{
    const std::uint32_t begun = connections_.begun();
    const std::int64_t first_due = source_->due();
    std::int64_t last_due = first_due;
    std::uint32_t sent = 0;
    opened_at_ = now - start_ns_;
    while (sent < batch_limit && next_ < queries_ && source_->due() <= until &&
           connections_.begun() == begun) {
        if (window_ != nullptr && open_.is_full())
            break;
        last_due = source_->due();
        put(source_->next());
        if (window_ != nullptr)
            window_->open(open_.newest(), opened_at_);
        sent++;
        while (quarters_ < backlog_.size() && 4 * next_ >= (quarters_ + 1) * queries_)
            backlog_.at(quarters_++) = awaited_;
    }
    if (sent == 0)
        return;
    for (const std::uint32_t connection : dirty_)
        hand_over(connection);
    dirty_.clear();
    stalls_.hand_over(first_due, now - start_ns_, sent, source_->due());
    tally_.last_sent = Nanoseconds(now - start_ns_);
    tally_.overrun = Nanoseconds(now - start_ns_ - last_due);
    tally_.bursts[sent]++;
    publish();
}

void StreamLane::put(const Query &query)
{
    if (open_.is_full())
        settle_oldest();
    OpenQuery open{.sent_ns = start_ns_ + query.due_ns,
                   .expectation = query.expectation,
                   .wants = query.wants};
    next_++;
    if (plan_.has_handshakes_alone)
        return open_for(open);
    ConnectionEnd end = ConnectionEnd::unopened;
    Connection *const connection = find_connection(query, end);
    const std::size_t size = query.message.size();
    open.is_held = connection != nullptr && connections_.is_full(*connection);
    const std::span<std::uint8_t> room =
        connection != nullptr ? room_for(*connection, length_size + size, open.is_held)
                              : std::span<std::uint8_t>();
    if (room.empty()) {
        note_sent(open, monotonic_ns());
        open_.add(open);
        if (open.is_held)
            connections_.tally().counts.lost_waiting++;
        else if (connection == nullptr || connection->is_opening())
            count_lost(end);
        else
            connections_.tally().counts.lost_untaken++;
        if (connection != nullptr && connection->state == Connection::State::open)
            connections_.close_if_done(*connection);
        return;
    }
    const std::uint16_t id = id_of(*connection);
    wire_put16(room.data(), static_cast<std::uint16_t>(size));
    std::memcpy(room.data() + length_size, query.message.data(), size);
    wire_put16(room.data() + length_size, id);
    open.key = query_key(connection->serial, id);
    const std::uint32_t number = connections_.number_of(*connection);
    connection->add(open_, open_.add(open), number);
    connection->queries++;
    connection->ids++;
    connection->awaited++;
    connection->held += open.is_held ? 1 : 0;
    awaited_++;
    if (connection->fresh++ == 0)
        dirty_.push_back(number);
    // A new connection takes time: queries leave first.
    if (is_used_up(*connection))
        hand_over(number);
}

void StreamLane::open_for(OpenQuery query)
{
    note_sent(query, monotonic_ns());
    // It may be open at once.
    Connection *const connection = connections_.turn_of(0).connection;
    const std::uint32_t number = open_.add(query);
    if (connection == nullptr)
        return count_lost(ConnectionEnd::unopened);
    connection->add(open_, number, connections_.number_of(*connection));
    connection->queries++;
    connection->awaited++;
    awaited_++;
    if (connection->state == Connection::State::open)
        opened(*connection);
    connections_.leave_place(*connection);
}

void StreamLane::opened(Connection &connection)
{
    if (!plan_.has_handshakes_alone || !connection.has_open_queries())
        return;
    replies_.take_opening(open_.at(connection.first_open), monotonic_ns());
    awaited_--;
    connection.awaited--;
    connection.answered++;
    let_go(connection);
}

// If a connection is reset too early, it fails at the server.
void StreamLane::let_go(Connection &connection)
{
    if (connection.has_open_queries() &&
        (!connection.tls || TlsClient::is_confirmed(*connection.tls)))
        connection.take_out(open_, open_.at(connection.first_open));
}

void StreamLane::received_all(Connection &connection)
{
    if (plan_.has_handshakes_alone)
        let_go(connection);
    else
        fill_pipeline(connection);
}

std::span<std::uint8_t> StreamLane::room_for(Connection &connection, std::size_t size, bool waits)
{
    return waits ? connections_.room_to_wait(connection, size)
                 : connections_.room_to_send(connection, size);
}

bool StreamLane::is_used_up(const Connection &connection) const
{
    const std::uint64_t most = plan_.queries_per_connection;
    return most != 0 && connection.takes_queries && connection.queries >= most;
}

Connection *StreamLane::find_connection(const Query &query, ConnectionEnd &end)
{
    const ConnectionSet::Turn turn =
        plan_.clients ? connections_.turn_of(query.client) : connections_.next_turn();
    if (turn.connection == nullptr) {
        end = turn.last_end;
        return nullptr;
    }
    return choose_id(*turn.connection) && !is_let_go(*turn.connection)
               ? turn.connection
               : connections_.replace(*turn.connection);
}

bool StreamLane::is_let_go(const Connection &connection)
{
    if (connection.keepalive_ns <= 0)
        return connection.keepalive_ns == 0;
    return !connection.has_open_queries() &&
           monotonic_ns() - connection.heard_ns >= connection.keepalive_ns;
}

// Identities are a permutation of 0, 1, 2, ..., which the server cannot foretell.
std::uint16_t StreamLane::id_of(const Connection &connection) const
{
    constexpr std::uint32_t half = 256;
    const std::uint32_t number = connection.ids % all_ids;
    const scatter_pair id =
        scatter({number % half, number / half}, &ids_, {.lows = half, .high_mask = half - 1},
                connection.serial % all_ids);
    return static_cast<std::uint16_t>(id.high * half + id.low);
}

// Skips the IDs of undecided queries. Returns false if too many IDs are in use.
bool StreamLane::choose_id(Connection &connection)
{
    if (connection.ids < all_ids)
        return true;
    for (std::uint32_t tried = 0; tried < ids_tried; tried++) {
        const OpenQuery *const user = open_.find(query_key(connection.serial, id_of(connection)));
        if (user == nullptr || user->state >= QUERY_VALID)
            return true;
        connection.ids++;
    }
    return false;
}

// The RTTs begin right before the kernel gets the queries.
void StreamLane::hand_over(std::uint32_t number)
{
    Connection &connection = connections_.at(number);
    const std::int64_t now = monotonic_ns();
    std::uint32_t query = connection.last_open;
    ConnectionCounts &counts = connections_.tally().counts;
    for (; connection.fresh != 0; connection.fresh--) {
        OpenQuery &fresh = open_.at(query);
        if (fresh.is_held)
            counts.waited_for_pipeline++;
        else if (connection.state != Connection::State::open)
            fresh.waited_for_open = true;
        counts.waited_for_open += fresh.waited_for_open ? 1 : 0;
        note_sent(fresh, now);
        query = fresh.before;
    }
    connections_.flush(connection);
    if (!is_used_up(connection))
        return;
    if (plan_.clients)
        connections_.leave_place(connection);
    else
        connections_.replace(connection);
}

void StreamLane::note_sent(OpenQuery &query, std::int64_t now)
{
    tally_.lateness.add(static_cast<std::uint64_t>(std::max(now - query.sent_ns, std::int64_t{0})));
    query.sent_ns = now;
    if (window_ != nullptr)
        window_->delay(now - start_ns_ - opened_at_);
}

void StreamLane::received(Connection &connection, std::optional<std::uint16_t> id,
                          std::span<const std::uint8_t> message, std::size_t size,
                          std::int64_t at_ns)
{
    OpenQuery *const query = id ? open_.find(query_key(connection.serial, *id)) : nullptr;
    if (query == nullptr || query->is_held) {
        replies_.take_unexpected();
        return;
    }
    const query_state before = query->state;
    replies_.take(*query, message, size, at_ns);
    if (before == QUERY_OUTSTANDING && query->state != QUERY_OUTSTANDING) {
        awaited_--;
        connection.awaited--;
        if (plan_.heeds_keepalive)
            note_keepalive(connection, message, at_ns);
    }
    if (before < QUERY_VALID && query->state >= QUERY_VALID) {
        connection.take_out(open_, *query);
        connection.answered++;
        if (query->waited_for_open && query->state == QUERY_VALID)
            connections_.tally().waited.add(query->rtt_ns);
    }
}

void StreamLane::note_keepalive(Connection &connection, std::span<const std::uint8_t> message,
                                std::int64_t at_ns)
{
    connection.heard_ns = at_ns;
    const std::optional<Nanoseconds> timeout = keepalive_of(message);
    if (!timeout)
        return;
    connection.keepalive_ns = timeout->count();
    connections_.tally().keepalives.add(static_cast<std::uint64_t>(timeout->count()));
}

void StreamLane::closed(Connection &connection, std::uint16_t id,
                        std::uint64_t ConnectionCounts::*cause)
{
    OpenQuery *const query = open_.find(query_key(connection.serial, id));
    if (query == nullptr || query->connection == OpenQuery::none)
        return;
    connection.take_out(open_, *query);
    if (query->state != QUERY_OUTSTANDING)
        return;
    connection.held -= query->is_held ? 1 : 0;
    query->is_held = false;
    connection.awaited--;
    awaited_--;
    if (cause != nullptr && monotonic_ns() - query->sent_ns <= plan_.run.timeout.count())
        connections_.tally().counts.*cause += 1;
}

void StreamLane::fill_pipeline(Connection &connection)
{
    if (connection.held == 0 || is_over_)
        return;
    const std::int64_t now = monotonic_ns();
    while (connection.held != 0 &&
           connection.awaited - connection.held < connections_.most_awaited(connection)) {
        const std::uint8_t *const message = connections_.first_waiting(connection).data();
        const std::size_t size = length_size + wire_get16(message);
        const std::uint16_t id = wire_get16(message + length_size);
        OpenQuery &query = *open_.find(query_key(connection.serial, id));
        if (now - query.sent_ns > plan_.run.timeout.count()) {
            give_up(connection, query);
            continue;
        }
        const std::span<std::uint8_t> room = connections_.room_to_send(connection, size);
        if (room.empty())
            break;
        std::memcpy(room.data(), message, size);
        connections_.take_waiting(connection, size);
        query.is_held = false;
        connection.held--;
    }
    connections_.flush(connection);
}

void StreamLane::give_up(Connection &connection, OpenQuery &query)
{
    connections_.take_waiting(
        connection, length_size + wire_get16(connections_.first_waiting(connection).data()));
    connection.take_out(open_, query);
    connection.held--;
    connection.awaited--;
    awaited_--;
    connections_.tally().counts.lost_waiting++;
}

// A query whose timeout has passed was lost before its connection ended.
void StreamLane::ended(Connection &connection, ConnectionEnd end)
{
    const std::int64_t now = monotonic_ns();
    while (connection.has_open_queries()) {
        OpenQuery &query = open_.at(connection.first_open);
        connection.take_out(open_, query);
        if (query.state != QUERY_OUTSTANDING)
            continue;
        awaited_--;
        if (now - query.sent_ns <= plan_.run.timeout.count())
            count_lost(end);
    }
}

void StreamLane::count_lost(ConnectionEnd end)
{
    if (const auto count = counts_of(end).lost_queries)
        connections_.tally().counts.*count += 1;
}

// A right reply may come until twice the timeout has passed.
void StreamLane::settle_expired(std::int64_t now)
{
    const std::int64_t before = now - 2 * plan_.run.timeout.count();
    while (!open_.empty() && open_.oldest().sent_ns < before)
        settle_oldest();
}

void StreamLane::settle_oldest()
{
    OpenQuery &query = open_.oldest();
    const std::uint64_t number = open_.dropped();
    if (query.connection != OpenQuery::none) {
        Connection &connection = connections_.at(query.connection);
        if (monotonic_ns() - query.sent_ns <= plan_.run.timeout.count())
            recycled_early_++;
        if (query.is_held)
            give_up(connection, query);
        else
            connection.take_out(open_, query);
        if (!query.is_held && query.state == QUERY_OUTSTANDING) {
            awaited_--;
            connection.awaited--;
            if (connection.is_opening()) {
                count_lost(ConnectionEnd::unopened);
                // The Tester may not have read what the server sent for the opening.
                recycled_early_ +=
                    read_until_ns_ - query.sent_ns <= plan_.run.timeout.count() ? 1 : 0;
            }
        }
        if (!query.is_held)
            connections_.give_up(connection, static_cast<std::uint16_t>(query.key));
        fill_pipeline(connection);
        connections_.close_if_done(connection);
    }
    // Queries of one batch may leave in another order, but the books want ascending times.
    settled_ns_ = std::max(settled_ns_, query.sent_ns - start_ns_);
    misses_.settle(settled_ns_, query.state);
    if (intervals_)
        intervals_->settle(settled_ns_, query.state, query.rcode, query.rtt_ns);
    if (log_ != nullptr)
        log(query, number);
    open_.drop_oldest();
}

void StreamLane::log(const OpenQuery &query, std::uint64_t number)
{
    const QueryRecord record{.query = source_->part().number(number),
                             .sent_ns = static_cast<std::uint64_t>(query.sent_ns),
                             .rtt_ns = query.rtt_ns,
                             .expectation = query.expectation,
                             .sender = number_,
                             .state = query.state};
    while (!log_->push(record)) {
        if (!is_over_) {
            tally_.not_logged++;
            return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

void StreamLane::end()
{
    is_over_ = true;
    while (!open_.empty())
        settle_oldest();
    connections_.end();
}

void StreamLane::publish()
{
    progress_sent_.store(next_, std::memory_order_relaxed);
    progress_valid_.store(replies_.valid(), std::memory_order_relaxed);
    progress_answered_.store(replies_.answered(), std::memory_order_relaxed);
}

RunProgress StreamLane::progress() const
{
    const std::uint64_t valid = progress_valid_.load(std::memory_order_relaxed);
    const std::uint64_t answered = progress_answered_.load(std::memory_order_relaxed);
    return {.sent = progress_sent_.load(std::memory_order_relaxed),
            .valid = valid,
            .wrong = answered > valid ? answered - valid : 0};
}

LaneTally StreamLane::tally() const
{
    LaneTally tally = tally_;
    tally.handed_over = next_;
    tally.kicks = connections_.sends();
    if (intervals_)
        tally.intervals = intervals_->tallies();
    tally.stalls = stalls_.stalls();
    tally.forgotten_stalls = stalls_.forgotten();
    tally.misses = misses_.tally();
    tally.connections = connections_.tally();
    tally.connections.backlog = backlog_;
    for (Silence &silence : tally.connections.silences) {
        silence.since -= Nanoseconds(start_ns_);
        silence.until -= Nanoseconds(start_ns_);
    }
    return tally;
}

} // namespace dnsgauge
