// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Work in another network namespace of this machine.
#pragma once

#include "system/unique_fd.h"

#include <filesystem>

namespace dnsgauge
{

// A visit of the calling thread to a network namespace. Sockets, programs and processes that the
// thread opens, attaches or starts during the visit belong to that namespace.
class NetworkNamespaceVisit
{
public:
    // Enters the namespace of the file `there`, such as /proc/PID/ns/net, or stays if `there` is
    // empty. Throws SetupError.
    explicit NetworkNamespaceVisit(const std::filesystem::path &there);
    ~NetworkNamespaceVisit();
    NetworkNamespaceVisit &operator=(NetworkNamespaceVisit &&) = delete;

private:
    UniqueFd home_;
};

} // namespace dnsgauge
