// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Descriptors for connections, beside the server's own: if clients could use up all descriptors,
// the server could neither look at its interfaces nor read its configuration.
#pragma once

#include <cstddef>

namespace dnsgauge
{

// Lets this process open `connections` more descriptors, twice as many others as it has now
// (programs may replace others), and some to spare. Raises the limit of open files (RLIMIT_NOFILE)
// if need be. Throws SetupError if the limit cannot be raised. Call this when the set-up is over.
void reserve_descriptors(std::size_t connections);

} // namespace dnsgauge
