// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Descriptors for connections, beside what a server needs for itself: a server whose clients could
// use them all up could neither look at its interfaces nor read its configuration.
#pragma once

#include <cstddef>

namespace dnsgauge
{

// Lets this process have `connections` descriptors more than it has now, and once more what it has
// now, for programs that take the place of others, and some to spare. Raises the limit of open
// files (RLIMIT_NOFILE) if need be. Throws SetupError if the limit cannot be raised. To be called
// when the set-up is over.
void reserve_descriptors(std::size_t connections);

} // namespace dnsgauge
