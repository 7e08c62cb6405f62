// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to the values of options that are rates, times, CPUs or queues. See options/access.h.
#pragma once

#include "options/access.h"
#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

[[nodiscard]] OptionAccess rate(Rate &value);
[[nodiscard]] OptionAccess rate(std::uint64_t &per_second);
[[nodiscard]] OptionAccess rate(std::optional<Rate> &value);
// Takes more than 0 and at most `most` seconds. A value of 0 means that the option was not given.
[[nodiscard]] OptionAccess time(Nanoseconds &value, double most);
// Takes 0 to `most` seconds.
[[nodiscard]] OptionAccess time_or_none(Nanoseconds &value, double most);
[[nodiscard]] OptionAccess time_or_none(std::optional<Nanoseconds> &value, double most);
[[nodiscard]] OptionAccess cpus(std::vector<unsigned> &value);
// Takes a queue for each sender.
[[nodiscard]] OptionAccess queues(std::vector<unsigned> &value);

} // namespace dnsgauge
