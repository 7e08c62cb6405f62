// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a device lacks for zero-copy AF_XDP that its driver has.
#pragma once

#include "machine/interface.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns why a device refuses its driver's zero-copy AF_XDP, as the end of "the driver has it,
// but"; empty if no reason is known. `virtio_features` has a digit for each feature that driver and
// device agreed on; empty if unknown.
[[nodiscard]] std::string zero_copy_obstacle(std::string_view driver,
                                             std::string_view virtio_features);

// Returns the same for an interface. The /sys below `root` tells its features.
[[nodiscard]] std::string zero_copy_obstacle(const Interface &interface,
                                             const std::filesystem::path &root);

// Throws SetupError if zero_copy_obstacle() knows a reason.
void refuse_obstacle_to_zero_copy(const Interface &interface);

} // namespace dnsgauge
