// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A full disk, for tests.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace dnsgauge
{

// Keeps files from growing beyond a size: write(2) writes a part, then fails, as on a full disk.
class FileSizeLimit
{
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        getrlimit(RLIMIT_FSIZE, &previous_);
        const rlimit limit{bytes, previous_.rlim_max};
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    FileSizeLimit &operator=(FileSizeLimit &&) = delete;
    ~FileSizeLimit()
    {
        setrlimit(RLIMIT_FSIZE, &previous_);
        static_cast<void>(std::signal(SIGXFSZ, handler_));
    }

private:
    rlimit previous_{};
    void (*handler_)(int) = SIG_DFL;
};

} // namespace dnsgauge
