// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/interruption.h"

#include <unistd.h>

#include <csignal>

namespace dnsgauge
{

namespace
{

// A signal handler may use only lock-free atomic objects, which therefore stand outside all
// functions.
std::atomic<bool> interrupted{false};
std::atomic<pid_t> launcher{0}; // system-call filters keep a sender's thread from asking for it
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<pid_t>::is_always_lock_free);

extern "C" void note_interruption(int /*signal*/)
{
    interrupted.store(true);
}

extern "C" void note_parents_signal(int /*signal*/, siginfo_t *from, void * /*context*/)
{
    if (from->si_pid == launcher.load())
        interrupted.store(true);
}

} // namespace

const std::atomic<bool> &catch_interruption()
{
    struct sigaction action {
    };
    action.sa_handler = note_interruption;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction before {
    };
    if (sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, nullptr);
    return interrupted;
}

void catch_parents_sigcont()
{
    launcher.store(getppid());
    struct sigaction action {
    };
    action.sa_sigaction = note_parents_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGCONT, &action, nullptr);
}

} // namespace dnsgauge
