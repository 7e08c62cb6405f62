// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/responder_tcp.h"

#include "base/due_timer.h"
#include "common/setup_error.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <string>

namespace dnsgauge
{

using Clock = std::chrono::steady_clock;

class TcpListener : public EventHandler
{
public:
    TcpListener(TcpResponder &owner, UniqueFd socket, TcpResponder::AnswererOf answerer_of)
        : owner_(owner), socket_(std::move(socket)), answerer_of_(std::move(answerer_of))
    {
        owner_.loop_.add(socket_.get(), EPOLLIN, *this);
    }

    void on_ready(std::uint32_t) override { owner_.accept_from(socket_.get(), answerer_of_); }

private:
    TcpResponder &owner_;
    UniqueFd socket_;
    TcpResponder::AnswererOf answerer_of_;
};

// A distant server's answers wait. The handshake was over at once, so the first answers wait for
// what it would have taken, too.
class TcpConnection : public EventHandler
{
public:
    TcpConnection(TcpResponder &owner, UniqueFd socket, std::unique_ptr<MessageAnswerer> answerer)
        : owner_(owner), socket_(std::move(socket)), answerer_(std::move(answerer)),
          stream_(*answerer_), last_query_(Clock::now()), distance_ns_(answerer_->distance_ns())
    {
        owner_.loop_.add(socket_.get(), watched_, *this);
        if (distance_ns_ == 0)
            return;
        connected_ns_ = monotonic_ns() + distance_ns_;
        timer_.emplace(owner_.loop_, [this] { on_ready(0); });
    }

    void on_ready(std::uint32_t events) override
    {
        if ((events & EPOLLIN) != 0 && !receive())
            return owner_.close_connection(self_);
        if (!send())
            return owner_.close_connection(self_);
        if (ended_ && stream_.output().empty())
            return owner_.close_connection(self_);
        if ((events & (EPOLLERR | EPOLLHUP)) != 0)
            return owner_.close_connection(self_);
        watch();
    }

    void set_self(TcpResponder::Connections::iterator self) { self_ = self; }
    void set_last_query(Clock::time_point when) { last_query_ = when; }
    [[nodiscard]] Clock::time_point last_query() const { return last_query_; }

private:
    // Reads once, so that a busy connection does not keep the others from their turn. Returns false
    // if the connection has broken.
    bool receive()
    {
        const std::span<std::uint8_t> room = stream_.input();
        const ssize_t count = recv(socket_.get(), room.data(), room.size(), 0);
        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        if (count == 0)
            ended_ = true;
        else if (stream_.received(static_cast<std::size_t>(count)))
            owner_.touch(self_);
        return true;
    }

    // Writes as much as the socket takes. Returns false if the connection has broken.
    bool send()
    {
        hold_new();
        release_due();
        while (due_octets_ != 0) {
            const std::span<const std::uint8_t> answers = stream_.output().first(due_octets_);
            const ssize_t count =
                ::send(socket_.get(), answers.data(), answers.size(), MSG_NOSIGNAL);
            if (count < 0)
                return errno == EAGAIN || errno == EINTR;
            due_octets_ -= static_cast<std::size_t>(count);
            stream_.sent(static_cast<std::size_t>(count));
            hold_new();
        }
        return true;
    }

    // Says of the answers that the stream has made since the last call when they are due.
    void hold_new()
    {
        const std::size_t made = stream_.output().size() - due_octets_ - held_octets_;
        if (distance_ns_ == 0) {
            due_octets_ += made;
        } else if (made != 0) {
            held_.push_back({made, std::max(connected_ns_, monotonic_ns()) + distance_ns_});
            held_octets_ += made;
        }
    }

    void release_due()
    {
        const std::uint64_t now = held_.empty() ? 0 : monotonic_ns();
        for (; !held_.empty() && held_.front().due_ns <= now; held_.pop_front()) {
            due_octets_ += held_.front().octets;
            held_octets_ -= held_.front().octets;
        }
        if (!held_.empty())
            timer_->set(held_.front().due_ns);
    }

    void watch()
    {
        std::uint32_t events = 0;
        if (!ended_ && stream_.wants_input())
            events |= EPOLLIN;
        if (due_octets_ != 0)
            events |= EPOLLOUT;
        if (events != watched_)
            owner_.loop_.change(socket_.get(), events, *this);
        watched_ = events;
    }

    TcpResponder &owner_;
    UniqueFd socket_;
    std::unique_ptr<MessageAnswerer> answerer_;
    TcpStream stream_;
    TcpResponder::Connections::iterator self_;
    Clock::time_point last_query_;
    // Of the stream's output the first octets are due, the others are held; they become due in
    // their order.
    struct Held {
        std::size_t octets = 0;
        std::uint64_t due_ns = 0;
    };
    std::uint64_t distance_ns_;
    std::uint64_t connected_ns_ = 0; // when a distant server's handshake would be over
    std::size_t due_octets_ = 0;
    std::size_t held_octets_ = 0;
    std::deque<Held> held_;
    std::optional<DueTimer> timer_;
    std::uint32_t watched_ = EPOLLIN;
    bool ended_ = false; // the client sends no more, and still gets its answers
};

TcpResponder::TcpResponder(EventLoop &loop, TcpLimits limits)
    : loop_(loop), limits_(limits),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC))
{
    if (!timer_)
        throw SetupError(std::string("cannot create a timer: ") + std::strerror(errno));
    loop_.add(timer_.get(), EPOLLIN, *this);
}

TcpResponder::~TcpResponder() = default;

void TcpResponder::listen(const Endpoint &endpoint, AnswererOf answerer_of)
{
    if (UniqueFd socket = open_tcp_listener(endpoint))
        listeners_.push_back(
            std::make_unique<TcpListener>(*this, std::move(socket), std::move(answerer_of)));
}

void TcpResponder::on_ready(std::uint32_t)
{
    std::uint64_t expirations = 0;
    if (read(timer_.get(), &expirations, sizeof(expirations)) < 0)
        return;
    const Clock::time_point oldest_kept = Clock::now() - limits_.idle;
    while (!connections_.empty() && connections_.front()->last_query() <= oldest_kept)
        connections_.pop_front();
    arm_timer();
}

void TcpResponder::accept_from(int listener, const AnswererOf &answerer_of)
{
    UniqueFd socket{accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (socket)
        admit(std::move(socket), answerer_of);
    else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
        if (!connections_.empty())
            close_connection(connections_.begin());
}

void TcpResponder::admit(UniqueFd socket, const AnswererOf &answerer_of)
{
    // Answers are sent in whole batches, so that holding back the last segment (Nagle) would only
    // delay it.
    const int on = 1;
    if (setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0)
        return;
    if (connections_.size() >= limits_.connections)
        close_connection(connections_.begin());
    std::unique_ptr<MessageAnswerer> answerer = answerer_of(socket.get());
    connections_.push_back(
        std::make_unique<TcpConnection>(*this, std::move(socket), std::move(answerer)));
    connections_.back()->set_self(std::prev(connections_.end()));
    if (connections_.size() == 1)
        arm_timer();
}

void TcpResponder::close_connection(Connections::iterator connection)
{
    connections_.erase(connection);
}

void TcpResponder::touch(Connections::iterator connection)
{
    (*connection)->set_last_query(Clock::now());
    connections_.splice(connections_.end(), connections_, connection);
}

// Arms the timer for the connection that has been idle longest. A query of that connection does not
// move the timer. The timer then fires early and is armed anew, which costs less than a system call
// for every query.
void TcpResponder::arm_timer()
{
    if (connections_.empty())
        return;
    const Clock::duration wait = connections_.front()->last_query() + limits_.idle - Clock::now();
    const auto nanoseconds = std::max<std::int64_t>(
        1, std::chrono::duration_cast<std::chrono::nanoseconds>(wait).count());
    itimerspec when{};
    when.it_value.tv_sec = nanoseconds / 1'000'000'000;
    when.it_value.tv_nsec = nanoseconds % 1'000'000'000;
    timerfd_settime(timer_.get(), 0, &when, nullptr);
}

} // namespace dnsgauge
