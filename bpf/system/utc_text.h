// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <chrono>
#include <string>

namespace dnsgauge
{

// Returns a time in UTC, to the second, such as "2026-11-27T23:45:00" (ISO 8601).
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

} // namespace dnsgauge
