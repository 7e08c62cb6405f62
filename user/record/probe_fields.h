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

// Returns the probe of a trial, with the trial's time of sending, or the result of dnsgauge probe,
// with its whole time. For repeated trials and a series returns the probe of the worst trial: the
// one with the smallest share of queries answered right in time; if shares are equal, with the
// highest rate. Invalid trials count only if all trials are invalid. Throws
// nlohmann::json::exception if the result has no probe, or if something in it lacks a field of its
// schema.
[[nodiscard]] LoadedProbe probe_in(const nlohmann::ordered_json &result);

} // namespace dnsgauge
