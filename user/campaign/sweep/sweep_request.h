// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The request for a sweep: the values of its options, and what follows from these values.
#pragma once

#include "options/option.h"
#include "result/caveats.h"
#include "search/series_request.h"
#include "sweep/sweep_steps.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

struct SweepRequest : SeriesRequest {
    SweepPlan sweep;
};

// Returns a request with the defaults of all options.
[[nodiscard]] SweepRequest usual_sweep();

// Returns the options that decide the sweep.
[[nodiscard]] Options sweep_options(SweepRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other.
void complete(SweepRequest &request);

// Returns the first line of the sweep's journal: the Tester's set-up as it is now, and every option
// that results depend on. Throws SetupError if there is no such interface, or if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SweepRequest &request);

// Returns the caveats that are known before the sweep: those of its trials.
[[nodiscard]] Caveats caveats_of(const SweepRequest &request);

} // namespace dnsgauge
