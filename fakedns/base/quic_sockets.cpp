// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/quic_sockets.h"

#include "userland/stamped_receive.h"

#include <linux/errqueue.h>
#include <netinet/in.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

// For so long a connection that has ended repeats what it said last, or is silent. A client gives a
// handshake up earlier.
constexpr std::int64_t last_words_ns = 15'000'000'000;

// Returns the address to which a message came, with the port of `bound`.
sockaddr_storage target_of(msghdr &message, const sockaddr_storage &bound)
{
    sockaddr_storage target = bound;
    for (const cmsghdr *part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, const_cast<cmsghdr *>(part))) {
        auto *const octets = reinterpret_cast<std::uint8_t *>(&target);
        if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO) {
            in_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof(info));
            std::memcpy(octets + offsetof(sockaddr_in, sin_addr), &info.ipi_addr,
                        sizeof(info.ipi_addr));
        } else if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO) {
            in6_pktinfo info{};
            std::memcpy(&info, CMSG_DATA(part), sizeof(info));
            std::memcpy(octets + offsetof(sockaddr_in6, sin6_addr), &info.ipi6_addr,
                        sizeof(info.ipi6_addr));
        }
    }
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

// Has the message leave from the address to which its client writes.
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

} // namespace

void QuicOutbox::add(int fd, const ngtcp2_path &path, std::size_t size)
{
    if (fd != fd_ && count_ != 0) {
        const std::size_t place = count_;
        flush();
        if (place != 0)
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

void QuicOutbox::flush()
{
    std::size_t done = 0;
    while (done < count_) {
        const int sent =
            sendmmsg(fd_, &headers_[done], static_cast<unsigned>(count_ - done), MSG_DONTWAIT);
        if (sent > 0)
            done += static_cast<std::size_t>(sent);
        else if (errno != EINTR)
            done++;
    }
    count_ = 0;
}

class QuicSockets::Socket : public EventHandler
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

class QuicSockets::Connection : public QuicServerConnection
{
public:
    using QuicServerConnection::QuicServerConnection;

    const Socket *socket = nullptr;
    Connections *list = nullptr;
    Connections::iterator self;
    bool is_touched = false;
    std::int64_t wakes_ns = quic_never;
};

// Datagrams that were received together.
class QuicSockets::Inbox
{
public:
    static constexpr std::size_t most = 32;

    // Returns how many datagrams the socket had.
    std::size_t receive(int fd)
    {
        for (std::size_t i = 0; i < most; i++) {
            vectors_[i] = {.iov_base = octets_[i].data(), .iov_len = octets_[i].size()};
            headers_[i] = {datagram_header(vectors_[i], names_[i], controls_[i].octets), 0};
        }
        const int received = recvmmsg(fd, headers_.data(), most, MSG_DONTWAIT, nullptr);
        return received < 0 ? 0 : static_cast<std::size_t>(received);
    }

    [[nodiscard]] msghdr &message(std::size_t i) { return headers_[i].msg_hdr; }
    [[nodiscard]] sockaddr_storage &sender(std::size_t i) { return names_[i]; }
    [[nodiscard]] std::span<const std::uint8_t> datagram(std::size_t i) const
    {
        return std::span(octets_[i]).first(headers_[i].msg_len);
    }

private:
    static constexpr std::size_t longest = 2048;
    struct alignas(cmsghdr) Control {
        std::array<std::uint8_t,
                   CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(scm_timestamping))>
            octets;
    };

    std::array<std::array<std::uint8_t, longest>, most> octets_{};
    std::array<mmsghdr, most> headers_{};
    std::array<iovec, most> vectors_{};
    std::array<sockaddr_storage, most> names_{};
    std::array<Control, most> controls_{};
};

QuicSockets::QuicSockets(EventLoop &loop, const TcpLimits &limits, const TlsSetup &setup,
                         std::function<Misconduct()> next_fault)
    : loop_(loop), most_(limits.connections), next_fault_(std::move(next_fault)),
      server_(setup, limits.idle), inbox_(std::make_unique<Inbox>()),
      timer_(loop, [this] { wake(); })
{
}

QuicSockets::~QuicSockets() = default;

void QuicSockets::listen(const Endpoint &endpoint, TcpResponder::AnswererOf answerer_of)
{
    if (UniqueFd socket = open_udp_socket(endpoint))
        sockets_.push_back(
            std::make_unique<Socket>(*this, std::move(socket), std::move(answerer_of)));
}

std::size_t QuicSockets::waiting() const
{
    std::size_t answers = 0;
    for (const auto &connection : connections_)
        answers += connection->unsent();
    return answers;
}

// Answers at most one batch, so that other handlers get their turn.
void QuicSockets::receive(Socket &socket)
{
    const std::size_t count = inbox_->receive(socket.fd.get());
    for (std::size_t i = 0; i < count; i++) {
        msghdr &message = inbox_->message(i);
        sockaddr_storage target = target_of(message, socket.bound);
        const ngtcp2_path path{.local = {.addr = reinterpret_cast<sockaddr *>(&target),
                                         .addrlen = message.msg_namelen},
                               .remote = {.addr = reinterpret_cast<sockaddr *>(&inbox_->sender(i)),
                                          .addrlen = message.msg_namelen},
                               .user_data = nullptr};
        if (source_port(inbox_->sender(i)) != 0 && (message.msg_flags & MSG_TRUNC) == 0)
            take(socket, path, inbox_->datagram(i), arrival_ns(stamp_in(message)));
    }
    for (Connection *const connection : std::exchange(touched_, {})) {
        connection->is_touched = false;
        send(*connection);
        settle(*connection);
    }
    outbox_.flush();
    arm();
}

void QuicSockets::take(Socket &socket, const ngtcp2_path &path,
                       std::span<const std::uint8_t> datagram, std::uint64_t arrived_ns)
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

QuicSockets::Connection &QuicSockets::begin(Socket &socket, const QuicHead &head,
                                            const ngtcp2_path &path)
{
    if (opening_.size() + connections_.size() >= most_) {
        Connection &other = least_wanted();
        other.close(doq_no_error, monotonic_ns());
        send(other);
        settle(other);
    }
    opening_.push_back(std::make_unique<Connection>(
        server_, head, path, socket.answerer_of(socket.fd.get()), next_fault_(), monotonic_ns()));
    Connection &connection = *opening_.back();
    connection.socket = &socket;
    connection.list = &opening_;
    connection.self = std::prev(opening_.end());
    return connection;
}

// Anybody can begin handshakes in somebody else's name. Once handshakes have half of the places, a
// further one takes the place of the oldest handshake.
QuicSockets::Connection &QuicSockets::least_wanted()
{
    if (opening_.size() > most_ / 2 || connections_.empty())
        return *opening_.front();
    const auto idle = std::ranges::find_if_not(
        connections_, [](const auto &each) { return each->holds_answers(); });
    return **(idle == connections_.end() ? connections_.begin() : idle);
}

void QuicSockets::send(Connection &connection)
{
    ngtcp2_path_storage path;
    ngtcp2_path_storage_zero(&path);
    const std::int64_t now = monotonic_ns();
    while (const std::size_t size = connection.next_datagram(outbox_.room(), path, now).size())
        outbox_.add(connection.socket->fd.get(), path.path, size);
}

// Sets when the connection is looked at again. The connection may be gone then.
void QuicSockets::settle(Connection &connection)
{
    if (!connection.is_over())
        return wake_at(connection, std::min(connection.timer_ns(), connection.first_due_ns()));
    if (connection.list != &ended_) {
        ended_.splice(ended_.end(), *connection.list, connection.self);
        connection.list = &ended_;
        wake_at(connection, monotonic_ns() + last_words_ns);
    }
    if (!connection.is_touched && connection.is_forgotten()) {
        wake_at(connection, quic_never);
        ended_.erase(connection.self);
    } else if (ended_.size() > most_ && !ended_.front()->is_touched) {
        wake_at(*ended_.front(), quic_never);
        ended_.pop_front();
    }
}

void QuicSockets::wake_at(Connection &connection, std::int64_t when_ns)
{
    if (when_ns == connection.wakes_ns)
        return;
    if (connection.wakes_ns != quic_never)
        wakes_.erase({connection.wakes_ns, &connection});
    connection.wakes_ns = when_ns;
    if (when_ns != quic_never)
        wakes_.emplace(when_ns, &connection);
}

// The timer may come too early, which costs less than a system call for every datagram.
void QuicSockets::arm()
{
    if (wakes_.empty())
        return;
    const auto &[first_ns, connection] = *wakes_.begin();
    const bool is_exact = is_exact_ && connection->first_due_ns() == first_ns;
    const auto when = static_cast<std::uint64_t>(first_ns);
    const std::uint64_t at = is_exact ? wakeup_for(when, Punctuality::exact) : when;
    if (static_cast<std::int64_t>(at) >= armed_ns_)
        return;
    armed_ns_ = static_cast<std::int64_t>(at);
    timer_.set(at);
}

void QuicSockets::wake()
{
    armed_ns_ = quic_never;
    if (is_exact_ && !wakes_.empty()) {
        const auto &[first_ns, connection] = *wakes_.begin();
        const auto when = static_cast<std::uint64_t>(first_ns);
        if (connection->first_due_ns() == first_ns &&
            wakeup_for(when, Punctuality::exact) <= ktime_ns())
            while (when > ktime_ns()) {
            }
    }
    const std::int64_t now = monotonic_ns();
    while (!wakes_.empty() && wakes_.begin()->first <= now) {
        Connection &connection = *wakes_.begin()->second;
        wake_at(connection, quic_never);
        connection.is_touched = true;
        touched_.push_back(&connection);
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
    arm();
}

} // namespace dnsgauge
