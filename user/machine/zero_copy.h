// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Zero-copy AF_XDP where the driver has it and the device does not bear it: what the device lacks.
#pragma once

#include "machine/interface.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns why a device refuses its driver's zero-copy AF_XDP, as the end of "the driver has it,
// but"; empty if nothing is known to be in the way. `virtio_features` has a digit for each feature
// that driver and device agreed on; empty: not known.
[[nodiscard]] std::string zero_copy_obstacle(std::string_view driver,
                                             std::string_view virtio_features);

// Returns the same of an interface, whose features /sys tells below `root`.
[[nodiscard]] std::string zero_copy_obstacle(const Interface &interface,
                                             const std::filesystem::path &root);

// Throws SetupError where zero_copy_obstacle() knows a reason.
void refuse_obstacle_to_zero_copy(const Interface &interface);

} // namespace dnsgauge
