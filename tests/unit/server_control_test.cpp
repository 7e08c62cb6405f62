// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What is left of a server that was told to end.
#include "experiment/server_control.h"

#include <catch2/catch.hpp>

#include <csignal>
#include <sys/wait.h>
#include <unistd.h>

using namespace dnsgauge;

TEST_CASE("a process that has ended is none, though nobody has waited for it")
{
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    REQUIRE(child > 0);
    REQUIRE(setpgid(child, child) == 0);
    CHECK(has_living(child));

    kill(child, SIGKILL);
    siginfo_t ended{};
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT) == 0);
    CHECK(kill(-child, 0) == 0); // the kernel still knows the group
    CHECK(!has_living(child));
    REQUIRE(waitpid(child, nullptr, 0) == child);
}
