// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A child process that does not outlive its parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

namespace dnsgauge
{

// Owns a child process.
class ChildProcess
{
public:
    // Starts a child, which runs `work` and ends with the status that `work` returns. The child
    // gets SIGTERM if the thread that started it ends first. If this process has threads, `work`
    // must make system calls only. Throws SetupError.
    explicit ChildProcess(const std::function<int()> &work);
    ChildProcess(ChildProcess &&other) noexcept;
    ChildProcess &operator=(ChildProcess &&) = delete;
    // Ends the child as end() does.
    ~ChildProcess();

    // Returns false if the child has ended.
    [[nodiscard]] bool is_running() const;
    // Sends SIGTERM to the child.
    void ask_to_end() const;
    // Waits for the child. Returns its status in the form of waitpid(2).
    int wait();
    // Sends SIGTERM, waits for the child, and sends SIGKILL to a child that takes longer than
    // `patience`.
    void end(std::chrono::milliseconds patience = std::chrono::seconds(5));

private:
    pid_t pid_ = -1; // -1: the child's end has been seen
};

// Makes the kernel send `signal` to this process when the thread that forked it ends. Ends this
// process with `status` if its parent is no longer `parent`. Makes system calls only.
void end_with_parent(pid_t parent, int signal, int status);

} // namespace dnsgauge
