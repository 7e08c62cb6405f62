// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Threads on CPUs of their own.
#pragma once

#include <pthread.h>

#include <string_view>
#include <vector>

namespace dnsgauge
{

// CPUs in the order they are written, "0,2-5". Throws SetupError, which begins with `option`.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(std::string_view option, std::string_view text);

// False when there is no such CPU for us.
[[nodiscard]] bool pin_thread(pthread_t thread, unsigned cpu);

} // namespace dnsgauge
