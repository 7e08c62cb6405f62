// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/shell_command.h"

#include "system/child_process.h"
#include "system/setup_error.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr int exec_failed = 127; // the status that a shell uses
constexpr int guard_socket = 3;

[[noreturn]] void guard_was_killed()
{
    throw SetupError("the process that guards the command was killed: go on with --resume");
}

// Returns whether the whole value came. Returns false if the guard is gone.
bool receive(const UniqueFd &guard, int &value)
{
    ssize_t size = -1;
    do
        size = recv(guard.get(), &value, sizeof(value), 0);
    while (size < 0 && errno == EINTR);
    return size == sizeof(value);
}

// ---- The functions below run in the guard, and in the shell's process before exec. Both are
// copies of a process that may have threads, so these functions make system calls only.

[[noreturn]] void become_shell(pid_t guard, char *const *arguments, const sigset_t &signals)
{
    setpgid(0, 0);
    end_with_parent(guard, SIGKILL, exec_failed); // somebody may kill the guard
    // The shell itself sends its process ID: nothing of the command runs before that.
    const pid_t shell = getpid();
    send(guard_socket, &shell, sizeof(shell), MSG_NOSIGNAL);
    sigprocmask(SIG_SETMASK, &signals, nullptr);
    static_cast<void>(
        std::signal(SIGPIPE, SIG_DFL)); // this process ignores it, which exec would hand on
    const int empty = open("/dev/null", O_RDONLY);
    dup2(empty, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0);
    execv("/bin/sh", arguments);
    _exit(exec_failed);
}

// Ignores the signals that a terminal sends to its process group: the guard must live as long as
// the process that it guards for.
[[noreturn]] void guard(int socket, char *const *arguments)
{
    setpgid(0, 0);
    prctl(PR_SET_NAME, "dnsgauge-guard");
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    // The guard must not hold other open files, above all not the journal's lock.
    if (dup2(socket, guard_socket) < 0)
        _exit(exec_failed);
    syscall(SYS_close_range, guard_socket + 1, UINT_MAX, 0);

    const pid_t own = getpid();
    const pid_t shell = fork();
    if (shell == 0)
        become_shell(own, arguments, before);
    if (shell < 0)
        _exit(exec_failed);
    setpgid(shell, shell);
    const auto ended = static_cast<int>(syscall(SYS_pidfd_open, shell, 0));
    std::array<pollfd, 2> events = {{{guard_socket, POLLIN, 0}, {ended, POLLIN, 0}}};
    while (ended >= 0 && events[0].revents == 0 && events[1].revents == 0)
        if (poll(events.data(), events.size(), -1) < 0 && errno != EINTR)
            break;
    if (events[1].revents == 0)
        kill(-shell, SIGKILL);
    int status = 0;
    if (waitpid(shell, &status, 0) == shell)
        send(guard_socket, &status, sizeof(status), MSG_NOSIGNAL);
    _exit(0);
}

} // namespace

GuardedShell::GuardedShell(const std::string &command)
{
    const std::string cannot = "cannot run \"" + command + "\"";
    std::array<int, 2> ends{};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw_errno(cannot);
    guard_ = UniqueFd(ends[0]);
    UniqueFd its_end(ends[1]);
    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    const std::array<char *, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    pid_ = fork();
    if (pid_ == 0)
        guard(its_end.get(), arguments.data());
    if (pid_ < 0)
        throw_errno(cannot);
    its_end = UniqueFd();
    if (!receive(guard_, shell_)) {
        waitpid(pid_, nullptr, 0);
        guard_was_killed();
    }
}

GuardedShell::~GuardedShell()
{
    guard_ = UniqueFd();
    int status = 0;
    if (waitpid(pid_, &status, 0) == pid_ && WIFSIGNALED(status) && shell_ > 0)
        kill(-shell_, SIGKILL);
}

std::optional<int> GuardedShell::wait(std::chrono::milliseconds patience)
{
    pollfd event{guard_.get(), POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(patience.count())) <= 0)
        return std::nullopt;
    int status = 0;
    if (!receive(guard_, status))
        guard_was_killed();
    shell_ = -1;
    return status;
}

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(20);

void check_status(const std::string &command, int status)
{
    if (WIFSIGNALED(status))
        throw SetupError("\"{}\" was ended by signal {} ({}): mend the command, "
                         "then go on with --resume",
                         command, WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != 0)
        throw SetupError("\"{}\" failed with exit status {}: mend the command, then "
                         "go on with --resume",
                         command, WEXITSTATUS(status));
}

} // namespace

bool run_shell_command(const std::string &command, std::chrono::nanoseconds limit,
                       const std::atomic<bool> &stop, const std::string &limit_name)
{
    const auto deadline = Clock::now() + limit;
    GuardedShell shell(command);
    for (;;) {
        if (const std::optional<int> status = shell.wait(look_interval)) {
            check_status(command, *status);
            return true;
        }
        if (stop)
            return false;
        if (Clock::now() >= deadline)
            throw SetupError("\"{}\" did not end within {:g} s and was killed: mend the command or "
                             "allow it more time{}, then go on with --resume",
                             command, std::chrono::duration<double>(limit).count(),
                             limit_name.empty() ? "" : " (" + limit_name + ")");
    }
}

} // namespace dnsgauge
