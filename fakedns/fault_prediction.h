// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The prediction of what the faults of fakedns do.
#pragma once

#include "userland/name_range.h"
#include "wire/fault.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Returns what a trial meets that asks for the AAAA record of each name of the range once: a line
// "KIND NAMES" for each kind of fault, and for each kind with delays a line about its delays, in
// microseconds.
[[nodiscard]] std::string prediction_table(const fault_plan &plan, const NameRange &names,
                                           std::uint32_t aaaa_share);

} // namespace dnsgauge
