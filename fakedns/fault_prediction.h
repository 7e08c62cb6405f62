// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The prediction of what the faults of fakedns do.
#pragma once

#include "userland/name_range.h"
#include "wire/fault.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Returns what a trial meets if it asks for the AAAA record of each name of the range once. The
// text has a line "KIND NAMES" for each kind of fault, and a line with the delays in microseconds
// for each kind that has any.
[[nodiscard]] std::string prediction_table(const fault_plan &plan, const NameRange &names,
                                           std::uint32_t aaaa_share);

} // namespace dnsgauge
