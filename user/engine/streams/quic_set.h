// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One lane's connections over QUIC: their sockets, which carry datagrams, and their timers.
#pragma once

#include "streams/connection_set.h"
#include "streams/quic_client.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <span>
#include <vector>

namespace dnsgauge
{

// A connection is `opening` until QUIC's handshake is complete. Its `unsent` octets are queries
// that have no stream yet. `sealed` is a datagram that the kernel did not take yet.
class QuicSet final : public ConnectionSet, QuicListener
{
public:
    // The plan has `tls`. `owner` must outlive the set. Throws SetupError.
    QuicSet(const ConnectionPlan &plan, ConnectionOwner &owner);

    void flush(Connection &connection) override;
    // Also deals with timers.
    bool look(Nanoseconds wait) override;

private:
    struct Timer {
        std::int64_t at_ns = 0;
        std::uint32_t connection = 0;

        bool operator>(const Timer &other) const { return at_ns > other.at_ns; }
    };

    [[nodiscard]] int begin(const SocketPlan &plan, Connection &connection, bool &is_open) override;
    void begin_use(Connection &connection, std::int64_t since_ns) override;
    void handle(Connection &connection, std::uint32_t events) override;
    void part(Connection & /*connection*/) override {} // release() tells the server
    void release(Connection &connection) override;
    void replied(QuicConnection &quic, std::span<const std::uint8_t> message,
                 std::size_t size) override;

    [[nodiscard]] QuicConnection &quic_of(const Connection &connection)
    {
        return *quic_[number_of(connection)];
    }
    void read(Connection &connection);
    // Each of these returns false if the connection has ended.
    [[nodiscard]] bool send_datagrams(Connection &connection);
    [[nodiscard]] bool hand_over(Connection &connection, std::span<const std::uint8_t> datagram);
    // Ends the connection if QUIC has.
    [[nodiscard]] bool goes_on(Connection &connection);
    // Tells the server why the connection has ended, unless it knows.
    void take_leave(const Connection &connection);
    void handle_timers();
    void set_timer(const Connection &connection);
    void count_drops(const Connection &connection);
    void note_silence(const Connection &connection);

    QuicClient client_;                                 // outlives its connections
    std::vector<std::unique_ptr<QuicConnection>> quic_; // of each connection
    std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
    std::vector<std::int64_t> next_timer_; // of each connection: its earliest one in timers_
    std::vector<std::uint8_t> incoming_;
    std::vector<std::uint8_t> outgoing_;
    std::int64_t arrived_ns_ = 0; // the datagram at hand
    bool is_stamped_ = false;     // by the kernel
};

} // namespace dnsgauge
