// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPUs senders run on.
#pragma once

#include <vector>

namespace dnsgauge
{

// The CPUs this process may use, in ascending order.
[[nodiscard]] std::vector<unsigned> allowed_cpus();

// Binds the calling thread to `cpu`; false if it is not allowed to run there.
[[nodiscard]] bool pin_this_thread(unsigned cpu);

} // namespace dnsgauge
