// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/scratch_directory.h"
#include "system/shell_command.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

const std::atomic<bool> go_on{false};

bool is_running(const std::string &pid_file)
{
    const int pid = std::stoi(read_file(pid_file));
    // The process that inherits a zombie reaps it after some time.
    std::error_code none;
    return kill(pid, 0) == 0 &&
           !std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", none).empty();
}

void wait_for_line(const std::string &file)
{
    while (!std::filesystem::exists(file) || read_file(file).find('\n') == std::string::npos)
        std::this_thread::sleep_for(10ms);
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
    CHECK_THROWS_WITH(
        run_shell_command("trap '' TERM INT; sleep 600 & echo $! > " + pid + "; wait", 2s, go_on),
        Contains("did not end within 2 s") && Contains("sleep 600"));
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
        wait_for_line(pid);
        stop = true;
    });
    CHECK_FALSE(run_shell_command("sleep 600 & echo $! > " + pid + "; wait", 60s, stop));
    CHECK(ends_soon(pid));
}

TEST_CASE("a command does not outlive us, not even when we are killed with SIGKILL")
{
    const ScratchDirectory scratch;
    const std::string shell = scratch.file("shell");
    const std::string child = scratch.file("child");
    const pid_t pid = fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        static_cast<void>(run_shell_command("trap '' HUP INT TERM; echo $$ > " + shell +
                                                "; sleep 600 & echo $! > " + child + "; wait",
                                            600s, go_on));
        _exit(0);
    }
    wait_for_line(child);
    CHECK(is_running(shell));
    CHECK(is_running(child));
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    CHECK(ends_soon(child));
    CHECK(ends_soon(shell));
}

TEST_CASE("nor its guard's end")
{
    const ScratchDirectory scratch;
    const std::string guard = scratch.file("guard");
    const std::string shell = scratch.file("shell");
    const std::string child = scratch.file("child");
    std::jthread later([&guard, &child] {
        wait_for_line(child);
        kill(std::stoi(read_file(guard)), SIGKILL);
    });
    CHECK_THROWS_WITH(run_shell_command("trap '' HUP INT TERM; echo $PPID > " + guard +
                                            "; echo $$ > " + shell + "; sleep 600 & echo $! > " +
                                            child + "; wait",
                                        60s, go_on),
                      Contains("guards the command was killed"));
    CHECK(ends_soon(child));
    CHECK(ends_soon(shell));
}

TEST_CASE("signals reach the command as before, and it has nothing of ours open")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("file");
    CHECK(run_shell_command("trap 'echo caught >> " + file +
                                "' TERM; kill -TERM $$; kill -TERM 0; exec ls /proc/self/fd >> " +
                                file,
                            30s, go_on));
    // Descriptor 3 is the folder that ls reads.
    CHECK(read_file(file) == "caught\ncaught\n0\n1\n2\n3\n");
}
