// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What facts mean for a benchmark: pure functions, except diagnose_tester().
#pragma once

#include "result/diagnosis.h"
#include "result/probe_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

struct Facts;

[[nodiscard]] std::vector<Finding> interface_findings(const Facts &facts);
[[nodiscard]] std::vector<Finding> host_findings(const Facts &facts);
[[nodiscard]] std::vector<Finding> probe_findings(const LoadedProbe &probed);

// Returns all findings, the interface's first.
[[nodiscard]] Diagnosis diagnose(const Facts &facts);

// Reads the facts of the Tester's interface. Returns all findings. Throws as read_facts() does.
[[nodiscard]] Diagnosis diagnose_tester(const std::string &interface);

} // namespace dnsgauge
