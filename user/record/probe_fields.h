// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields of what a probe saw. See fields.h.
#pragma once

#include "record/fields.h"
#include "result/probe_result.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// What dnsgauge probe writes: a probe without a trial.
struct ProbeRecord {
    std::string started{}; // UTC, ISO 8601
    std::string version{};
    std::string kernel{};
    std::vector<std::string> command{};
    ProbeResult probe{};
};

void fields(Fields &row, ProbeResult &probe);
void fields(Fields &row, ProbeRecord &record);

} // namespace dnsgauge
