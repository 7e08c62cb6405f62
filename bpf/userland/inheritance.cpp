// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/inheritance.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace dnsgauge
{

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

} // namespace dnsgauge
