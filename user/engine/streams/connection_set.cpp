// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/connection_set.h"

#include "wire/bytes.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

// Memory for incomplete messages. With many connections each one's share is smaller, and only the
// beginning of longer messages is kept.
constexpr std::size_t message_memory = std::size_t{64} << 20U;
constexpr std::size_t least_message_share = 4096;

// If connections are full, a query looks at this many places.
constexpr std::size_t most_looks = 64;

// At most this many connections are being opened at once before the run: servers have short listen
// backlogs.
constexpr std::uint32_t most_opening = 64;

// Opening all connections ends if none gets further for this many times the patience, whatever
// servers send.
constexpr int most_patience = 4;

// TCP repeats a SYN after a second at the earliest. After a shorter handshake nobody need ask
// whether it did.
constexpr std::int64_t syn_again_ns = 500'000'000;

// A place whose last connection carried no reply gets no new one for this time.
constexpr std::int64_t pause_ns = 100'000'000;
// All such places together get at most this many new ones in a second.
constexpr std::uint32_t most_attempts = 1000;

// About this many octets of TLS are handed to the kernel at once: the last record is not cut.
constexpr std::size_t flight_of_records = 16'384;
// At most this many octets of TLS' answers wait for a server that does not read them.
constexpr std::size_t most_records_waiting = 65'536;

// Returns the ID in a message; nothing if the message is too short for one.
std::optional<std::uint16_t> id_of(std::span<const std::uint8_t> message)
{
    constexpr std::size_t id_size = 2;
    return message.size() < id_size ? std::nullopt : std::optional(wire_get16(message.data()));
}

} // namespace

ConnectionSet::ConnectionSet(const ConnectionPlan &plan, ConnectionOwner &owner)
    : plan_(plan), owner_(owner), epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "cannot use epoll")),
      // QUIC has TLS of its own.
      tls_(plan.stream.tls && !plan.stream.is_quic ? std::make_unique<TlsClient>(*plan.stream.tls)
                                                   : nullptr),
      http_(plan.stream.http ? std::make_unique<HttpClient>(*plan.stream.http) : nullptr),
      connections_(std::size_t{plan.stream.clients ? plan.stream.clients->most_open : plan.places} +
                   plan.more),
      places_(plan.places),
      idle_(plan.stream.clients ? plan.stream.clients->idle_times.shares.size() : 0),
      pool_(static_cast<std::uint32_t>(connections_.size()) * plan.blocks), octets_(read_size),
      plain_(tls_ ? read_size : 0)
{
    const std::size_t share = std::clamp(message_memory / connections_.size(), least_message_share,
                                         MessageReader::longest_message);
    free_.reserve(connections_.size());
    for (std::size_t i = connections_.size(); i-- != 0;) {
        connections_[i].reader = MessageReader(share);
        free_.push_back(static_cast<std::uint32_t>(i));
    }
}

void ConnectionSet::open_all(Nanoseconds patience)
{
    if (plan_.stream.clients)
        return;
    std::int64_t last = monotonic_ns();
    std::int64_t further = last;
    std::uint32_t next = 0;
    while (next < places_.size() || opening_ != 0 || unsettled_ != 0) {
        const std::int64_t now = monotonic_ns();
        const std::pair before(opening_, unsettled_);
        if (next < places_.size() && opening_ < most_opening)
            open(next++, further = last = now);
        else if (look(std::chrono::milliseconds(10)))
            last = now;
        while (handle_next()) {
        }
        if (before != std::pair(opening_, unsettled_))
            further = now;
        if (now - last > patience.count() || now - further > most_patience * patience.count())
            return;
    }
}

ConnectionSet::Turn ConnectionSet::next_turn()
{
    std::uint32_t number = turn_;
    for (std::size_t looks = std::min(places_.size(), most_looks);
         looks != 1 && is_full(places_[number]); looks--)
        number = behind(number);
    if (is_full(places_[number]))
        number = turn_;
    turn_ = behind(number);
    return turn_at(number);
}

ConnectionSet::Turn ConnectionSet::turn_of(std::uint32_t client)
{
    return turn_at(client / plan_.stream.run.shares);
}

ConnectionSet::Turn ConnectionSet::turn_at(std::uint32_t number)
{
    Place &place = places_[number];
    if (place.connection == Connection::none)
        open(number, monotonic_ns());
    if (place.connection == Connection::none)
        return {.connection = nullptr, .last_end = place.last_end};
    Connection &connection = connections_[place.connection];
    connection.unlink();
    return {.connection = &connection, .last_end = place.last_end};
}

std::uint32_t ConnectionSet::client_of(std::uint32_t place) const
{
    return plan_.stream.run.first_share + plan_.lane + place * plan_.stream.run.shares;
}

void ConnectionSet::close_idle(std::int64_t now)
{
    for (std::size_t i = 0; i < idle_.size(); i++)
        if (!idle_[i].empty() && now - idle_[i].front().idle_since_ns >=
                                     plan_.stream.clients->idle_times.shares[i].time.count())
            return finish(idle_[i].front(), ConnectionEnd::closed_idle);
}

Connection *ConnectionSet::replace(Connection &connection)
{
    const std::uint32_t number = connection.place;
    leave_place(connection);
    open(number, monotonic_ns());
    const std::uint32_t successor = places_[number].connection;
    return successor == Connection::none ? nullptr : &connections_[successor];
}

void ConnectionSet::leave_place(Connection &connection)
{
    connection.takes_queries = false;
    places_[connection.place].connection = Connection::none;
    close_if_done(connection);
}

bool ConnectionSet::may_open(const Place &place, std::int64_t now)
{
    if (!place.failed)
        return true;
    if (now < place.not_before_ns)
        return false;
    if (now - second_ns_ >= static_cast<std::int64_t>(nanoseconds_per_second)) {
        second_ns_ = now;
        second_attempts_ = 0;
    }
    return second_attempts_++ < most_attempts;
}

void ConnectionSet::open(std::uint32_t number, std::int64_t now)
{
    Place &place = places_[number];
    if (!may_open(place, now))
        return;
    if (free_.empty())
        return fail(place, EMFILE, now);
    Connection &connection = connections_[free_.back()];
    if (plan_.stream.clients && plan_.stream.clients->addresses)
        plan_.socket.source = SocketAddress(
            plan_.stream.clients->addresses->address(std::uint64_t{client_of(number)} + 1), 0);
    bool is_open = false;
    if (const int error = begin(plan_.socket, connection, is_open); error != 0)
        return fail(place, error, now);
    free_.pop_back();
    place.connection = number_of(connection);
    connection.state = Connection::State::opening;
    connection.serial = ++serial_;
    connection.place = number;
    connection.takes_queries = true;
    connection.begun_ns = now;
    connection.awaits_room = !is_open;
    opening_++;
    watch(connection, EPOLL_CTL_ADD);
    if (is_open)
        begin_use(connection, now);
}

int ConnectionSet::begin(const SocketPlan &plan, Connection &connection, bool &is_open)
{
    return begin_connection(plan, connection.socket, is_open);
}

void ConnectionSet::fail(Place &place, int error, std::int64_t now)
{
    count_failure(error);
    place.last_end = ConnectionEnd::unopened;
    place.failed = true;
    place.not_before_ns = now + pause_ns;
}

void ConnectionSet::count_failure(int error)
{
    ConnectionCounts &counts = tally_.counts;
    switch (error) {
    case 0:
        counts.tls_failed++;
        return;
    case ECONNREFUSED:
    case ECONNRESET: // right after the handshake
        counts.refused++;
        return;
    case ETIMEDOUT:
        counts.unanswered++;
        return;
    case EMFILE:
    case ENFILE:
        shortages_.descriptors++;
        break;
    case EADDRNOTAVAIL:
    case EADDRINUSE:
    case EAGAIN:
        shortages_.ports++;
        break;
    case ENOBUFS:
    case ENOMEM:
        shortages_.memory++;
        break;
    default: // other errors of the kernel
        break;
    }
    counts.failed++;
}

void ConnectionSet::note_open(Connection &connection, std::int64_t now)
{
    connection.state = Connection::State::open;
    opening_--;
    if (connection.takes_queries)
        places_[connection.place].failed = false;
    tally_.counts.opened++;
    tally_.handshakes.add(static_cast<std::uint64_t>(now - connection.begun_ns));
    note_delay(connection);
    if (connection.tls)
        tally_.add_handshake(TlsClient::suite_of(*connection.tls),
                             TlsClient::is_resumed(*connection.tls), now - connection.securing_ns);
    owner_.opened(connection);
    close_if_done(connection);
}

void ConnectionSet::note_delay(const Connection &connection)
{
    if (connection.own_delay_ns > plan_.stream.run.bearable.count())
        shortages_.openings++;
}

std::span<std::uint8_t> ConnectionSet::room_to_send(Connection &connection, std::size_t size)
{
    const std::span<std::uint8_t> room = connection.unsent.append(pool_, size, plan_.blocks);
    if (room.empty() && connection.state == Connection::State::open &&
        state_of(connection.socket).lacked_buffer)
        shortages_.unsent++;
    return room;
}

void ConnectionSet::give_up(Connection &connection, std::uint16_t id)
{
    if (!connection.http)
        return;
    http_->give_up(*connection.http, id);
    // Another query may now have the stream.
    if (!connection.unsent.empty())
        flush(connection);
}

std::optional<std::size_t> ConnectionSet::hand_over(Connection &connection,
                                                    std::span<const std::uint8_t> octets)
{
    const ssize_t sent =
        send(connection.socket.get(), octets.data(), octets.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    sends_++;
    if (sent >= 0)
        return static_cast<std::size_t>(sent);
    const int error = errno;
    if (error == EAGAIN || error == ENOBUFS || error == ENOMEM) {
        shortages_.memory += error != EAGAIN ? 1 : 0;
        return 0;
    }
    lose(connection, error == EPIPE || error == ECONNRESET ? ConnectionEnd::reset_by_server
                                                           : ConnectionEnd::broken);
    return std::nullopt;
}

void ConnectionSet::flush(Connection &connection)
{
    const bool is_open = connection.state == Connection::State::open;
    if (!is_open && connection.state != Connection::State::securing)
        return;
    if (connection.tls ? flush_records(connection) : flush_plain(connection))
        await_room(connection, !connection.sealed.empty() ||
                                   (!connection.tls && is_open && !connection.unsent.empty()));
}

bool ConnectionSet::flush_plain(Connection &connection)
{
    while (!connection.unsent.empty()) {
        const std::span<const std::uint8_t> octets = connection.unsent.front(pool_);
        const std::optional<std::size_t> taken = hand_over(connection, octets);
        if (!taken)
            return false;
        tally_.counts.octets_sent += *taken;
        connection.unsent.take_out(pool_, *taken);
        if (*taken < octets.size())
            break;
    }
    return true;
}

// Octets become records only when the kernel takes them at once, because records cannot be undone.
bool ConnectionSet::flush_records(Connection &connection)
{
    if (!send_records(connection))
        return false;
    while (connection.state == Connection::State::open && connection.sealed.empty()) {
        if (!seal_next(connection))
            return false;
        if (tls_->outgoing().empty())
            return true;
        if (!send_records(connection))
            return false;
    }
    return true;
}

bool ConnectionSet::seal_next(Connection &connection)
{
    if (connection.http)
        return seal_requests(connection);
    while (!connection.unsent.empty() && tls_->outgoing().size() < flight_of_records) {
        const std::span<const std::uint8_t> octets = connection.unsent.front(pool_);
        if (!seal(connection, octets))
            return false;
        tally_.counts.octets_sent += octets.size();
        connection.unsent.take_out(pool_, octets.size());
    }
    return true;
}

// Requests that go out together share a record, or a few.
bool ConnectionSet::seal_requests(Connection &connection)
{
    bool is_well = true;
    while (is_well && !connection.unsent.empty() && http_->outgoing().size() < flight_of_records) {
        const std::span<const std::uint8_t> first = connection.unsent.front(pool_);
        const std::size_t size = wire_get16(first.data());
        if (!http_->may_ask(*connection.http, size))
            break;
        is_well = http_->ask(*connection.http, first.subspan(length_size, size));
        tally_.counts.octets_sent += size;
        connection.unsent.take_out(pool_, length_size + size);
    }
    if (is_well)
        return seal_frames(connection);
    note_http_failure();
    http_->outgoing().clear();
    finish(connection, ConnectionEnd::http_broken);
    return false;
}

bool ConnectionSet::seal_frames(Connection &connection)
{
    const bool is_well = http_->answer(*connection.http);
    std::vector<std::uint8_t> &frames = http_->outgoing();
    const bool is_sealed = frames.empty() || seal(connection, frames);
    tally_.counts.http_octets_sent += frames.size();
    frames.clear();
    if (!is_sealed || is_well)
        return is_sealed;
    // Tells the server why.
    note_http_failure();
    if (send_records(connection))
        finish(connection, ConnectionEnd::http_broken);
    return false;
}

bool ConnectionSet::seal(Connection &connection, std::span<const std::uint8_t> octets)
{
    if (tls_->seal(*connection.tls, octets))
        return true;
    note_tls_failure(tls_->failure());
    finish(connection, ConnectionEnd::tls_broken);
    return false;
}

// Records that the kernel did not take go first.
bool ConnectionSet::send_records(Connection &connection)
{
    std::vector<std::uint8_t> &made = tls_->outgoing();
    std::vector<std::uint8_t> &waiting = connection.sealed;
    if (!waiting.empty()) {
        waiting.insert(waiting.end(), made.begin(), made.end());
        made.clear();
    }
    std::vector<std::uint8_t> &next = waiting.empty() ? made : waiting;
    if (next.empty())
        return true;
    if (waiting.size() > most_records_waiting) {
        note_tls_failure("the server does not read what TLS answers");
        lose(connection, ConnectionEnd::tls_broken);
        return false;
    }
    const std::optional<std::size_t> taken = hand_over(connection, next);
    if (!taken)
        return false;
    tally_.counts.tls_octets_sent += *taken;
    next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(*taken));
    if (!made.empty())
        waiting.swap(made);
    return true;
}

void ConnectionSet::await_room(Connection &connection, bool awaits)
{
    if (connection.awaits_room == awaits)
        return;
    connection.awaits_room = awaits;
    watch(connection, EPOLL_CTL_MOD);
}

void ConnectionSet::watch(Connection &connection, int operation)
{
    epoll_event event{};
    event.events = EPOLLIN | (connection.awaits_room ? std::uint32_t{EPOLLOUT} : 0U);
    event.data.u64 = std::uint64_t{connection.serial} << 32U | number_of(connection);
    if (epoll_ctl(epoll_.get(), operation, connection.socket.get(), &event) != 0)
        shortages_.memory++;
}

bool ConnectionSet::look(Nanoseconds wait)
{
    if (handled_ < seen_)
        return true;
    const auto wait_ms = std::chrono::duration_cast<std::chrono::milliseconds>(wait).count();
    handled_ = 0;
    seen_ = epoll_wait(epoll_.get(), events_.data(), events_most, static_cast<int>(wait_ms));
    return seen_ > 0;
}

bool ConnectionSet::handle_next()
{
    if (handled_ >= seen_)
        return false;
    const epoll_event &event = events_[static_cast<std::size_t>(handled_++)];
    Connection &connection = connections_[static_cast<std::uint32_t>(event.data.u64)];
    // The event may be of a connection that has ended since look().
    if (connection.state != Connection::State::closed &&
        connection.serial == static_cast<std::uint32_t>(event.data.u64 >> 32U))
        handle(connection, event.events);
    return true;
}

void ConnectionSet::handle(Connection &connection, std::uint32_t events)
{
    if (connection.state == Connection::State::opening)
        finish_opening(connection, events);
    if ((events & EPOLLOUT) != 0)
        flush(connection);
    if ((connection.state == Connection::State::open ||
         connection.state == Connection::State::securing) &&
        (events & ~EPOLLOUT) != 0)
        read(connection);
}

void ConnectionSet::finish_opening(Connection &connection, std::uint32_t events)
{
    const bool has_failed = (events & (EPOLLERR | EPOLLHUP)) != 0;
    if (const int error = has_failed ? error_of(connection.socket) : 0; error != 0)
        return abort_opening(connection, error);
    const std::int64_t now = monotonic_ns();
    begin_use(connection, tls_ ? now - state_of(connection.socket).since_ack_ns : now);
}

void ConnectionSet::begin_use(Connection &connection, std::int64_t since_ns)
{
    const std::int64_t now = monotonic_ns();
    if (now - connection.begun_ns > syn_again_ns)
        tally_.counts.syn_retransmissions += state_of(connection.socket).retransmissions;
    if (!tls_)
        return note_open(connection, now);
    connection.state = Connection::State::securing;
    connection.securing_ns = now;
    connection.tls = tls_->begin();
    if (!connection.tls)
        return abort_opening(connection, ENOMEM);
    shake_hands(connection, since_ns);
}

// Sends TLS' answer even if the handshake has failed: it tells the server why.
void ConnectionSet::shake_hands(Connection &connection, std::int64_t since_ns)
{
    const TlsClient::State state = tls_->shake_hands(*connection.tls);
    if (state == TlsClient::State::failed)
        note_tls_failure(tls_->failure());
    if (!send_records(connection))
        return;
    const std::int64_t now = monotonic_ns();
    if (connection.queries != 0)
        connection.own_delay_ns += now - since_ns;
    switch (state) {
    case TlsClient::State::goes_on:
        return await_room(connection, !connection.sealed.empty());
    case TlsClient::State::open:
        if (http_ && !begin_http(connection))
            return;
        note_open(connection, now);
        return flush(connection);
    case TlsClient::State::closed_by_server:
        return lose(connection, ConnectionEnd::closed_by_server);
    case TlsClient::State::failed:
        return abort_opening(connection, 0);
    }
}

bool ConnectionSet::begin_http(Connection &connection)
{
    if (!TlsClient::has_protocol(*connection.tls)) {
        note_tls_failure("the server does not speak HTTP/2 (ALPN h2)");
        abort_opening(connection, 0);
        return false;
    }
    connection.http = http_->begin();
    if (!connection.http) {
        abort_opening(connection, ENOMEM);
        return false;
    }
    unsettled_++;
    return true;
}

void ConnectionSet::note_tls_failure(const std::string &why)
{
    if (tally_.tls_failure.empty())
        tally_.tls_failure = why;
}

void ConnectionSet::note_http_failure()
{
    if (tally_.http_failure.empty())
        tally_.http_failure = http_->failure();
}

void ConnectionSet::abort_opening(Connection &connection, int error)
{
    opening_--;
    count_segments(connection, state_of(connection.socket));
    note_delay(connection);
    owner_.ended(connection, ConnectionEnd::unopened);
    if (error == ETIMEDOUT)
        part(connection);
    if (connection.takes_queries) {
        Place &place = places_[connection.place];
        place.connection = Connection::none;
        fail(place, error, monotonic_ns());
    } else {
        count_failure(error);
    }
    release(connection);
}

void ConnectionSet::lose(Connection &connection, ConnectionEnd how)
{
    if (!connection.is_opening())
        return finish(connection, how);
    note_tls_failure(
        how == ConnectionEnd::closed_by_server ? "the server closed the connection in the handshake"
        : how == ConnectionEnd::reset_by_server ? "the server reset the connection in the handshake"
                                                : "the connection broke in the handshake");
    abort_opening(connection, 0);
}

std::optional<std::int64_t> ConnectionSet::stamped_time(const std::optional<std::int64_t> &stamp_ns)
{
    if (!stamp_ns)
        return std::nullopt;
    const std::int64_t before = monotonic_ns();
    const std::int64_t real = realtime_ns();
    stamps_.look(before, real, monotonic_ns());
    return stamps_.monotonic(*stamp_ns);
}

void ConnectionSet::read(Connection &connection)
{
    const Received received = receive(connection.socket, octets_);
    if (received.error == EAGAIN || received.error == EINTR)
        return;
    if (received.error != 0)
        return lose(connection, received.error == ECONNRESET ? ConnectionEnd::reset_by_server
                                                             : ConnectionEnd::broken);
    if (received.octets == 0)
        return lose(connection, ConnectionEnd::closed_by_server);
    const std::uint32_t serial = connection.serial;
    const std::uint64_t sends = sends_;
    take(connection, received);
    // Octets that were sent meanwhile acknowledge, too. A separate acknowledgement would be another
    // packet for both ends.
    if (plan_.socket.acks == Acks::quick && connection.serial == serial && sends_ == sends)
        acknowledge(connection.socket);
}

void ConnectionSet::take(Connection &connection, const Received &received)
{
    const std::int64_t now = monotonic_ns();
    const std::optional<std::int64_t> stamp = stamped_time(received.stamp_ns);
    const std::span<const std::uint8_t> octets =
        std::span<const std::uint8_t>(octets_).first(received.octets);
    if (!connection.tls) {
        take(connection, octets, stamp, now);
        owner_.received_all(connection);
        return close_if_done(connection);
    }
    tally_.counts.tls_octets_received += received.octets;
    tls_->take_in(octets);
    if (connection.state == Connection::State::securing)
        shake_hands(connection, stamp.value_or(now));
    // The server's first messages may come together with the end of the handshake.
    if (connection.state == Connection::State::open)
        read_records(connection, stamp, now);
}

void ConnectionSet::take(Connection &connection, std::span<const std::uint8_t> octets,
                         std::optional<std::int64_t> stamp, std::int64_t now)
{
    tally_.counts.octets_received += octets.size();
    connection.reader.read(octets, [&](std::span<const std::uint8_t> message, std::size_t size) {
        take_message(connection, id_of(message), message, size, stamp, now);
    });
}

void ConnectionSet::take_message(Connection &connection, std::optional<std::uint16_t> id,
                                 std::span<const std::uint8_t> message, std::size_t size,
                                 std::optional<std::int64_t> stamp, std::int64_t now)
{
    tally_.counts.unstamped += stamp ? 0 : 1;
    owner_.received(connection, id, message, size, stamp.value_or(now));
}

bool ConnectionSet::take_frames(Connection &connection, std::span<const std::uint8_t> octets,
                                std::optional<std::int64_t> stamp, std::int64_t now)
{
    tally_.counts.http_octets_received += octets.size();
    const bool had_settings = connection.http->has_settings;
    const std::uint64_t leaves = connection.http->leaves;
    const bool is_well = http_->take_in(*connection.http, octets);
    unsettled_ -= !had_settings && connection.http->has_settings ? 1 : 0;
    take_outcomes(connection, stamp, now);
    if (connection.http->leaves != leaves) {
        tally_.counts.goaways += connection.http->leaves - leaves;
        if (!http_->failure().empty())
            note_http_failure();
        leave(connection);
    }
    if (is_well)
        return true;
    note_http_failure();
    finish(connection, ConnectionEnd::http_broken);
    return false;
}

void ConnectionSet::take_outcomes(Connection &connection, std::optional<std::int64_t> stamp,
                                  std::int64_t now)
{
    constexpr unsigned ok = 200;
    for (const HttpClient::Outcome &outcome : http_->outcomes()) {
        std::uint64_t ConnectionCounts::*cause = outcome.cause;
        if (outcome.status != 0 && outcome.status != ok)
            tally_.http_statuses[std::to_string(outcome.status)]++;
        if (cause == nullptr) {
            const std::optional<std::uint16_t> id = id_of(outcome.message);
            const bool is_mine = !id || *id == outcome.id;
            tally_.counts.octets_received += outcome.message.size();
            take_message(connection, is_mine ? std::optional(outcome.id) : std::nullopt,
                         outcome.message, outcome.message.size(), stamp, now);
            if (!is_mine)
                cause = &ConnectionCounts::lost_wrong_stream;
        }
        owner_.closed(connection, outcome.id, cause);
    }
    http_->forget_outcomes();
}

void ConnectionSet::leave(Connection &connection)
{
    const auto drop_all = [&](OctetQueue &queue) {
        while (!queue.empty()) {
            const std::uint8_t *const message = queue.front(pool_).data();
            const std::size_t size = length_size + wire_get16(message);
            owner_.closed(connection, wire_get16(message + length_size),
                          &ConnectionCounts::lost_goaway);
            queue.take_out(pool_, size);
        }
    };
    drop_all(connection.unsent);
    drop_all(connection.waiting);
    if (!connection.takes_queries)
        return;
    connection.takes_queries = false;
    places_[connection.place].connection = Connection::none;
}

void ConnectionSet::read_records(Connection &connection, std::optional<std::int64_t> stamp,
                                 std::int64_t now)
{
    TlsClient::Plain plain = tls_->read(*connection.tls, plain_);
    while (!plain.octets.empty()) {
        if (!connection.http)
            take(connection, plain.octets, stamp, now);
        else if (!take_frames(connection, plain.octets, stamp, now))
            return;
        plain = tls_->read(*connection.tls, plain_);
    }
    if (connection.http && plain.state == TlsClient::State::open) {
        if (!seal_frames(connection))
            return;
        take_outcomes(connection, stamp, now);
    }
    if (plain.state == TlsClient::State::failed)
        note_tls_failure(tls_->failure());
    else if (plain.state != TlsClient::State::closed_by_server)
        owner_.received_all(connection);
    // Queries may have waited for streams.
    if (connection.http && !connection.unsent.empty())
        flush(connection);
    // TLS may have something to answer.
    if (connection.state == Connection::State::closed || !send_records(connection))
        return;
    switch (plain.state) {
    case TlsClient::State::goes_on:
    case TlsClient::State::open:
        await_room(connection, connection.awaits_room || !connection.sealed.empty());
        return close_if_done(connection);
    case TlsClient::State::closed_by_server:
        return finish(connection, ConnectionEnd::closed_by_server);
    case TlsClient::State::failed:
        return finish(connection, ConnectionEnd::tls_broken);
    }
}

void ConnectionSet::close_if_done(Connection &connection)
{
    if (connection.state == Connection::State::closed || connection.has_open_queries())
        return;
    if (connection.is_opening() && (plan_.stream.clients || !connection.takes_queries))
        return abort_opening(connection, ETIMEDOUT);
    if (!connection.takes_queries)
        return finish(connection, ConnectionEnd::closed);
    if (!plan_.stream.clients || connection.is_linked())
        return;
    connection.idle_since_ns = monotonic_ns();
    idle_[plan_.stream.clients->idle_times.number_of(client_of(connection.place))].push_back(
        connection);
}

void ConnectionSet::count_segments(const Connection &connection, const StreamState &state)
{
    tally_.counts.segments += state.segments;
    tally_.counts.retransmissions += state.retransmissions;
    if (connection.state == Connection::State::opening)
        tally_.counts.syn_retransmissions += state.retransmissions;
}

void ConnectionSet::finish(Connection &connection, ConnectionEnd how)
{
    const bool is_idle = how == ConnectionEnd::closed_idle;
    const bool is_ours = how == ConnectionEnd::closed || is_idle || how == ConnectionEnd::left_open;
    connection.unlink();
    const StreamState state = state_of(connection.socket);
    const std::size_t unsent = connection.unsent.size(pool_) + connection.sealed.size();
    count_segments(connection, state);
    tally_.counts.octets_unsent += state.unsent + unsent;
    if (is_ours && unsent != 0 && state.lacked_buffer)
        shortages_.unsent++;
    tally_.counts.*(connection.is_opening() ? &ConnectionCounts::left_opening
                                            : counts_of(how).connections) += 1;
    if (connection.is_opening()) {
        note_delay(connection);
        opening_--;
    }
    owner_.ended(connection, how);
    if (connection.takes_queries) {
        Place &place = places_[connection.place];
        place.connection = Connection::none;
        place.last_end = how;
        place.failed = !is_idle && connection.queries != 0 && connection.answered == 0;
        place.not_before_ns = monotonic_ns() + pause_ns;
    }
    if (is_ours)
        part(connection);
    release(connection);
}

void ConnectionSet::part(Connection &connection)
{
    abandon(connection.socket);
}

void ConnectionSet::release(Connection &connection)
{
    if (connection.tls)
        tls_->forget();
    if (connection.http) {
        unsettled_ -= connection.http->has_settings ? 0 : 1;
        http_->outgoing().clear();
        http_->forget_outcomes();
    }
    connection.unsent.clear(pool_);
    connection.waiting.clear(pool_);
    connection.reader.clear();
    MessageReader reader = std::move(connection.reader);
    connection = Connection();
    connection.reader = std::move(reader);
    free_.push_back(number_of(connection));
}

void ConnectionSet::end()
{
    for (Connection &connection : connections_)
        if (connection.state != Connection::State::closed)
            finish(connection, ConnectionEnd::left_open);
}

} // namespace dnsgauge
