// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/signal_handler.h"

#include "userland/setup_error.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

sigset_t server_signals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP})
        sigaddset(&set, signal);
    return set;
}

} // namespace

void block_server_signals()
{
    const sigset_t set = server_signals();
    if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
        throw SetupError(std::string("cannot block signals: ") + std::strerror(error));
}

SignalHandler::SignalHandler(EventLoop &loop, Actions actions)
    : loop_(loop), actions_(std::move(actions))
{
    const sigset_t set = server_signals();
    fd_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd_)
        throw SetupError(std::string("cannot wait for signals: ") + std::strerror(errno));
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
