// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Descriptors for the clients' connections, beside the server's own.
#pragma once

#include <cstddef>

namespace dnsgauge
{

// Lets this process have `connections` clients over TCP: see reserve_descriptors(). Throws
// SetupError if the limit of open files cannot be raised.
void reserve_for_clients(std::size_t connections);

} // namespace dnsgauge
