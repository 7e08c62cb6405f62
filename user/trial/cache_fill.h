// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The name that is to be in the server's cache when a trial begins.
#pragma once

#include "trial/plan.h"

namespace dnsgauge
{

// Has the server look up the name that the plan asks for again and again, if there is one. A server
// that was just started may take its time for the first query, and gets several tries. Throws
// SetupError if the server does not answer right.
void fill_cache(const TrialPlan &plan);

} // namespace dnsgauge
