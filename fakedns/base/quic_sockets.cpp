// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The UDP sockets and the timers of a server's QUIC connections.
#include "base/quic_server.h"
#include "base/responder_tcp.h"
#include "base/sockets.h"
#include "base/udp_batch.h"
#include "base/wake_times.h"
#include "dns/stamped_receive.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

namespace
{

// The time for which an ended connection repeats its last datagram, or is silent. A client gives up
// a handshake earlier.
constexpr std::uint64_t last_words_ns = 15'000'000'000;

// Returns the address to which a datagram came, with the port of `bound`.
sockaddr_storage target_of(const UdpQuery &datagram, const sockaddr_storage &bound)
{
    sockaddr_storage target = bound;
    std::ranges::copy(datagram.target(), address_octets(target, target.ss_family).begin());
    return target;
}

template <class Info>
void put_source(msghdr &message, int level, int kind, const Info &info)
{
    cmsghdr *const part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = level;
    part->cmsg_type = kind;
    part->cmsg_len = CMSG_LEN(sizeof(info));
    std::memcpy(CMSG_DATA(part), &info, sizeof(info));
    message.msg_controllen = CMSG_SPACE(sizeof(info));
}

// Makes the message leave from the address to which its client writes.
void set_source(msghdr &message, const ngtcp2_addr &source)
{
    const auto *const octets = reinterpret_cast<const std::uint8_t *>(source.addr);
    if (source.addr->sa_family == AF_INET) {
        in_pktinfo info{};
        std::memcpy(&info.ipi_spec_dst, octets + offsetof(sockaddr_in, sin_addr),
                    sizeof(info.ipi_spec_dst));
        put_source(message, IPPROTO_IP, IP_PKTINFO, info);
    } else {
        in6_pktinfo info{};
        std::memcpy(&info.ipi6_addr, octets + offsetof(sockaddr_in6, sin6_addr),
                    sizeof(info.ipi6_addr));
        put_source(message, IPPROTO_IPV6, IPV6_PKTINFO, info);
    }
}

// Datagrams that leave together.
class QuicOutbox
{
public:
    // Returns room for a datagram, for add() to send.
    [[nodiscard]] std::span<std::uint8_t> room() { return octets_[count_]; }
    // Sends the first `size` octets of room() by the socket `fd`, now or together with others.
    // Datagrams that the kernel does not take count as lost on the network.
    void add(int fd, const ngtcp2_path &path, std::size_t size)
    {
        if (fd != fd_ && count_ != 0) {
            const std::size_t place = count_;
            flush();
            octets_[0] = octets_[place];
        }
        fd_ = fd;
        vectors_[count_] = {.iov_base = octets_[count_].data(), .iov_len = size};
        std::memcpy(&names_[count_], path.remote.addr, path.remote.addrlen);
        msghdr &message = headers_[count_].msg_hdr;
        message = datagram_header(vectors_[count_], names_[count_], controls_[count_].octets);
        message.msg_namelen = path.remote.addrlen;
        set_source(message, path.local);
        if (++count_ == most)
            flush();
    }

    void flush()
    {
        send_together(fd_, std::span(headers_).first(count_));
        count_ = 0;
    }

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
                std::function<Misconduct()> next_fault)
        : loop_(loop), most_(limits.connections), next_fault_(std::move(next_fault)),
          server_(setup, limits.idle), wakes_(loop, [this] { wake(); })
    {
    }

    void listen(const Endpoint &endpoint, TcpResponder::AnswererOf answerer_of) override
    {
        if (UniqueFd socket = open_udp_socket(endpoint))
            sockets_.push_back(
                std::make_unique<Socket>(*this, std::move(socket), std::move(answerer_of)));
    }

    void be_exact() override { wakes_.be_exact(); }
    [[nodiscard]] std::size_t waiting() const override
    {
        std::size_t answers = 0;
        for (const auto &connection : connections_)
            answers += connection->unsent();
        return answers;
    }

    [[nodiscard]] const TlsCounts &counts() const override { return server_.counts(); }

private:
    class Socket : public EventHandler
    {
    public:
        Socket(QuicSockets &owner, UniqueFd socket, TcpResponder::AnswererOf answerer)
            : fd(std::move(socket)), answerer_of(std::move(answerer)), owner_(owner)
        {
            socklen_t size = sizeof(bound);
            getsockname(fd.get(), reinterpret_cast<sockaddr *>(&bound), &size);
            stamp_arrivals(fd.get());
            owner_.loop_.add(fd.get(), EPOLLIN, *this);
        }

        void on_ready(std::uint32_t /*events*/) override { owner_.receive(*this); }

        UniqueFd fd;
        sockaddr_storage bound{};
        TcpResponder::AnswererOf answerer_of;

    private:
        QuicSockets &owner_;
    };

    class Connection;
    using Connections = std::list<std::unique_ptr<Connection>>;

    class Connection : public QuicServerConnection
    {
    public:
        using QuicServerConnection::QuicServerConnection;

        const Socket *socket = nullptr;
        Connections *list = nullptr;
        Connections::iterator self;
        bool is_touched = false;
        std::uint64_t wakes_ns = wakes_never;
        [[nodiscard]] bool wakes_for_answer() const
        {
            return static_cast<std::uint64_t>(first_due_ns()) == wakes_ns;
        }
    };

    // Handles at most one batch, so that other handlers get their turn.
    void receive(Socket &socket)
    {
        const std::size_t count = inbox_.receive(socket.fd.get());
        for (std::size_t i = 0; i < count; i++) {
            const UdpQuery datagram = inbox_.query(i);
            if (!datagram.can_be_answered())
                continue;
            sockaddr_storage target = target_of(datagram, socket.bound);
            const socklen_t size = datagram.header.msg_namelen;
            const ngtcp2_path path{
                .local = {.addr = reinterpret_cast<sockaddr *>(&target), .addrlen = size},
                .remote = {.addr = reinterpret_cast<sockaddr *>(&datagram.from), .addrlen = size},
                .user_data = nullptr};
            take(socket, path, datagram.room.first(datagram.length),
                 arrival_ns(stamp_in(datagram.header)));
        }
        for (Connection *const connection : std::exchange(touched_, {})) {
            connection->is_touched = false;
            send(*connection);
            settle(*connection);
        }
        outbox_.flush();
    }

    void take(Socket &socket, const ngtcp2_path &path, std::span<const std::uint8_t> datagram,
              std::uint64_t arrived_ns)
    {
        const QuicHead head = QuicServer::head_of(datagram);
        if (head.kind == QuicHead::Kind::broken)
            return;
        auto *connection = static_cast<Connection *>(
            head.kind == QuicHead::Kind::other_version ? nullptr : server_.find(head));
        if (connection == nullptr && head.kind != QuicHead::Kind::first) {
            const std::size_t size =
                server_.answer_stranger(datagram.size(), head, outbox_.room()).size();
            if (size != 0)
                outbox_.add(socket.fd.get(), path, size);
            return;
        }
        if (connection == nullptr)
            connection = &begin(socket, head, path);
        const bool has_query = connection->take_in(
            head, path, datagram, static_cast<std::int64_t>(arrived_ns), monotonic_ns());
        if (connection->list == &opening_ ? connection->is_open()
                                          : has_query && connection->list == &connections_) {
            connections_.splice(connections_.end(), *connection->list, connection->self);
            connection->list = &connections_;
        }
        if (!std::exchange(connection->is_touched, true))
            touched_.push_back(connection);
    }

    [[nodiscard]] Connection &begin(Socket &socket, const QuicHead &head, const ngtcp2_path &path)
    {
        if (opening_.size() + connections_.size() >= most_) {
            Connection &other = least_wanted();
            other.close(doq_no_error, monotonic_ns());
            send(other);
            settle(other);
        }
        opening_.push_back(std::make_unique<Connection>(server_, head, path,
                                                        socket.answerer_of(socket.fd.get()),
                                                        next_fault_(), monotonic_ns()));
        Connection &connection = *opening_.back();
        connection.socket = &socket;
        connection.list = &opening_;
        connection.self = std::prev(opening_.end());
        return connection;
    }

    // Returns the connection that a new one replaces. If handshakes have half of the places, it is
    // the oldest handshake, because anybody can begin handshakes in somebody else's name.
    [[nodiscard]] Connection &least_wanted()
    {
        if (opening_.size() > most_ / 2 || connections_.empty())
            return *opening_.front();
        const auto idle = std::ranges::find_if_not(
            connections_, [](const auto &each) { return each->holds_answers(); });
        return **(idle == connections_.end() ? connections_.begin() : idle);
    }

    void send(Connection &connection)
    {
        ngtcp2_path_storage path;
        ngtcp2_path_storage_zero(&path);
        const std::int64_t now = monotonic_ns();
        while (const std::size_t size = connection.next_datagram(outbox_.room(), path, now).size())
            outbox_.add(connection.socket->fd.get(), path.path, size);
    }

    // Sets when the connection is looked at again. The connection may be gone then.
    void settle(Connection &connection)
    {
        if (!connection.is_over())
            return wakes_.set(connection, static_cast<std::uint64_t>(std::min(
                                              connection.timer_ns(), connection.first_due_ns())));
        if (connection.list != &ended_) {
            ended_.splice(ended_.end(), *connection.list, connection.self);
            connection.list = &ended_;
            wakes_.set(connection, ktime_ns() + last_words_ns);
        }
        if (!connection.is_touched && connection.is_forgotten()) {
            wakes_.set(connection, wakes_never);
            ended_.erase(connection.self);
        } else if (ended_.size() > most_ && !ended_.front()->is_touched) {
            wakes_.set(*ended_.front(), wakes_never);
            ended_.pop_front();
        }
    }

    void wake()
    {
        const std::int64_t now = monotonic_ns();
        while (Connection *const connection = wakes_.take(static_cast<std::uint64_t>(now))) {
            connection->is_touched = true;
            touched_.push_back(connection);
        }
        for (Connection *const connection : std::exchange(touched_, {})) {
            connection->is_touched = false;
            if (connection->is_over()) {
                ended_.erase(connection->self);
                continue;
            }
            connection->handle_timer(now);
            send(*connection);
            settle(*connection);
        }
        outbox_.flush();
    }

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

} // namespace

bool speaks_quic()
{
    return true;
}

std::unique_ptr<QuicResponder> make_quic_responder(EventLoop &loop, const TcpLimits &limits,
                                                   const TlsSetup &setup,
                                                   std::function<Misconduct()> next_fault)
{
    return std::make_unique<QuicSockets>(loop, limits, setup, std::move(next_fault));
}

} // namespace dnsgauge
