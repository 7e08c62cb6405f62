// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/signal_handler.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <utility>

namespace dnsgauge
{

namespace
{

sigset_t server_signals()
{
    return signal_set({SIGTERM, SIGINT, SIGUSR1, SIGHUP});
}

} // namespace

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
