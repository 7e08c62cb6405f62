// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The bands in which the figures of a replay's runs lie.
#pragma once

#include "result/replay_result.h"

#include <span>

namespace dnsgauge
{

// Returns the bands over these runs. A run has part in the bands of the intervals in which it sent
// a query. An RCODE that a run did not see counts as 0 replies.
[[nodiscard]] ReplayBands bands_of(std::span<const ReplayRun> runs);

} // namespace dnsgauge
