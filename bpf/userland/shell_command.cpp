// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/shell_command.h"

#include "userland/guarded_shell.h"
#include "userland/setup_error.h"

#include <sys/wait.h>

#include <chrono>
#include <cstring>
#include <optional>

namespace dnsgauge
{

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
            throw SetupError(
                "\"{}\" did not end within {:g} s and was killed: mend the command or allow it "
                "more time{}, then go on with --resume",
                command, std::chrono::duration<double>(limit).count(),
                limit_name.empty() ? "" : " (" + limit_name + ")");
    }
}

} // namespace dnsgauge
