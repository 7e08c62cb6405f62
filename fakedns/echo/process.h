// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A process with the threads of some workers.
#pragma once

#include "echo/worker.h"

#include "common/child_process.h"
#include "common/unique_fd.h"

#include <optional>
#include <vector>

namespace dnsgauge
{

class EchoProcess
{
public:
    // Forks; the child works for `seats` and ends by SIGTERM or SIGINT, which are blocked, or with
    // this process. Threads must not have been started before. Throws SetupError.
    explicit EchoProcess(const std::vector<EchoSeat> &seats);

    // Returns when all workers are at work. Throws SetupError, with the child's words, if a worker
    // cannot be.
    void wait_until_ready();
    // Asks the child to end; join() tells how it ended.
    void ask_to_stop() const;
    // Waits for the child. Returns false if the child ended otherwise than by being asked to.
    [[nodiscard]] bool join();

private:
    UniqueFd said_;
    std::optional<ChildProcess> child_;
};

} // namespace dnsgauge
