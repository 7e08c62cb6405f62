// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a child process, in which some workers run, each in a thread.
#pragma once

#include "echo/worker.h"

#include "userland/child_process.h"
#include "userland/unique_fd.h"

#include <optional>
#include <vector>

namespace dnsgauge
{

class EchoProcess
{
public:
    // Starts the child, with a worker for each of `seats`. The child ends by SIGTERM or SIGINT,
    // which the caller has blocked, or when this process ends. The caller must not have started
    // threads before. Throws SetupError.
    explicit EchoProcess(const std::vector<EchoSeat> &seats);

    // Waits until all workers of the child are at work. Throws SetupError, with what the child
    // says, if a worker cannot start.
    void wait_until_ready();
    // Asks the child to end; join() tells how it ended.
    void ask_to_stop() const;
    // Waits for the child's end. Returns false if the child ended without being asked to.
    [[nodiscard]] bool join();

private:
    UniqueFd said_;
    std::optional<ChildProcess> child_;
};

} // namespace dnsgauge
