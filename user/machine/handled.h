// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The packets that each queue of a card and each CPU has handled, by the kernel's own counters.
#pragma once

#include "result/placement_result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dnsgauge
{

// Returns the queue whose packets the driver's counter of this name counts, such as "rx-3" for
// "rx_queue_3_packets"; empty if it counts something else.
[[nodiscard]] std::string queue_counted_by(const std::string &name);

// Returns the counts since the machine's start. `driver` has the driver's counters of the interface
// by their own names.
[[nodiscard]] Handled read_handled(const std::string &interface,
                                   const std::map<std::string, std::uint64_t> &driver,
                                   const std::filesystem::path &root);

} // namespace dnsgauge
