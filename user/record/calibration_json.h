// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A calibration's result as JSON, which is also what its record file holds.
#pragma once

#include "record/fields.h"
#include "result/calibration_result.h"
#include "result/caveats.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

inline constexpr const char *calibration_schema = "dnsgauge/calibration/1";

void fields(Fields &row, CalibrationResult &result);
void fields(Fields &row, CertificateCover &certificate);

// Returns dnsgauge/calibration/1.
[[nodiscard]] nlohmann::ordered_json to_json(const CalibrationResult &result);

// Returns the path of the record for `setup`, if the user names no other file.
[[nodiscard]] std::string certificate_path(const TesterSetup &setup);

// Returns whether the certificate `path` vouches for results on `setup` at `rate`: it does if the
// calibration was of the same set-up, left no doubt, and went up to that rate. A file with any
// error vouches for nothing.
[[nodiscard]] CertificateCover look_up_certificate(const std::string &path,
                                                   const TesterSetup &setup, Rate rate);

} // namespace dnsgauge
