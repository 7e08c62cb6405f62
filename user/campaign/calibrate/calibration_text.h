// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A calibration's result for people: the certificate.
#pragma once

#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <string>
#include <vector>

namespace dnsgauge
{

[[nodiscard]] std::string to_text(const CalibrationResult &result);

} // namespace dnsgauge
