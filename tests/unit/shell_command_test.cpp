// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/setup_error.h"
#include "search/shell_command.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

const std::atomic<bool> go_on{false};

bool is_running(const std::string &pid_file)
{
    const int pid = std::stoi(read_file(pid_file));
    // A zombie whose parent is gone is reaped by whoever inherits it, some time.
    std::error_code none;
    return kill(pid, 0) == 0 &&
           !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", none).empty();
}

bool ends_soon(const std::string &pid_file)
{
    for (int i = 0; i < 500; i++) {
        if (!is_running(pid_file))
            return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

} // namespace

TEST_CASE("a command runs in a shell, and its status is told")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("file");
    CHECK(run_shell_command("echo a && echo \"$((1 + 1))\" > " + file, 30s, go_on));
    CHECK(read_file(file) == "2\n");
    CHECK_THROWS_WITH(run_shell_command("echo x >&2; exit 7", 30s, go_on),
                      Contains("exit 7") && Contains("exit status 7"));
    CHECK_THROWS_WITH(run_shell_command("no-such-program", 30s, go_on),
                      Contains("exit status 127"));
    CHECK_THROWS_WITH(run_shell_command("kill -SEGV $$", 30s, go_on), Contains("signal 11"));
}

TEST_CASE("it reads nothing from our standard input")
{
    CHECK(run_shell_command("! read -r line", 30s, go_on));
}

TEST_CASE("a command that hangs is killed with all its children")
{
    const ScratchDirectory scratch;
    const std::string pid = scratch.file("pid");
    const auto begin = std::chrono::steady_clock::now();
    CHECK_THROWS_WITH(run_shell_command("trap '' TERM INT; sleep 600 & echo $! > " + pid + "; wait",
                                        500ms, go_on),
                      Contains("did not end within 0.5 s") && Contains("sleep 600"));
    CHECK(std::chrono::steady_clock::now() - begin < 20s);
    CHECK(ends_soon(pid));
}

TEST_CASE("what a command leaves in the background lives on")
{
    const ScratchDirectory scratch;
    const std::string pid = scratch.file("pid");
    CHECK(run_shell_command("sleep 600 & echo $! > " + pid, 30s, go_on));
    std::this_thread::sleep_for(100ms);
    CHECK(is_running(pid));
    kill(std::stoi(read_file(pid)), SIGKILL);
}

TEST_CASE("an interruption kills it, too")
{
    const ScratchDirectory scratch;
    const std::string pid = scratch.file("pid");
    std::atomic<bool> stop{false};
    std::jthread later([&stop, &pid] {
        while (!std::filesystem::exists(pid) || read_file(pid).find('\n') == std::string::npos)
            std::this_thread::sleep_for(10ms);
        stop = true;
    });
    CHECK_FALSE(run_shell_command("sleep 600 & echo $! > " + pid + "; wait", 60s, stop));
    CHECK(ends_soon(pid));
}
