// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What facts mean for a benchmark: pure functions, which read nothing.
#pragma once

#include "machine/facts.h"
#include "result/diagnosis.h"
#include "result/probe_result.h"

#include <vector>

namespace dnsgauge
{

[[nodiscard]] std::vector<Finding> interface_findings(const Facts &facts);
[[nodiscard]] std::vector<Finding> host_findings(const Facts &facts);
[[nodiscard]] std::vector<Finding> probe_findings(const LoadedProbe &probed);

// Returns all findings, the interface's first.
[[nodiscard]] Diagnosis diagnose(const Facts &facts);

} // namespace dnsgauge
