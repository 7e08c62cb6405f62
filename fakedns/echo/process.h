// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A process with the threads of some workers.
#pragma once

#include "echo/worker.h"

#include "common/unique_fd.h"

#include <sys/types.h>

#include <vector>

namespace dnsgauge
{

class EchoProcess
{
public:
    // Forks; the child works for `seats` and ends by SIGTERM or SIGINT, which are blocked, or with
    // this process. Threads must not have been started before. Throws SetupError.
    explicit EchoProcess(const std::vector<EchoSeat> &seats);
    EchoProcess(EchoProcess &&other) noexcept;
    EchoProcess &operator=(EchoProcess &&) = delete;
    // Ends the child where stop() has not been called.
    ~EchoProcess();

    // Returns when all its workers are at work. Throws SetupError, the child's words, when they
    // cannot be.
    void wait_until_ready();
    // Has it end; join() tells how.
    void ask_to_stop() const;
    // False when it ended otherwise than by being asked to.
    [[nodiscard]] bool join();

private:
    pid_t child_ = -1; // -1: none, or its end has been seen
    UniqueFd said_;
};

} // namespace dnsgauge
