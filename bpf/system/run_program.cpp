// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/run_program.h"

#include "system/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <new>

namespace dnsgauge
{

namespace
{

constexpr int wrong_setup = 2;

// Mends what a process may inherit from its parent and cannot work with.
//
// Opens /dev/null for standard input, output and error that are closed:
// otherwise the next file opened would be one of them, and would get what is printed. Ignores
// SIGPIPE, so that write(2) returns an error when the reader is gone, and stops ignoring SIGCHLD,
// so that wait(2) can tell how a child ended.
void put_inheritance_right()
{
    // open() returns the lowest descriptor that is free.
    int fd = STDIN_FILENO;
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO)
        close(fd);
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    static_cast<void>(std::signal(SIGCHLD, SIG_DFL));
}

} // namespace

int run_program(const char *name, const std::function<int()> &run)
{
    put_inheritance_right();
    try {
        const int status = run();
        check_standard_output();
        return status;
    } catch (const std::bad_alloc &) {
        say("{}: this process may have no more memory: raise its limit (ulimit -v, or LimitAS= of "
            "a unit), or free some\n",
            name);
        return wrong_setup;
    } catch (const std::exception &error) {
        say("{}: {}\n", name, error.what());
        return wrong_setup;
    }
}

} // namespace dnsgauge
