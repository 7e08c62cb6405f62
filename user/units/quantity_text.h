// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Numbers with units, as users write them. Each reader throws SetupError, whose message names
// `option`.
#pragma once

#include "units/rate.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the rate that "500000", "500k", "0.5M" or "5e5" is: 1 to 10^10 queries per second.
[[nodiscard]] Rate parse_rate(const std::string &text, const std::string &option);
// Returns the time that "0.25" is, in seconds: more than 0, at most `most`.
[[nodiscard]] Nanoseconds parse_seconds(const std::string &text, const std::string &option,
                                        double most);
// Returns the time that "0.25" or "0" is, in seconds: at most `most`.
[[nodiscard]] Nanoseconds parse_seconds_or_none(const std::string &text, const std::string &option,
                                                double most);
// Returns the CPUs of "0,2-4", each at most once (parse_cpu_list()).
[[nodiscard]] std::vector<unsigned> parse_cpus(const std::string &text, const std::string &option);
// Returns the queues of "0,2-4", each at most once.
[[nodiscard]] std::vector<unsigned> parse_queues(const std::string &text,
                                                 const std::string &option);

} // namespace dnsgauge
