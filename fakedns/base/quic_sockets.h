// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The UDP sockets and the timers of a server's QUIC connections.
#pragma once

#include "base/quic_server.h"
#include "base/responder_tcp.h"
#include "base/sockets.h"
#include "base/udp_batch.h"
#include "base/wake_times.h"

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

// Datagrams that leave together.
class QuicOutbox
{
public:
    // Returns room for a datagram, for add() to send.
    [[nodiscard]] std::span<std::uint8_t> room() { return octets_[count_]; }
    // Sends the first `size` octets of room() by the socket `fd`, now or together with others. What
    // the kernel does not take is lost on the way.
    void add(int fd, const ngtcp2_path &path, std::size_t size);
    void flush();

private:
    static constexpr std::size_t most = 32;
    struct alignas(cmsghdr) Control {
        std::array<std::uint8_t, CMSG_SPACE(sizeof(in6_pktinfo))> octets;
    };

    int fd_ = -1;
    std::size_t count_ = 0;
    std::array<std::array<std::uint8_t, quic_datagram_most>, most> octets_{};
    std::array<mmsghdr, most> headers_{};
    std::array<iovec, most> vectors_{};
    std::array<sockaddr_storage, most> names_{};
    std::array<Control, most> controls_{};
};

class QuicSockets : public QuicResponder
{
public:
    QuicSockets(EventLoop &loop, const TcpLimits &limits, const TlsSetup &setup,
                std::function<Misconduct()> next_fault);
    ~QuicSockets() override;

    void listen(const Endpoint &endpoint, TcpResponder::AnswererOf answerer_of) override;
    void be_exact() override { wakes_.be_exact(); }
    [[nodiscard]] std::size_t waiting() const override;
    [[nodiscard]] const TlsCounts &counts() const override { return server_.counts(); }

private:
    class Socket;
    class Connection;
    using Connections = std::list<std::unique_ptr<Connection>>;

    void receive(Socket &socket);
    void take(Socket &socket, const ngtcp2_path &path, std::span<const std::uint8_t> datagram,
              std::uint64_t arrived_ns);
    [[nodiscard]] Connection &begin(Socket &socket, const QuicHead &head, const ngtcp2_path &path);
    [[nodiscard]] Connection &least_wanted();
    void send(Connection &connection);
    void settle(Connection &connection);
    void wake();

    EventLoop &loop_;
    std::size_t most_;
    std::function<Misconduct()> next_fault_;
    QuicServer server_;
    UdpBatch inbox_;
    QuicOutbox outbox_;
    std::vector<std::unique_ptr<Socket>> sockets_;
    Connections opening_;     // longest first
    Connections connections_; // open ones, idle longest first
    Connections ended_;       // they repeat what they said last; longest first
    std::vector<Connection *> touched_;
    WakeTimes<Connection> wakes_;
};

} // namespace dnsgauge
