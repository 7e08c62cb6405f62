// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/child_process.h"

#include "system/unique_fd.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

// A pipe: its reader sees the end of the file when no process holds the other end any more.
struct Pipe {
    Pipe()
    {
        std::array<int, 2> ends{};
        REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
        read_end = UniqueFd(ends[0]);
        write_end = UniqueFd(ends[1]);
    }
    [[nodiscard]] bool says_something_within(std::chrono::milliseconds patience) const
    {
        pollfd event{read_end.get(), POLLIN, 0};
        return poll(&event, 1, static_cast<int>(patience.count())) == 1;
    }
    UniqueFd read_end;
    UniqueFd write_end;
};

int sleep_for_ever()
{
    for (;;)
        pause();
}

} // namespace

TEST_CASE("a child ends with the status of its work")
{
    ChildProcess child([] { return 7; });
    const int status = child.wait();
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
    CHECK_FALSE(child.is_running());
}

TEST_CASE("a child runs until it is asked to end")
{
    ChildProcess child(sleep_for_ever);
    CHECK(child.is_running());
    child.ask_to_end();
    const int status = child.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("a child that ignores SIGTERM is killed after the patience")
{
    const Pipe ready;
    ChildProcess child([&] {
        static_cast<void>(std::signal(SIGTERM, SIG_IGN));
        static_cast<void>(write(ready.write_end.get(), "", 1));
        return sleep_for_ever();
    });
    REQUIRE(ready.says_something_within(60s));
    child.end(10ms);
    CHECK_FALSE(child.is_running());
}

TEST_CASE("a child that is moved has one owner")
{
    ChildProcess child(sleep_for_ever);
    {
        const ChildProcess owner(std::move(child));
        CHECK(owner.is_running());
    }
    CHECK_FALSE(child.is_running()); // NOLINT(bugprone-use-after-move): it owns no child any more
}

TEST_CASE("a child does not outlive a parent that is killed")
{
    Pipe pipe;
    ChildProcess parent([&] {
        const ChildProcess child([&] {
            static_cast<void>(write(pipe.write_end.get(), "", 1));
            return sleep_for_ever();
        });
        return sleep_for_ever();
    });
    pipe.write_end = UniqueFd();
    REQUIRE(pipe.says_something_within(60s));
    char octet = 1;
    REQUIRE(read(pipe.read_end.get(), &octet, 1) == 1);
    CHECK_FALSE(pipe.says_something_within(0ms));
    parent.end(0ms);
    // Nobody holds the pipe any more: the child has ended, too.
    CHECK(pipe.says_something_within(60s));
    CHECK(read(pipe.read_end.get(), &octet, 1) == 0);
}
