// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes a soak's trials, and tells how far the soak is.
#pragma once

#include "soak/soak.h"
#include "soak/soak_request.h"

#include <atomic>

namespace dnsgauge
{

// Makes the rows that the journal lacks, until `stop` is set. Throws SetupError.
[[nodiscard]] SoakResult make_soak(const SoakRequest &request, Journal &journal,
                                   const std::atomic<bool> &stop);

} // namespace dnsgauge
