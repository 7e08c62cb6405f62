// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/connection_set.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

// Memory for messages that have come in part. With many connections a message's share is smaller,
// and longer messages are cut.
constexpr std::size_t message_memory = std::size_t{64} << 20U;
constexpr std::size_t least_message_share = 4096;

// So many connections are opened at once before the run: servers have short listen backlogs.
constexpr std::uint32_t most_opening = 64;

// A place whose last connection carried no reply gets no new one for this time.
constexpr std::int64_t pause_ns = 100'000'000;
// All such places together get at most so many new ones in a second.
constexpr std::uint32_t most_attempts = 1000;

} // namespace

ConnectionSet::ConnectionSet(const ConnectionPlan &plan, ConnectionOwner &owner)
    : plan_(plan), owner_(owner), epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "cannot use epoll")),
      connections_(std::size_t{plan.places} + plan.more), places_(plan.places),
      pool_(static_cast<std::uint32_t>(connections_.size()) * plan.blocks), octets_(read_size)
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
    std::int64_t last = monotonic_ns();
    std::uint32_t next = 0;
    while (next < places_.size() || opening_ != 0) {
        const std::int64_t now = monotonic_ns();
        if (next < places_.size() && opening_ < most_opening) {
            open(next++, now);
            last = now;
        } else if (look(std::chrono::milliseconds(10))) {
            last = now;
        } else if (now - last > patience.count()) {
            return;
        }
        while (handle_next()) {
        }
    }
}

ConnectionSet::Turn ConnectionSet::next_turn()
{
    const std::uint32_t number = turn_;
    turn_ = turn_ + 1 == places_.size() ? 0 : turn_ + 1;
    Place &place = places_[number];
    if (place.connection == Connection::none)
        open(number, monotonic_ns());
    if (place.connection == Connection::none)
        return {.connection = nullptr, .last_end = place.last_end};
    return {.connection = &connections_[place.connection], .last_end = place.last_end};
}

Connection *ConnectionSet::replace(Connection &connection)
{
    const std::uint32_t number = connection.place;
    connection.takes_queries = false;
    places_[number].connection = Connection::none;
    close_if_done(connection);
    open(number, monotonic_ns());
    const std::uint32_t successor = places_[number].connection;
    return successor == Connection::none ? nullptr : &connections_[successor];
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
    bool is_open = false;
    if (const int error = begin_connection(plan_.socket, connection.socket, is_open); error != 0)
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
        note_open(connection, monotonic_ns());
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
    switch (hindrance_of(error)) {
    case Hindrance::refused:
        counts.refused++;
        return;
    case Hindrance::unanswered:
        counts.unanswered++;
        return;
    case Hindrance::descriptors:
        shortages_.descriptors++;
        break;
    case Hindrance::ports:
        shortages_.ports++;
        break;
    case Hindrance::memory:
        shortages_.memory++;
        break;
    case Hindrance::other:
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
}

std::span<std::uint8_t> ConnectionSet::room_to_send(Connection &connection, std::size_t size)
{
    const std::span<std::uint8_t> room = connection.unsent.append(pool_, size, plan_.blocks);
    if (room.empty() && connection.state == Connection::State::open &&
        state_of(connection.socket).lacked_buffer)
        shortages_.unsent++;
    return room;
}

void ConnectionSet::flush(Connection &connection)
{
    if (connection.state != Connection::State::open)
        return;
    while (!connection.unsent.empty()) {
        const std::span<const std::uint8_t> octets = connection.unsent.front(pool_);
        const ssize_t sent = send(connection.socket.get(), octets.data(), octets.size(),
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
        sends_++;
        if (sent < 0) {
            const int error = errno;
            if (error == EPIPE || error == ECONNRESET)
                return finish(connection, ConnectionEnd::reset_by_server);
            if (error != EAGAIN && error != ENOBUFS && error != ENOMEM)
                return finish(connection, ConnectionEnd::broken);
            shortages_.memory += error != EAGAIN ? 1 : 0;
            break;
        }
        tally_.counts.octets_sent += static_cast<std::uint64_t>(sent);
        connection.unsent.take_out(pool_, static_cast<std::size_t>(sent));
        if (static_cast<std::size_t>(sent) < octets.size())
            break;
    }
    if (connection.awaits_room == connection.unsent.empty()) {
        connection.awaits_room = !connection.unsent.empty();
        watch(connection, EPOLL_CTL_MOD);
    }
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
        finish_opening(connection);
    if (connection.state == Connection::State::open && (events & EPOLLOUT) != 0)
        flush(connection);
    if (connection.state == Connection::State::open && (events & ~EPOLLOUT) != 0)
        read(connection);
}

void ConnectionSet::finish_opening(Connection &connection)
{
    const std::int64_t now = monotonic_ns();
    const int error = error_of(connection.socket);
    if (error == 0) {
        note_open(connection, now);
        return;
    }
    opening_--;
    tally_.counts.retransmissions += state_of(connection.socket).retransmissions;
    owner_.ended(connection, ConnectionEnd::unopened);
    if (connection.takes_queries) {
        Place &place = places_[connection.place];
        place.connection = Connection::none;
        fail(place, error, now);
    } else {
        count_failure(error);
    }
    release(connection);
}

std::optional<std::int64_t> ConnectionSet::stamped_time(const Received &received)
{
    if (!received.stamp_ns)
        return std::nullopt;
    const std::int64_t before = monotonic_ns();
    const std::int64_t real = realtime_ns();
    const std::int64_t now = monotonic_ns();
    stamps_.look(before + (now - before) / 2, real);
    return stamps_.monotonic(*received.stamp_ns);
}

void ConnectionSet::read(Connection &connection)
{
    const Received received = receive(connection.socket, octets_);
    if (received.error == EAGAIN || received.error == EINTR)
        return;
    if (received.error != 0)
        return finish(connection, received.error == ECONNRESET ? ConnectionEnd::reset_by_server
                                                               : ConnectionEnd::broken);
    if (received.octets == 0)
        return finish(connection, ConnectionEnd::closed_by_server);
    tally_.counts.octets_received += received.octets;
    const std::int64_t now = monotonic_ns();
    const std::optional<std::int64_t> stamp = stamped_time(received);
    connection.reader.read(std::span<const std::uint8_t>(octets_).first(received.octets),
                           [&](std::span<const std::uint8_t> message, std::size_t size) {
                               tally_.counts.unstamped += stamp ? 0 : 1;
                               owner_.received(connection, message, size, stamp.value_or(now));
                           });
    close_if_done(connection);
}

void ConnectionSet::close_if_done(Connection &connection)
{
    if (!connection.takes_queries && !connection.has_open_queries())
        finish(connection, ConnectionEnd::closed);
}

void ConnectionSet::count_end(const Connection &connection, ConnectionEnd how)
{
    ConnectionCounts &counts = tally_.counts;
    if (connection.state == Connection::State::opening) {
        counts.left_opening++;
        return;
    }
    switch (how) {
    case ConnectionEnd::closed:
        counts.closed++;
        break;
    case ConnectionEnd::closed_by_server:
        counts.closed_by_server++;
        break;
    case ConnectionEnd::reset_by_server:
        counts.reset_by_server++;
        break;
    case ConnectionEnd::unopened:
    case ConnectionEnd::broken:
        counts.broken++;
        break;
    case ConnectionEnd::left_open:
        counts.left_open++;
        break;
    }
}

void ConnectionSet::finish(Connection &connection, ConnectionEnd how)
{
    const bool is_ours = how == ConnectionEnd::closed || how == ConnectionEnd::left_open;
    const StreamState state = state_of(connection.socket);
    const std::size_t unsent = connection.unsent.size(pool_);
    tally_.counts.retransmissions += state.retransmissions;
    tally_.counts.octets_unsent += state.unsent + unsent;
    if (is_ours && unsent != 0 && state.lacked_buffer)
        shortages_.unsent++;
    count_end(connection, how);
    if (connection.state == Connection::State::opening)
        opening_--;
    owner_.ended(connection, how);
    if (connection.takes_queries) {
        Place &place = places_[connection.place];
        place.connection = Connection::none;
        place.last_end = how;
        place.failed = connection.queries != 0 && connection.answered == 0;
        place.not_before_ns = monotonic_ns() + pause_ns;
    }
    if (is_ours)
        abandon(connection.socket);
    release(connection);
}

void ConnectionSet::release(Connection &connection)
{
    connection.unsent.clear(pool_);
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
