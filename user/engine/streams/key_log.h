// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The secrets of TLS sessions, for programs that decode captures: lines in the format of
// SSLKEYLOGFILE.
#pragma once

#include "userland/unique_fd.h"

#include <atomic>
#include <string>

namespace dnsgauge
{

class KeyLog
{
public:
    // Opens `path` to append to it. A new file is for its owner alone. Throws SetupError.
    explicit KeyLog(const std::string &path);

    // Appends a line, which has no newline, by one system call: threads need no lock, and a process
    // that is killed loses nothing.
    void add(std::string line);

    // Returns whether a line is missing.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
    UniqueFd fd_;
    std::atomic<bool> has_failed_ = false;
};

} // namespace dnsgauge
