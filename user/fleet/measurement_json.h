// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A Tester's part of a trial as JSON, for the Tester that merges the parts. The form is not a
// result's form, and may change: both Testers have the same version.
#pragma once

#include "trial/measurement.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

[[nodiscard]] nlohmann::ordered_json measurement_json(const Measurement &measured);

// Returns what measurement_json() wrote. Throws nlohmann::json::exception.
[[nodiscard]] Measurement read_measurement(const nlohmann::ordered_json &json);

} // namespace dnsgauge
