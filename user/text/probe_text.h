// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a probe saw, as text for people.
#pragma once

#include "result/probe_result.h"
#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

class Lines;

// Adds the fates of queries, the stages, threads and full sockets. With the RTTs of a trial also
// adds what the stages leave of the mean RTT, if the same queries have stages and RTTs.
void add_probe(Lines &lines, const ProbeResult &probe, const RttSummary *rtt);

[[nodiscard]] std::string to_text(const ProbeResult &probe);

} // namespace dnsgauge
