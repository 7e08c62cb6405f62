// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/network_namespace.h"

#include "userland/setup_error.h"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>
#include <cstring>
#include <exception>

namespace dnsgauge
{

namespace
{

[[noreturn]] void refuse(const std::string &name)
{
    throw SetupError("--fakedns-netns {}: {}: give a name that \"ip netns list\" shows, "
                     "as root",
                     name, std::strerror(errno));
}

} // namespace

NetworkNamespaceVisit::NetworkNamespaceVisit(const std::string &name)
{
    if (name.empty())
        return;
    const UniqueFd there(open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!there)
        refuse(name);
    home_ = UniqueFd(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (!home_ || setns(there.get(), CLONE_NEWNET) != 0)
        refuse(name);
}

// The process ends if the thread cannot come back, which would do all later work in the wrong
// namespace.
NetworkNamespaceVisit::~NetworkNamespaceVisit()
{
    if (home_ && setns(home_.get(), CLONE_NEWNET) != 0)
        std::terminate();
}

} // namespace dnsgauge
