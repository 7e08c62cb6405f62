// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers with units, as they stand on a command line.
#pragma once

#include "units/rate.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// "500000", "500k", "0.5M" or "5e5": 1 .. 10^10 queries per second. These throw SetupError naming
// `option`.
[[nodiscard]] Rate parse_rate(const std::string &text, const std::string &option);
// "0.25": seconds, more than 0, at most `most`.
[[nodiscard]] Nanoseconds parse_seconds(const std::string &text, const std::string &option,
                                        double most);
// Likewise, or 0.
[[nodiscard]] Nanoseconds parse_seconds_or_none(const std::string &text, const std::string &option,
                                                double most);
// Of a time: as these read it.
[[nodiscard]] std::string seconds_text(Nanoseconds time);
// Returns the CPUs of "0,2-4", each at most once (parse_cpu_list()).
[[nodiscard]] std::vector<unsigned> parse_cpus(const std::string &text, const std::string &option);

} // namespace dnsgauge
