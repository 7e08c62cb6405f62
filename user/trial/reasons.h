// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The reasons of verdicts, in words.
#pragma once

#include "trial/verdict.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Return "1.250 ms".
[[nodiscard]] std::string milliseconds(std::uint64_t nanoseconds);
[[nodiscard]] std::string milliseconds(Nanoseconds time);

// Returns why the trial passes.
[[nodiscard]] const char *describe_success(const Evidence &evidence);

// Returns how many queries failed, and how.
[[nodiscard]] std::string describe_failure(const Evidence &evidence);

// Returns how many of the failed queries stalls cost, and which stalls these were.
[[nodiscard]] std::string describe_stalls(const Evidence &evidence);

} // namespace dnsgauge
