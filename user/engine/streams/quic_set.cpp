// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/quic_set.h"

#include "dns/stamped_receive.h"

#include "wire/bytes.h"

#include <linux/sock_diag.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <limits>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t id_size = 2;
constexpr std::size_t longest_datagram = 65'535;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// Datagrams of one connection that are read at once, before another connection or a query is
// served.
constexpr unsigned datagrams_at_once = 8;

// What each QuicEnd means for the connection.
struct EndMeaning {
    int error = 0;       // of the opening, if the connection was not open; 0: TLS failed
    ConnectionEnd end{}; // of an open connection
};

constexpr std::array<EndMeaning, 7> end_meanings{{{0, ConnectionEnd::closed_by_server},
                                                  {0, ConnectionEnd::reset_by_server},
                                                  {ETIMEDOUT, ConnectionEnd::closed_by_server},
                                                  {ETIMEDOUT, ConnectionEnd::broken},
                                                  {ECONNREFUSED, ConnectionEnd::broken},
                                                  {0, ConnectionEnd::tls_broken},
                                                  {EPROTO, ConnectionEnd::broken}}};

} // namespace

QuicSet::QuicSet(const ConnectionPlan &plan, ConnectionOwner &owner)
    : ConnectionSet(plan, owner),
      client_(*plan.stream.tls, 2 * plan.stream.run.timeout, tally().quic, *this), quic_(size()),
      next_timer_(size(), never), incoming_(longest_datagram),
      outgoing_(QuicConnection::datagram_most)
{
}

int QuicSet::begin(const SocketPlan &plan, Connection &connection, bool &is_open)
{
    const int error = begin_datagrams(plan, connection.socket);
    is_open = error == 0;
    return error;
}

// A UDP socket is ready at once, and QUIC's handshake begins.
void QuicSet::begin_use(Connection &connection, std::int64_t /*since_ns*/)
{
    const std::int64_t now = monotonic_ns();
    const std::uint32_t number = number_of(connection);
    quic_[number] = std::make_unique<QuicConnection>(client_, number, plan().socket.source,
                                                     plan().socket.server, now);
    connection.securing_ns = now;
    if (goes_on(connection))
        static_cast<void>(send_datagrams(connection));
}

void QuicSet::flush(Connection &connection)
{
    if (connection.state != Connection::State::open)
        return;
    QuicConnection &quic = quic_of(connection);
    const std::int64_t now = monotonic_ns();
    while (!connection.unsent.empty()) {
        const std::span<const std::uint8_t> octets = connection.unsent.front(pool());
        const std::size_t size = length_size + wire_get16(octets.data());
        if (!quic.ask(octets.first(size), now))
            break;
        tally().counts.octets_sent += size;
        connection.unsent.take_out(pool(), size);
    }
    static_cast<void>(send_datagrams(connection));
}

bool QuicSet::send_datagrams(Connection &connection)
{
    QuicConnection &quic = quic_of(connection);
    while (connection.sealed.empty()) {
        const std::span<const std::uint8_t> datagram =
            quic.next_datagram(outgoing_, monotonic_ns());
        if (!goes_on(connection))
            return false;
        if (datagram.empty())
            break;
        if (!hand_over(connection, datagram))
            return false;
    }
    set_timer(connection);
    return true;
}

bool QuicSet::hand_over(Connection &connection, std::span<const std::uint8_t> datagram)
{
    const ssize_t sent = send(connection.socket.get(), datagram.data(), datagram.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
    count_send();
    if (sent >= 0) {
        tally().quic.datagrams_sent++;
        tally().quic.octets_sent += datagram.size();
        return true;
    }
    const int error = errno;
    if (error == EAGAIN || error == ENOBUFS || error == ENOMEM) {
        own().memory += error == EAGAIN ? 0 : 1;
        connection.sealed.assign(datagram.begin(), datagram.end());
        await_room(connection, true);
        return true;
    }
    if (connection.is_opening())
        abort_opening(connection, error);
    else
        finish(connection, ConnectionEnd::broken);
    return false;
}

bool QuicSet::goes_on(Connection &connection)
{
    QuicConnection &quic = quic_of(connection);
    const std::optional<QuicEnd> end = quic.end();
    if (!end)
        return true;
    take_leave(connection);
    if (*end != QuicEnd::unanswered &&
        (connection.is_opening() || *end == QuicEnd::tls_failed || *end == QuicEnd::failed))
        note_tls_failure(quic.failure());
    const EndMeaning &meaning = end_meanings.at(static_cast<std::size_t>(*end));
    if (connection.is_opening())
        abort_opening(connection, meaning.error);
    else
        finish(connection, meaning.end);
    return false;
}

void QuicSet::handle(Connection &connection, std::uint32_t events)
{
    if ((events & EPOLLOUT) != 0 && !connection.sealed.empty()) {
        const std::vector<std::uint8_t> datagram = std::exchange(connection.sealed, {});
        await_room(connection, false);
        if (!hand_over(connection, datagram) || !send_datagrams(connection))
            return;
    }
    if ((events & ~EPOLLOUT) != 0)
        read(connection);
}

// The kernel says ECONNREFUSED if no socket is bound to the server's port.
void QuicSet::read(Connection &connection)
{
    QuicConnection &quic = quic_of(connection);
    std::int64_t first_ns = 0;
    for (unsigned i = 0; i < datagrams_at_once; i++) {
        const StampedOctets got = receive_stamped(connection.socket.get(), incoming_, MSG_DONTWAIT);
        if (got.count < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got.count < 0)
            return connection.is_opening() ? abort_opening(connection, errno)
                                           : finish(connection, ConnectionEnd::broken);
        const std::int64_t now = monotonic_ns();
        const std::optional<std::int64_t> stamp = stamped_time(got.stamp_ns);
        is_stamped_ = stamp.has_value();
        arrived_ns_ = stamp.value_or(now);
        first_ns = first_ns == 0 ? arrived_ns_ : first_ns;
        const auto octets = static_cast<std::size_t>(got.count);
        tally().quic.datagrams_received++;
        tally().quic.octets_received += octets;
        quic.take_in(std::span<const std::uint8_t>(incoming_).first(octets), now);
        if (!goes_on(connection))
            return;
    }
    if (first_ns == 0)
        return;
    if (connection.is_opening()) {
        if (!send_datagrams(connection))
            return;
        const std::int64_t now = monotonic_ns();
        if (connection.queries != 0)
            connection.own_delay_ns += now - first_ns;
        if (!quic.is_open())
            return;
        tally().add_handshake(quic.suite(), quic.is_resumed(), now - connection.securing_ns);
        note_open(connection, now);
        if (connection.state != Connection::State::open)
            return;
    }
    owner().received_all(connection);
    if (connection.state != Connection::State::open)
        return;
    flush(connection);
    close_if_done(connection);
}

void QuicSet::replied(QuicConnection &quic, std::span<const std::uint8_t> message, std::size_t size)
{
    tally().counts.octets_received += length_size + size;
    tally().counts.unstamped += is_stamped_ ? 0 : 1;
    owner().received(at(quic.number()),
                     message.size() < id_size ? std::nullopt
                                              : std::optional(wire_get16(message.data())),
                     message, size, arrived_ns_);
}

bool QuicSet::look(Nanoseconds wait)
{
    handle_timers();
    return ConnectionSet::look(wait);
}

void QuicSet::handle_timers()
{
    if (timers_.empty())
        return;
    const std::int64_t now = monotonic_ns();
    while (!timers_.empty() && timers_.top().at_ns <= now) {
        const Timer timer = timers_.top();
        timers_.pop();
        if (next_timer_[timer.connection] != timer.at_ns)
            continue; // of a connection that has ended, or has an earlier one
        next_timer_[timer.connection] = never;
        Connection &connection = at(timer.connection);
        QuicConnection &quic = quic_of(connection);
        if (quic.timer_ns() > now) {
            set_timer(connection);
            continue;
        }
        quic.handle_timer(now);
        if (goes_on(connection))
            static_cast<void>(send_datagrams(connection));
    }
}

void QuicSet::set_timer(const Connection &connection)
{
    const std::uint32_t number = number_of(connection);
    const std::int64_t at = quic_[number]->timer_ns();
    if (at >= next_timer_[number])
        return;
    next_timer_[number] = at;
    timers_.push({.at_ns = at, .connection = number});
}

void QuicSet::take_leave(const Connection &connection)
{
    const std::span<const std::uint8_t> last =
        quic_of(connection).farewell(outgoing_, monotonic_ns());
    if (last.empty() ||
        send(connection.socket.get(), last.data(), last.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        return;
    tally().quic.datagrams_sent++;
    tally().quic.octets_sent += last.size();
}

void QuicSet::count_drops(const Connection &connection)
{
    std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof(memory);
    if (getsockopt(connection.socket.get(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size) == 0 &&
        size == sizeof(memory))
        own().unread += memory[SK_MEMINFO_DROPS];
}

void QuicSet::note_silence(const Connection &connection)
{
    const std::int64_t now = monotonic_ns();
    const std::optional<std::int64_t> since = quic_of(connection).note_silence(now);
    if (since && tally().silences.size() < ConnectionTally::silences_most)
        tally().silences.push_back({.since = Nanoseconds(*since), .until = Nanoseconds(now)});
}

void QuicSet::release(Connection &connection)
{
    const std::uint32_t number = number_of(connection);
    if (quic_[number])
        note_silence(connection);
    if (quic_[number] && !quic_[number]->end())
        take_leave(connection);
    count_drops(connection);
    next_timer_[number] = never;
    quic_[number].reset();
    ConnectionSet::release(connection);
}

} // namespace dnsgauge
