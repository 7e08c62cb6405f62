// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a probe saw, as text for people.
#pragma once

#include "result/probe_result.h"
#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

class Lines;

// Adds the fates of queries, the stages, threads and full sockets. If the trial's RTTs are given,
// and the same queries have stages and RTTs, also adds the rest of the mean RTT without the stages.
void add_probe(Lines &lines, const ProbeResult &probe, const RttSummary *rtt);

[[nodiscard]] std::string to_text(const ProbeResult &probe);

} // namespace dnsgauge
