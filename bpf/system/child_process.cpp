// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/child_process.h"

#include "system/setup_error.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr int exit_orphaned = 127;
constexpr auto end_look_interval = std::chrono::milliseconds(5);

} // namespace

void end_with_parent(pid_t parent, int signal, int status)
{
    prctl(PR_SET_PDEATHSIG, signal);
    // The parent may have ended before that call.
    if (getppid() != parent)
        _exit(status);
}

ChildProcess::ChildProcess(const std::function<int()> &work)
{
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) {
        end_with_parent(parent, SIGTERM, exit_orphaned);
        _exit(work());
    }
    if (pid_ < 0)
        throw_errno("cannot make a process");
}

ChildProcess::ChildProcess(ChildProcess &&other) noexcept : pid_(std::exchange(other.pid_, -1)) {}

ChildProcess::~ChildProcess()
{
    end();
}

bool ChildProcess::is_running() const
{
    siginfo_t ended{};
    return pid_ > 0 &&
           waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0;
}

void ChildProcess::ask_to_end() const
{
    if (pid_ > 0)
        kill(pid_, SIGTERM);
}

int ChildProcess::wait()
{
    int status = 0;
    const pid_t child = std::exchange(pid_, -1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void ChildProcess::end(std::chrono::milliseconds patience)
{
    ask_to_end();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (is_running() && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(end_look_interval);
    if (is_running())
        kill(pid_, SIGKILL);
    wait();
}

} // namespace dnsgauge
