// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A visit of the calling thread to a network namespace. Sockets, programs and processes that the
// thread opens, attaches or starts during the visit belong to that namespace.
#pragma once

#include "userland/unique_fd.h"

#include <string>

namespace dnsgauge
{

class NetworkNamespaceVisit
{
public:
    // Enters the namespace that "ip netns" calls `name`, or stays if `name` is empty. Throws
    // SetupError.
    explicit NetworkNamespaceVisit(const std::string &name);
    ~NetworkNamespaceVisit();
    NetworkNamespaceVisit(const NetworkNamespaceVisit &) = delete;
    NetworkNamespaceVisit &operator=(const NetworkNamespaceVisit &) = delete;

private:
    UniqueFd home_;
};

} // namespace dnsgauge
