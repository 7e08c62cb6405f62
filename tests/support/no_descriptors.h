// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Takes this process' descriptors away, as when it has no room for more open files.
#pragma once

#include <catch2/catch.hpp>

#include <sys/resource.h>

namespace dnsgauge
{

// As long as the object lives, this process can open nothing.
class NoDescriptors
{
public:
    NoDescriptors()
    {
        REQUIRE(getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
        REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    }
    NoDescriptors &operator=(NoDescriptors &&) = delete;
    ~NoDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

} // namespace dnsgauge
