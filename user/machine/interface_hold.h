// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The process that has an interface for a trial, or for a series of trials with pauses between
// them. An attached program shows this only while a trial runs.
#pragma once

#include "userland/unique_fd.h"

#include <string>

namespace dnsgauge
{

// Holds the interface for this process, in the interface's network namespace, until the object or
// the process ends. A process, and the processes that it started, may hold it more than once: the
// first object holds.
class InterfaceHold
{
public:
    // Throws SetupError, with the process that has the interface, if another one has it. Holds
    // nothing if there is no such interface.
    explicit InterfaceHold(const std::string &interface);

private:
    UniqueFd fd_; // empty if this process has the interface already
};

} // namespace dnsgauge
