// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A calibration's result as JSON, which is also what its record file holds.
#pragma once

#include "record/fields.h"
#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dnsgauge
{

inline constexpr const char *calibration_schema = "dnsgauge/calibration/1";

void fields(Fields &row, CalibrationResult &result);
void fields(Fields &row, CertificateCover &certificate);

// Returns dnsgauge/calibration/1.
[[nodiscard]] nlohmann::ordered_json to_json(const CalibrationResult &result);

// Returns the terms in such an object. Throws nlohmann::json::exception if `record` is no such
// object.
[[nodiscard]] CalibrationTerms read_terms(const nlohmann::ordered_json &record);

// Returns the floor in such an object; absent in objects of versions that had another one ("floor",
// which one slow trial found). Throws as read_terms() does.
[[nodiscard]] std::optional<RttFloor> read_rtt_floor(const nlohmann::ordered_json &record);

} // namespace dnsgauge
