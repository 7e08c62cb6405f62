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

// In what it was easier than by default to leave no doubt.
[[nodiscard]] std::vector<std::string> lax_terms(const CalibrationTerms &terms);

// In one line: the certificate that vouches for a result, or why none does.
[[nodiscard]] std::string certificate_text(const CertificateCover &certificate);

} // namespace dnsgauge
