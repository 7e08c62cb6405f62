// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/event_loop.h"

#include "system/setup_error.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace dnsgauge
{

namespace
{

// A timer wakes a thread at most this late if the thread's CPU is free.
constexpr std::uint64_t early_ns = 60'000;

constexpr std::uint64_t late_ns = 100'000;

constexpr std::uint64_t rest_ns = 200'000'000;

bool is_want(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

sigset_t server_signals()
{
    return signal_set({SIGTERM, SIGINT, SIGUSR1, SIGHUP});
}

} // namespace

EventHandler::~EventHandler()
{
    if (watched_by_ != nullptr)
        watched_by_->forget(*this);
}

EventLoop::EventLoop() : epoll_(opened(epoll_create1(EPOLL_CLOEXEC), "cannot create an epoll set"))
{
}

void EventLoop::control(int operation, int fd, std::uint32_t events, EventHandler &handler)
{
    epoll_event event{};
    event.events = events;
    event.data.ptr = &handler;
    handler.watched_by_ = this;
    if (epoll_ctl(epoll_.get(), operation, fd, &event) != 0)
        throw_errno("cannot watch a socket");
}

void EventLoop::run()
{
    running_ = true;
    while (running_) {
        const int ready =
            epoll_wait(epoll_.get(), events_.data(), static_cast<int>(events_.size()), -1);
        if (ready < 0 && errno != EINTR)
            throw_errno("cannot wait for sockets");
        taken_ = std::span(events_).first(static_cast<std::size_t>(std::max(ready, 0)));
        while (running_ && !taken_.empty()) {
            const epoll_event event = taken_.front();
            taken_ = taken_.subspan(1);
            if (event.data.ptr != nullptr)
                static_cast<EventHandler *>(event.data.ptr)->on_ready(event.events);
        }
        taken_ = {};
    }
}

void EventLoop::forget(const EventHandler &handler)
{
    for (epoll_event &event : taken_)
        if (event.data.ptr == &handler)
            event.data.ptr = nullptr;
}

std::uint64_t wakeup_for(std::uint64_t due_ns, Punctuality punctuality)
{
    if (punctuality == Punctuality::together)
        return due_ns + late_ns;
    return due_ns > early_ns ? due_ns - early_ns : 0;
}

DueTimer::DueTimer(EventLoop &loop, std::function<void()> on_due)
    : on_due_(std::move(on_due)),
      timer_(opened(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
                    "cannot make a timer"))
{
    loop.add(timer_.get(), EPOLLIN, *this);
}

void DueTimer::set(std::uint64_t at_ns)
{
    at_ns = std::max<std::uint64_t>(at_ns, 1); // 0 stops a timer
    if (at_ns == set_for_ns_)
        return;
    set_for_ns_ = at_ns;
    itimerspec when{};
    when.it_value.tv_sec = static_cast<time_t>(at_ns / 1'000'000'000);
    when.it_value.tv_nsec = static_cast<long>(at_ns % 1'000'000'000);
    timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

void DueTimer::on_ready(std::uint32_t)
{
    std::uint64_t expirations = 0;
    // The number of expirations does not matter. There is none after a wakeup for another reason.
    if (read(timer_.get(), &expirations, sizeof(expirations)) < 0 && errno != EAGAIN)
        throw_errno("cannot read a timer");
    set_for_ns_ = 0;
    on_due_();
}

Listener::Listener(EventLoop &loop, UniqueFd socket, std::function<void(AcceptedConnection)> serve,
                   std::function<bool()> make_room)
    : loop_(loop), socket_(std::move(socket)), serve_(std::move(serve)),
      make_room_(std::move(make_room)),
      rest_(loop, [this] { loop_.change(socket_.get(), EPOLLIN, *this); })
{
    loop_.add(socket_.get(), EPOLLIN, *this);
}

void Listener::on_ready(std::uint32_t)
{
    AcceptedConnection connection;
    connection.socket =
        UniqueFd(accept4(socket_.get(), reinterpret_cast<sockaddr *>(&connection.from),
                         &connection.from_size, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (connection.socket)
        return serve_(std::move(connection));
    if (!is_want(errno) || make_room_())
        return;
    loop_.change(socket_.get(), 0, *this);
    rest_.set(ktime_ns() + rest_ns);
}

sigset_t signal_set(std::initializer_list<int> signals)
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : signals)
        sigaddset(&set, signal);
    return set;
}

void block_server_signals()
{
    const sigset_t set = server_signals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalHandler::SignalHandler(EventLoop &loop, Actions actions)
    : loop_(loop), actions_(std::move(actions))
{
    const sigset_t set = server_signals();
    fd_ = opened(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), "cannot wait for signals");
    loop_.add(fd_.get(), EPOLLIN, *this);
}

void SignalHandler::on_ready(std::uint32_t)
{
    signalfd_siginfo info{};
    if (read(fd_.get(), &info, sizeof(info)) != sizeof(info))
        return;
    const auto action = actions_.find(info.ssi_signo);
    if (action == actions_.end())
        loop_.stop();
    else
        action->second();
}

} // namespace dnsgauge
