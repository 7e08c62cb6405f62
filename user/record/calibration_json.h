// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A calibration's result for machines, and for us: it is what its record file holds.
#pragma once

#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace dnsgauge
{

inline constexpr const char *calibration_schema = "dnsgauge/calibration/1";

// As the object of this schema, which user/record/README.md describes.
[[nodiscard]] nlohmann::ordered_json to_json(const CalibrationResult &result);

// The terms of such an object. Throws nlohmann::json::exception: it is none.
[[nodiscard]] CalibrationTerms read_terms(const nlohmann::ordered_json &record);

// The member "certificate" of other results; null: nobody looked.
[[nodiscard]] nlohmann::ordered_json
certificate_json(const std::optional<CertificateCover> &certificate);

} // namespace dnsgauge
