// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/responder_tcp.h"

#include "base/http_stream.h"

#include "dns/stamped_receive.h"
#include "system/setup_error.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <deque>

namespace dnsgauge
{

namespace
{

// Returns whether connections of this framing can have the fault.
bool can_have(Framing framing, ConnectionFault kind)
{
    if (!is_of_http(kind) && !is_of_quic(kind))
        return true;
    return (framing == Framing::https && is_of_http(kind)) ||
           (framing == Framing::quic && is_of_quic(kind));
}

std::unique_ptr<MessageStream> messages_of(Framing framing, MessageAnswerer &answerer,
                                           const Misconduct &fault)
{
    if (framing == Framing::https)
        return make_http_stream(answerer, fault);
    return std::make_unique<TcpStream>(answerer, fault);
}

} // namespace

// The answers of a distant server wait. Its handshake took no time, so the first answers also wait
// for the time of a distant handshake.
class TcpConnection : public EventHandler
{
public:
    // Queries and answers are unencrypted if `tls` is null.
    TcpConnection(TcpResponder &owner, UniqueFd socket, std::unique_ptr<TlsSession> tls,
                  std::unique_ptr<MessageAnswerer> answerer, Framing framing,
                  const Misconduct &fault)
        : owner_(owner), socket_(std::move(socket)), tls_(std::move(tls)),
          answerer_(std::move(answerer)), stream_(messages_of(framing, *answerer_, fault)),
          kind_(fault.kind), splits_(fault.kind == ConnectionFault::split),
          idle_since_ns_(ktime_ns()), distance_ns_(answerer_->distance_ns()),
          connected_ns_(idle_since_ns_ + distance_ns_)
    {
        if (answerer_->held() != nullptr)
            stamp_arrivals(socket_.get());
        owner_.loop_.add(socket_.get(), watched_, *this);
    }

    void on_ready(std::uint32_t events) override
    {
        if (((events & EPOLLIN) != 0 || awaits_room()) && !receive())
            return owner_.close_connection(self_);
        if (!send())
            return owner_.close_connection(self_);
        if (stream_->shows(ConnectionFault::reset))
            return reset();
        if (stream_->shows(ConnectionFault::close) && stream_->output().empty() &&
            !holds_answers()) {
            end_tls();
            shutdown(socket_.get(), SHUT_WR);
        }
        if ((ended_ || stream_->is_over()) && stream_->output().empty() && !holds_answers())
            return owner_.close_connection(self_);
        if ((events & (EPOLLERR | EPOLLHUP)) != 0)
            return owner_.close_connection(self_);
        watch();
    }

    void set_self(TcpResponder::Connections::iterator self) { self_ = self; }
    void set_idle_since(std::uint64_t when_ns) { idle_since_ns_ = when_ns; }
    [[nodiscard]] std::uint64_t idle_since_ns() const { return idle_since_ns_; }
    [[nodiscard]] bool holds_answers() const { return next_due_ns() != wakes_never; }
    [[nodiscard]] std::size_t unsent() const
    {
        const HeldAnswers *held = answerer_->held();
        return stream_->unsent() + (held != nullptr ? held->waiting.size() : 0);
    }

    // Counts the answers of a connection that is closed before they are sent.
    void count_unsent() { answerer_->add_unsent(unsent()); }
    void end_tls()
    {
        if (tls_)
            tls_->end();
    }

    // When TcpResponder calls on_ready() for the answers that are held.
    std::uint64_t wakes_ns = wakes_never;
    [[nodiscard]] static bool wakes_for_answer() { return true; }

private:
    // Does what recv() does. Notes when the octets came if answers may be held.
    ssize_t receive(std::span<std::uint8_t> octets)
    {
        HeldAnswers *const held = answerer_->held();
        if (!tls_)
            return held != nullptr ? receive_timed(socket_.get(), octets, held->arrived_ns)
                                   : recv(socket_.get(), octets.data(), octets.size(), 0);
        if (kind_ == ConnectionFault::stall_handshake || kind_ == ConnectionFault::close_handshake)
            return spoil_handshake(octets);
        // The time is the kernel's, as over TCP.
        if (held != nullptr)
            static_cast<void>(receive_timed(socket_.get(), octets, held->arrived_ns, MSG_PEEK));
        return tls_->receive(octets);
    }

    // Reads the client's part of the handshake without answering.
    ssize_t spoil_handshake(std::span<std::uint8_t> octets)
    {
        const ssize_t count = recv(socket_.get(), octets.data(), octets.size(), 0);
        errno = count > 0 ? EAGAIN : errno;
        return count > 0 && kind_ == ConnectionFault::stall_handshake ? -1
                                                                      : std::min<ssize_t>(count, 0);
    }

    // Reads only once, so that other connections get their turn. Returns false if the connection
    // has broken.
    bool receive()
    {
        const std::span<std::uint8_t> octets = owner_.octets_;
        const ssize_t count = receive(octets);
        if (count < 0)
            return errno == EAGAIN || errno == EINTR;
        if (count == 0)
            end();
        else if (stream_->received(octets.first(static_cast<std::size_t>(count))))
            owner_.touch(self_);
        return true;
    }

    void end()
    {
        ended_ = true;
        stream_->ended();
    }

    // Closes the connection so that the kernel sends RST.
    void reset()
    {
        const linger none{.l_onoff = 1, .l_linger = 0};
        setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
        tls_.reset(); // does not tell the client
        owner_.close_connection(self_);
    }

    // Writes due answers, as much as the socket takes. Returns false if the connection has broken.
    bool send()
    {
        add_due();
        hold_new();
        release_due();
        const bool works = send_due();
        owner_.wakes_.set(*this, next_due_ns());
        return works;
    }

    // Returns when the first answer is due that the connection or its answerer holds.
    [[nodiscard]] std::uint64_t next_due_ns() const
    {
        if (!held_.empty())
            return held_.front().due_ns;
        const HeldAnswers *held = answerer_->held();
        return held == nullptr || held->waiting.empty() ? wakes_never : held->waiting.due_ns();
    }

    // Adds the due answers that the answerer holds, after the others.
    void add_due()
    {
        HeldAnswers *const held = answerer_->held();
        if (held == nullptr || held->waiting.empty())
            return;
        for (const std::uint64_t now = ktime_ns();
             !held->waiting.empty() && held->waiting.due_ns() <= now; held->waiting.pop())
            stream_->add(held->waiting.top());
        if (held->waiting.empty())
            owner_.touch(self_);
    }

    bool send_due()
    {
        while (due_octets_ != 0) {
            const std::span<const std::uint8_t> answers =
                stream_->output().first(splits_ ? 1 : due_octets_);
            // With MSG_EOR the kernel adds no later octets to the segment.
            const ssize_t count = tls_ ? tls_->send(answers)
                                       : ::send(socket_.get(), answers.data(), answers.size(),
                                                MSG_NOSIGNAL | (splits_ ? MSG_EOR : 0));
            if (count <= 0)
                return errno == EAGAIN || errno == EINTR;
            due_octets_ -= static_cast<std::size_t>(count);
            stream_->sent(static_cast<std::size_t>(count));
        }
        return true;
    }

    // Sets the times at which the stream's answers since the last call are due.
    void hold_new()
    {
        const std::size_t made = stream_->output().size() - due_octets_ - held_octets_;
        if (distance_ns_ == 0) {
            due_octets_ += made;
        } else if (made != 0) {
            held_.push_back({made, std::max(connected_ns_, ktime_ns()) + distance_ns_});
            held_octets_ += made;
        }
    }

    void release_due()
    {
        if (held_.empty())
            return;
        const std::uint64_t now = ktime_ns();
        for (; !held_.empty() && held_.front().due_ns <= now; held_.pop_front()) {
            due_octets_ += held_.front().octets;
            held_octets_ -= held_.front().octets;
        }
        if (held_.empty())
            owner_.touch(self_);
    }

    // Returns whether TLS waits until the socket takes octets again.
    [[nodiscard]] bool awaits_room() const { return tls_ && tls_->awaits_room(); }

    void watch()
    {
        std::uint32_t events = 0;
        if (!ended_ && stream_->wants_input())
            events |= EPOLLIN;
        if (due_octets_ != 0 || awaits_room())
            events |= EPOLLOUT;
        if (events != watched_)
            owner_.loop_.change(socket_.get(), events, *this);
        watched_ = events;
    }

    TcpResponder &owner_;
    UniqueFd socket_;
    std::unique_ptr<TlsSession> tls_; // null if none
    std::unique_ptr<MessageAnswerer> answerer_;
    std::unique_ptr<MessageStream> stream_;
    ConnectionFault kind_;
    bool splits_; // each octet has a segment of its own
    TcpResponder::Connections::iterator self_;
    std::uint64_t idle_since_ns_; // when the last query came, or the last held answer was due
    // Octets of the stream's output that are held. They become due in their order, after the octets
    // that are due already.
    struct Held {
        std::size_t octets = 0;
        std::uint64_t due_ns = 0;
    };
    std::uint64_t distance_ns_;
    std::uint64_t connected_ns_; // when a distant server's handshake would be over
    std::size_t due_octets_ = 0;
    std::size_t held_octets_ = 0;
    std::deque<Held> held_;
    std::uint32_t watched_ = EPOLLIN;
    bool ended_ = false; // the client sends no more, and still gets its answers
};

TcpResponder::TcpResponder(EventLoop &loop, TcpLimits limits, const ConnectionFaultPlan &faults,
                           const TlsSetup &tls)
    : loop_(loop), most_(limits.connections),
      idle_ns_(static_cast<std::uint64_t>(std::chrono::nanoseconds(limits.idle).count())),
      idle_timer_(loop, [this] { close_idle(); }), wakes_(loop, [this] { send_due(); }),
      faults_(faults)
{
    if (tls.is_wanted())
        tls_.emplace(tls);
    if (tls.https_port != 0)
        https_.emplace(tls, "h2");
}

TcpResponder::~TcpResponder() = default;

void TcpResponder::listen(const Endpoint &endpoint, AnswererOf answerer_of, Framing framing)
{
    UniqueFd socket = open_tcp_listener(endpoint);
    if (!socket)
        return;
    listeners_.push_back(std::make_unique<Listener>(
        loop_, std::move(socket),
        [this, answerer_of = std::move(answerer_of), framing](AcceptedConnection connection) {
            std::unique_ptr<MessageAnswerer> answerer = answerer_of(connection.socket.get());
            serve(std::move(connection.socket), std::move(answerer), framing);
        },
        [this] { return close_longest_idle(); }));
}

Misconduct TcpResponder::next_fault(Framing framing)
{
    const ConnectionFault kind = faults_.of(served_++);
    if (kind == ConnectionFault::none || !can_have(framing, kind))
        return {};
    const auto row = static_cast<std::size_t>(kind);
    ConnectionFaultCount &counts = fault_counts_[row];
    if (kind == ConnectionFault::refuse || (framing != Framing::tcp && is_of_tls(kind)))
        counts.connections++;
    return {.kind = kind, .number = faults_.number[row], .counts = &counts};
}

void TcpResponder::serve(UniqueFd socket, std::unique_ptr<MessageAnswerer> answerer,
                         Framing framing)
{
    const Misconduct fault = next_fault(framing);
    const bool has_tls = framing != Framing::tcp;
    const bool resumes = fault.kind != ConnectionFault::no_resumption;
    if (fault.kind == ConnectionFault::refuse)
        return;
    std::unique_ptr<TlsSession> tls;
    if (has_tls) {
        TlsServer &server = *(framing == Framing::https ? https_ : tls_);
        tls = server.begin(socket.get(), resumes);
        if (!tls)
            return;
        if (fault.kind == ConnectionFault::expired_certificate)
            server.give_flawed(*tls, CertificateFlaw::expired);
        if (fault.kind == ConnectionFault::wrong_name)
            server.give_flawed(*tls, CertificateFlaw::other_name);
    }
    if (connections_.size() >= most_)
        close_longest_idle();
    connections_.push_back(std::make_unique<TcpConnection>(*this, std::move(socket), std::move(tls),
                                                           std::move(answerer), framing, fault));
    connections_.back()->set_self(std::prev(connections_.end()));
    if (connections_.size() == 1)
        arm_idle_timer();
}

std::size_t TcpResponder::waiting() const
{
    std::size_t answers = 0;
    for (const auto &connection : connections_)
        answers += connection->unsent();
    return answers;
}

void TcpResponder::close_connection(Connections::iterator connection)
{
    wakes_.set(**connection, wakes_never);
    (*connection)->count_unsent();
    (*connection)->end_tls();
    connections_.erase(connection);
}

// A connection whose answers are held is not idle, and is closed only if there is no other. Returns
// false if there is no connection.
bool TcpResponder::close_longest_idle()
{
    if (connections_.empty())
        return false;
    const auto idle = std::ranges::find_if_not(
        connections_, [](const auto &connection) { return connection->holds_answers(); });
    close_connection(idle == connections_.end() ? connections_.begin() : idle);
    return true;
}

void TcpResponder::close_idle()
{
    const std::uint64_t now = ktime_ns();
    while (!connections_.empty() && connections_.front()->idle_since_ns() + idle_ns_ <= now) {
        if (connections_.front()->holds_answers())
            touch(connections_.begin());
        else
            close_connection(connections_.begin());
    }
    arm_idle_timer();
}

void TcpResponder::touch(Connections::iterator connection)
{
    (*connection)->set_idle_since(ktime_ns());
    connections_.splice(connections_.end(), connections_, connection);
}

// Sets the timer for the connection that has been idle longest. A query on that connection does not
// change the timer: the timer then fires early and is set again, which costs less than a system
// call for every query.
void TcpResponder::arm_idle_timer()
{
    if (!connections_.empty())
        idle_timer_.set(connections_.front()->idle_since_ns() + idle_ns_);
}

// Each call of on_ready() sets the connection's next time if it holds answers.
void TcpResponder::send_due()
{
    const std::uint64_t now = ktime_ns();
    while (TcpConnection *const connection = wakes_.take(now))
        connection->on_ready(0);
}

#ifndef DNSGAUGE_QUIC

bool speaks_quic()
{
    return false;
}

std::unique_ptr<QuicResponder> make_quic_responder(EventLoop & /*loop*/,
                                                   const TcpLimits & /*limits*/,
                                                   const TlsSetup & /*setup*/,
                                                   std::function<Misconduct()> /*next_fault*/)
{
    throw SetupError("this fakedns was built without QUIC");
}

#endif

} // namespace dnsgauge
