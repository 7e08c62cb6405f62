// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/namespace_visit.h"

#include "system/setup_error.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <exception>

namespace dnsgauge
{

NetworkNamespaceVisit::NetworkNamespaceVisit(const std::filesystem::path &there)
{
    if (there.empty())
        return;
    const UniqueFd target(open(there.c_str(), O_RDONLY | O_CLOEXEC));
    if (target)
        home_ = UniqueFd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!home_ || setns(target.get(), CLONE_NEWNET) != 0)
        throw SetupError("cannot enter the network namespace {}: {}", there.string(),
                         std::strerror(errno));
}

// The process ends if the thread cannot come back, which would do all later work in the wrong
// namespace.
NetworkNamespaceVisit::~NetworkNamespaceVisit()
{
    if (home_ && setns(home_.get(), CLONE_NEWNET) != 0)
        std::terminate();
}

} // namespace dnsgauge
