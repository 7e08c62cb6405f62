// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/server_control.h"

#include "machine/cpu_times.h"
#include "machine/text_files.h"
#include "system/setup_error.h"
#include "system/shell_text.h"
#include "system/standard_output.h"
#include "units/rate.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr auto look_interval = std::chrono::milliseconds(50);

} // namespace

bool has_living(pid_t group)
{
    // Numbers of fields in /proc/PID/stat: the first field after the name is 0. See proc(5).
    constexpr std::size_t state_field = 0;
    constexpr std::size_t group_field = 2;
    bool found = false;
    for_each_number("/proc", [&](int process) {
        const StatText stat(first_line(fmt::format("/proc/{}/stat", process)));
        found = found || (stat.number(group_field) == static_cast<std::uint64_t>(group) &&
                          stat.word(state_field) != "Z");
    });
    return found;
}

ServerControl::ServerControl(ServerCommands commands, const RunLimits &limits,
                             const std::atomic<bool> &stop)
    : commands_(std::move(commands)), limits_(limits), stop_(stop)
{
    std::filesystem::create_directories(std::filesystem::path(commands_.directory).parent_path());
}

ServerControl::~ServerControl()
{
    try {
        static_cast<void>(end());
    } catch (const std::exception &error) {
        say("dnsgauge: {}\n", error.what());
    }
}

bool ServerControl::prepare()
{
    return commands_.prepare.empty() ||
           run_shell_command(shell_text(commands_.prepare), limits_.prepare, stop_,
                             "prepare-timeout of [run]");
}

bool ServerControl::start()
{
    if (commands_.start.empty())
        return true;
    // The shell becomes the server by exec, so that the server has the process ID that the shell
    // prints.
    process_.emplace(fmt::format("echo $$ >{} && exec {} >{} 2>&1",
                                 shell_text({commands_.log + ".pid"}), shell_text(commands_.start),
                                 shell_text({commands_.log})));
    is_started_ = true;
    return wait_until_ready();
}

void ServerControl::check_alive()
{
    if (!process_)
        return;
    const std::optional<int> status = process_->wait(std::chrono::milliseconds(0));
    if (!status)
        return;
    process_.reset();
    // If a server goes into the background, its first process ends with status 0.
    if (*status == 0)
        return;
    throw SetupError("the server {} has ended with {} {}: it says: {}", commands_.name,
                     WIFSIGNALED(*status) ? "signal" : "status",
                     WIFSIGNALED(*status) ? WTERMSIG(*status) : WEXITSTATUS(*status), last_words());
}

bool ServerControl::wait_until_ready()
{
    const auto deadline = Clock::now() + limits_.ready;
    while (!commands_.ready.empty()) {
        check_alive();
        GuardedShell ready(shell_text(commands_.ready));
        std::optional<int> status;
        while (!(status = ready.wait(look_interval)) && !stop_ && Clock::now() < deadline) {
        }
        if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == 0)
            break;
        if (stop_)
            return false;
        if (Clock::now() >= deadline)
            throw SetupError(
                "the server {} is not ready after {:g} s: \"{}\" does not succeed; it says: {}",
                commands_.name, seconds(limits_.ready), shell_text(commands_.ready), last_words());
        std::this_thread::sleep_for(look_interval);
    }
    check_alive();
    return !stop_;
}

bool ServerControl::end()
{
    if (!std::exchange(is_started_, false))
        return true;
    // The command `stop` runs even if the user has stopped the experiment; otherwise the server
    // would go on.
    static const std::atomic<bool> not_stopped{false};
    if (!commands_.stop.empty())
        static_cast<void>(run_shell_command(shell_text(commands_.stop), limits_.stop, not_stopped,
                                            "stop-timeout of [run]"));
    end_processes();
    return !stop_;
}

// Asks the server and its children to end, and kills them if they do not.
void ServerControl::end_processes()
{
    if (!process_)
        return;
    const pid_t group = process_->group();
    const auto deadline = Clock::now() + limits_.stop;
    bool has_ended = process_->wait(std::chrono::milliseconds(0)).has_value();
    if (!has_ended)
        kill(-group, SIGTERM);
    while (!has_ended && Clock::now() < deadline)
        has_ended = process_->wait(look_interval).has_value();
    // The server's children may end a moment later. The kernel does not reuse the group's number
    // while a child lives.
    if (has_ended && group > 1)
        for (int turn = 0;
             turn < 40 && kill(-group, turn < 39 ? 0 : SIGKILL) == 0 && has_living(group); turn++)
            std::this_thread::sleep_for(look_interval);
    process_.reset();
}

std::string ServerControl::last_words() const
{
    std::ifstream log(commands_.log);
    std::string last = "nothing";
    for (std::string line; std::getline(log, line);)
        if (!line.empty())
            last = line;
    return last;
}

} // namespace dnsgauge
