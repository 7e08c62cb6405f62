// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A visit of the calling thread to a network namespace: what is opened, attached or started
// meanwhile belongs there.
#pragma once

#include "common/unique_fd.h"

#include <string>

namespace dnsgauge
{

class NetworkNamespaceVisit
{
public:
    // `name` as "ip netns" knows it; empty: stay where you are. Throws SetupError.
    explicit NetworkNamespaceVisit(const std::string &name);
    ~NetworkNamespaceVisit();
    NetworkNamespaceVisit(const NetworkNamespaceVisit &) = delete;
    NetworkNamespaceVisit &operator=(const NetworkNamespaceVisit &) = delete;

private:
    UniqueFd home_;
};

} // namespace dnsgauge
