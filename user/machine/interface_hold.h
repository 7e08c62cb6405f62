// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Who has an interface for a trial, or for a series of trials with pauses between them. A program
// that is attached tells only while a trial runs.
#pragma once

#include "userland/unique_fd.h"

#include <string>

namespace dnsgauge
{

// Holds the interface for this process, in the interface's network namespace, until the object or
// the process ends. Holding it more than once is allowed within a process, and for processes that
// it started: the first object holds.
class InterfaceHold
{
public:
    // Throws SetupError, with the process that has the interface, if another one has it. Holds
    // nothing where there is no such interface.
    explicit InterfaceHold(const std::string &interface);

private:
    UniqueFd fd_; // none: this process has the interface already
};

} // namespace dnsgauge
