// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/shell_command.h"

#include "host/setup_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(20);

[[noreturn]] void cannot_run(const std::string &command, int error)
{
    throw SetupError(fmt::format("cannot run \"{}\": {}", command, std::strerror(error)));
}

// The shell and whatever else is in its process group, which ends with this object unless the shell
// has ended by itself.
class ShellProcess
{
public:
    explicit ShellProcess(const std::string &command);
    ~ShellProcess();
    ShellProcess(const ShellProcess &) = delete;
    ShellProcess &operator=(const ShellProcess &) = delete;

    // Its status as of waitpid(2), once it has ended.
    [[nodiscard]] std::optional<int> status();

private:
    pid_t pid_ = -1;
};

ShellProcess::ShellProcess(const std::string &command)
{
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);

    std::string shell = "sh";
    std::string option = "-c";
    std::string text = command;
    const std::array<char *, 4> arguments = {shell.data(), option.data(), text.data(), nullptr};
    const int error = posix_spawn(&pid_, "/bin/sh", &files, &attributes, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        cannot_run(command, error);
}

ShellProcess::~ShellProcess()
{
    if (pid_ < 0)
        return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

std::optional<int> ShellProcess::status()
{
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) != pid_)
        return std::nullopt;
    pid_ = -1;
    return status;
}

void check_status(const std::string &command, int status)
{
    if (WIFSIGNALED(status))
        throw SetupError(fmt::format("\"{}\" was ended by signal {} ({}): mend the command, "
                                     "then go on with --resume",
                                     command, WTERMSIG(status), strsignal(WTERMSIG(status))));
    if (WEXITSTATUS(status) != 0)
        throw SetupError(fmt::format("\"{}\" failed with exit status {}: mend the command, then "
                                     "go on with --resume",
                                     command, WEXITSTATUS(status)));
}

} // namespace

bool run_shell_command(const std::string &command, Nanoseconds limit, const std::atomic<bool> &stop)
{
    const auto deadline = Clock::now() + limit;
    ShellProcess process(command);
    for (;;) {
        if (const std::optional<int> status = process.status()) {
            check_status(command, *status);
            return true;
        }
        if (stop)
            return false;
        if (Clock::now() >= deadline)
            throw SetupError(fmt::format(
                "\"{}\" did not end within {:g} s and was killed: mend the command or allow it "
                "more time (--before-trial-timeout), then go on with --resume",
                command, std::chrono::duration<double>(limit).count()));
        std::this_thread::sleep_for(look_interval);
    }
}

} // namespace dnsgauge
