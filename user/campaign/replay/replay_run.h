// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a replay's runs, and tells how far the replay is.
#pragma once

#include "replay/replay_request.h"

#include <atomic>

namespace dnsgauge
{

// Makes the runs that the journal lacks, until `stop` is set. The request's captures are loaded.
// Throws SetupError.
[[nodiscard]] ReplayResult make_replay(const ReplayRequest &request, Journal &journal,
                                       const std::atomic<bool> &stop);

} // namespace dnsgauge
