// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One lane's connections: opens them, moves their octets, and counts how they end.
//
// Queries go to places in turn, each of which has a connection at a time. A connection that takes
// no more queries leaves its place to another one, and stays open for its replies.
//
// With clients each place is one client's, and only this client's queries go there. Its connection
// is opened for the first of them, and closed when the client has not used it for some time.
#pragma once

#include "engine/tally.h"
#include "streams/connection.h"
#include "streams/http_client.h"
#include "streams/stamp_clock.h"
#include "streams/stream_engine.h"
#include "streams/stream_socket.h"
#include "streams/tls_client.h"
#include "system/monotonic_clock.h"
#include "units/rate.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// Hears what happens to connections. No function may open or close a connection. Only functions
// that say so may send.
class ConnectionOwner
{
public:
    virtual ~ConnectionOwner() = default;

    // The connection is open.
    virtual void opened(Connection &connection) = 0;
    // The connection got a message of `size` octets at `at_ns` (CLOCK_MONOTONIC); `message` is its
    // beginning. It can reply only to the query `id`; without `id`, to none.
    virtual void received(Connection &connection, std::optional<std::uint16_t> id,
                          std::span<const std::uint8_t> message, std::size_t size,
                          std::int64_t at_ns) = 0;
    // No reply to the query can come any more. If none has come, `cause` is the count of the loss.
    virtual void closed(Connection &connection, std::uint16_t id,
                        std::uint64_t ConnectionCounts::*cause) = 0;
    // All messages that came with these octets have been received. May send on the connection.
    virtual void received_all(Connection &connection) = 0;
    // The connection has ended.
    virtual void ended(Connection &connection, ConnectionEnd end) = 0;
};

// One lane's connections. If there are clients, the lane's place i is the place of client
// first_share + lane + i * shares.
struct ConnectionPlan {
    const StreamPlan &stream; // outlives the connections
    std::uint32_t lane = 0;   // on this host
    SocketPlan socket;
    std::uint32_t places = 1;
    std::uint32_t more = 0;   // most connections that have left their place and stay open
    std::uint32_t blocks = 1; // most blocks of unsent octets of each connection
};

// Counts of what the Tester itself lacked.
struct OwnShortages {
    std::uint64_t descriptors = 0; // connections not opened
    std::uint64_t ports = 0;       // connections not opened
    std::uint64_t memory = 0;      // connections not opened, and octets not taken
    std::uint64_t unsent = 0;      // queries and connections that waited for the Tester's buffers
    std::uint64_t openings = 0;    // connections that the Tester was too slow to open
    std::uint64_t recycled = 0;    // queries that lost their place before their timeout
    std::uint64_t unread = 0;      // datagrams that found no room in the Tester's sockets
};

// Connections over TCP, and over TLS above TCP; QuicSet overrides what QUIC does differently.
class ConnectionSet
{
public:
    // `owner` must outlive the set. Throws SetupError.
    ConnectionSet(const ConnectionPlan &plan, ConnectionOwner &owner);
    virtual ~ConnectionSet() = default;

    // Opens the connections of all places, unless these are clients'. Over HTTP/2 waits for the
    // server's settings. Stops when nothing has happened for `patience`, or when no connection has
    // got further for four times `patience`.
    void open_all(Nanoseconds patience);

    // What the next place in turn has. Passes over full connections; if all are full, takes the
    // next place all the same.
    struct Turn {
        Connection *connection = nullptr; // null if none, and none could be opened
        ConnectionEnd last_end{};         // of the place's last connection
    };
    [[nodiscard]] Turn next_turn();
    // Returns the same for a client's place.
    [[nodiscard]] Turn turn_of(std::uint32_t client);
    // Puts another connection in the connection's place. Returns the new one; null if none could be
    // opened.
    Connection *replace(Connection &connection);
    // Makes the connection leave its place. The next query opens another one there.
    void leave_place(Connection &connection);
    // Deals with a connection that has no open queries. Closes it if it has left its place. A
    // client's connection becomes idle; if it is still being opened, it is given up.
    void close_if_done(Connection &connection);
    // Closes one connection that has been idle for its client's idle time at `now`, if there is
    // any.
    void close_idle(std::int64_t now);

    // Returns room for `size` octets that the connection is to send; empty if there is none.
    [[nodiscard]] std::span<std::uint8_t> room_to_send(Connection &connection, std::size_t size);
    // Returns whether a further query must wait for a reply on the connection.
    [[nodiscard]] bool is_full(const Connection &connection) const
    {
        return connection.awaited >= most_awaited(connection);
    }
    // Returns how many queries without a reply the connection may have sent.
    [[nodiscard]] std::uint32_t most_awaited(const Connection &connection) const
    {
        const std::uint32_t most = plan_.stream.pipeline != 0
                                       ? plan_.stream.pipeline
                                       : std::numeric_limits<std::uint32_t>::max();
        return connection.http ? std::min(most, HttpClient::most_streams(*connection.http)) : most;
    }
    // Returns room for a message of `size` octets that waits; empty if there is none.
    [[nodiscard]] std::span<std::uint8_t> room_to_wait(Connection &connection, std::size_t size)
    {
        return connection.waiting.append(pool_, size, plan_.blocks);
    }
    // Returns the first octets that wait, or takes them out. There must be some.
    [[nodiscard]] std::span<const std::uint8_t> first_waiting(const Connection &connection)
    {
        return connection.waiting.front(pool_);
    }
    void take_waiting(Connection &connection, std::size_t size)
    {
        connection.waiting.take_out(pool_, size);
    }
    // Gives up a query that has been sent: nobody awaits its reply any more.
    void give_up(Connection &connection, std::uint16_t id);
    // Hands unsent octets to the kernel, as many as it takes.
    virtual void flush(Connection &connection);

    // Looks for events of connections, and waits up to `wait` for one. Returns false if there was
    // none.
    virtual bool look(Nanoseconds wait);
    // Deals with one event that look() found. Returns false if none is left.
    bool handle_next();

    // Closes all connections, which have no open queries any more.
    void end();

    [[nodiscard]] bool is_opening() const { return opening_ != 0; }
    // Returns how many connections have been begun.
    [[nodiscard]] std::uint32_t begun() const { return serial_; }
    [[nodiscard]] Connection &at(std::uint32_t number) { return connections_[number]; }
    [[nodiscard]] std::uint32_t number_of(const Connection &connection) const
    {
        return static_cast<std::uint32_t>(&connection - connections_.data());
    }
    [[nodiscard]] ConnectionTally &tally() { return tally_; }
    [[nodiscard]] const ConnectionTally &tally() const { return tally_; }
    [[nodiscard]] const OwnShortages &shortages() const { return shortages_; }
    // Returns how often octets were handed to the kernel.
    [[nodiscard]] std::uint64_t sends() const { return sends_; }

protected:
    // Makes the connection's socket, and begins to connect it. Returns as begin_connection() does.
    [[nodiscard]] virtual int begin(const SocketPlan &plan, Connection &connection, bool &is_open);
    // Begins to use a connection whose socket is connected, since `since_ns` as far as is known.
    virtual void begin_use(Connection &connection, std::int64_t since_ns);
    // Deals with epoll's events of a connection.
    virtual void handle(Connection &connection, std::uint32_t events);
    // Makes the server forget an open connection, and closes the socket.
    virtual void part(Connection &connection);
    // Makes an ended connection's memory free for another one.
    virtual void release(Connection &connection);

    void note_open(Connection &connection, std::int64_t now);
    // Ends a connection that does not open: a system call's error, or 0 if TLS failed.
    void abort_opening(Connection &connection, int error);
    void finish(Connection &connection, ConnectionEnd how);
    // Notes why TLS failed.
    void note_tls_failure(const std::string &why);
    void await_room(Connection &connection, bool awaits);
    // Returns when the octets came, by the kernel's stamp; nothing without a usable stamp.
    [[nodiscard]] std::optional<std::int64_t>
    stamped_time(const std::optional<std::int64_t> &stamp_ns);
    [[nodiscard]] const ConnectionPlan &plan() const { return plan_; }
    [[nodiscard]] ConnectionOwner &owner() { return owner_; }
    [[nodiscard]] BlockPool &pool() { return pool_; }
    [[nodiscard]] OwnShortages &own() { return shortages_; }
    [[nodiscard]] std::size_t size() const { return connections_.size(); }
    void count_send() { sends_++; }

private:
    struct Place {
        std::uint32_t connection = Connection::none;
        ConnectionEnd last_end = ConnectionEnd::unopened;
        bool failed = false; // the last connection did not open, or did not carry a reply
        std::int64_t not_before_ns = 0;
    };

    [[nodiscard]] bool is_full(const Place &place) const
    {
        return place.connection != Connection::none && is_full(connections_[place.connection]);
    }
    [[nodiscard]] std::uint32_t behind(std::uint32_t place) const
    {
        return place + 1 == places_.size() ? 0 : place + 1;
    }
    [[nodiscard]] Turn turn_at(std::uint32_t place);
    void open(std::uint32_t place, std::int64_t now);
    [[nodiscard]] bool may_open(const Place &place, std::int64_t now);
    void fail(Place &place, int error, std::int64_t now);
    void count_failure(int error);
    void read(Connection &connection);
    void take(Connection &connection, const Received &received);
    // Takes plain octets that came at `stamp`, or were read at `now`.
    void take(Connection &connection, std::span<const std::uint8_t> octets,
              std::optional<std::int64_t> stamp, std::int64_t now);
    void take_message(Connection &connection, std::optional<std::uint16_t> id,
                      std::span<const std::uint8_t> message, std::size_t size,
                      std::optional<std::int64_t> stamp, std::int64_t now);
    // Takes frames of HTTP/2 in the same way. Returns false if the connection is of no more use.
    [[nodiscard]] bool take_frames(Connection &connection, std::span<const std::uint8_t> octets,
                                   std::optional<std::int64_t> stamp, std::int64_t now);
    void take_outcomes(Connection &connection, std::optional<std::int64_t> stamp, std::int64_t now);
    // Makes a connection leave its place, because the server takes no more requests on it.
    void leave(Connection &connection);
    void finish_opening(Connection &connection, std::uint32_t events);
    // Ends a connection that the Tester would use further.
    void lose(Connection &connection, ConnectionEnd how);
    // Goes on with the handshake. The Tester has had all that it needs for this since `since_ns`.
    void shake_hands(Connection &connection, std::int64_t since_ns);
    void note_delay(const Connection &connection);
    void read_records(Connection &connection, std::optional<std::int64_t> stamp, std::int64_t now);
    // Returns false if the connection has ended.
    [[nodiscard]] bool begin_http(Connection &connection);
    // Notes why HTTP/2 failed.
    void note_http_failure();
    // Each of these returns false if the connection has ended.
    [[nodiscard]] bool flush_plain(Connection &connection);
    [[nodiscard]] bool flush_records(Connection &connection);
    [[nodiscard]] bool send_records(Connection &connection);
    // Seals the next octets to be sent, if there are any.
    [[nodiscard]] bool seal_next(Connection &connection);
    [[nodiscard]] bool seal_requests(Connection &connection);
    // Seals what HTTP/2 has to say.
    [[nodiscard]] bool seal_frames(Connection &connection);
    [[nodiscard]] bool seal(Connection &connection, std::span<const std::uint8_t> octets);
    // Returns how many octets the kernel took; nothing if the connection has ended.
    [[nodiscard]] std::optional<std::size_t> hand_over(Connection &connection,
                                                       std::span<const std::uint8_t> octets);
    void count_segments(const Connection &connection, const StreamState &state);
    [[nodiscard]] std::uint32_t client_of(std::uint32_t place) const;
    void watch(Connection &connection, int operation);

    static constexpr std::size_t read_size = 16'384;
    static constexpr int events_most = 32;

    ConnectionPlan plan_;
    ConnectionOwner &owner_;
    UniqueFd epoll_;
    std::unique_ptr<TlsClient> tls_; // null without TLS; outlives the connections, as the next one
    std::unique_ptr<HttpClient> http_; // null without HTTP/2
    std::vector<Connection> connections_;
    std::vector<std::uint32_t> free_;
    std::vector<Place> places_;
    std::uint32_t turn_ = 0;
    std::uint32_t serial_ = 0;
    std::uint32_t opening_ = 0;         // connections that are being opened
    std::uint32_t unsettled_ = 0;       // connections over HTTP/2 without the server's settings
    std::vector<IdleConnections> idle_; // one for each of the clients' idle times
    BlockPool pool_;
    StampClock stamps_;
    std::array<epoll_event, events_most> events_{};
    int seen_ = 0;                      // events in events_
    int handled_ = 0;                   // of these
    std::int64_t second_ns_ = 0;        // when the present second of attempts began
    std::uint32_t second_attempts_ = 0; // in that second, after failures
    std::vector<std::uint8_t> octets_;  // as they are received
    std::vector<std::uint8_t> plain_;   // out of TLS
    ConnectionTally tally_;
    OwnShortages shortages_;
    std::uint64_t sends_ = 0;
};

} // namespace dnsgauge
