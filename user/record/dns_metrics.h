// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A trial in DNS-OARC's dns-metrics form, which other tools of the field also write. Source:
// https://github.com/DNS-OARC/dns-metrics, schema of 2024-05-30.
#pragma once

#include "result/trial_result.h"

#include <string>

namespace dnsgauge
{

// Returns JSON lines that share a run's id: header, event (the verdict), a stats_periodic for each
// interval, stats_sum. user/record/README.md says which field holds which figure of a trial.
[[nodiscard]] std::string to_dns_metrics(const TrialResult &result);

} // namespace dnsgauge
