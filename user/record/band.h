// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The band in which a figure of several runs lies.
#pragma once

#include "result/replay_result.h"

#include <optional>
#include <span>

namespace dnsgauge
{

// Returns the band of these values; nothing where there are none.
[[nodiscard]] std::optional<Band> band_of(std::span<const double> values);

} // namespace dnsgauge
