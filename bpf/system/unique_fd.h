// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a file descriptor.
#pragma once

#include "system/setup_error.h"

#include <unistd.h>

#include <utility>

namespace dnsgauge
{

class UniqueFd
{
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) : fd_(fd) {}
    UniqueFd(UniqueFd &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    UniqueFd &operator=(UniqueFd &&other) noexcept
    {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~UniqueFd()
    {
        if (fd_ >= 0)
            close(fd_);
    }

    [[nodiscard]] int get() const { return fd_; }
    // Returns the descriptor and gives up owning it.
    [[nodiscard]] int release() { return std::exchange(fd_, -1); }
    explicit operator bool() const { return fd_ >= 0; }

private:
    int fd_ = -1;
};

// Owns the descriptor that a system call returned. Throws SetupError, which says `what` and why, if
// the call failed.
[[nodiscard]] inline UniqueFd opened(int fd, const char *what)
{
    if (fd < 0)
        throw_errno(what);
    return UniqueFd(fd);
}

} // namespace dnsgauge
