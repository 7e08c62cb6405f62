// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A calibration's result as JSON, which is also what its record file holds.
#pragma once

#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dnsgauge
{

inline constexpr const char *calibration_schema = "dnsgauge/calibration/1";

// Returns the object that schemas/calibration.schema.json describes.
[[nodiscard]] nlohmann::ordered_json to_json(const CalibrationResult &result);

// Returns the terms in such an object. Throws nlohmann::json::exception if `record` is no such
// object.
[[nodiscard]] CalibrationTerms read_terms(const nlohmann::ordered_json &record);

// Returns the floor in such an object; absent in objects of versions that had another one ("floor",
// which one slow trial found). Throws as read_terms() does.
[[nodiscard]] std::optional<RttFloor> read_rtt_floor(const nlohmann::ordered_json &record);

// Returns the member "certificate" of other results; null if nobody looked for one.
[[nodiscard]] nlohmann::ordered_json
certificate_json(const std::optional<CertificateCover> &certificate);

} // namespace dnsgauge
