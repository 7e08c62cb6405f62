// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The certificate: the record of a set-up's calibration, a file that later results refer to.
#pragma once

#include "record/fields.h"
#include "result/caveats.h"
#include "result/tester_setup.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr const char *calibration_schema = "dnsgauge/calibration/1";

// The largest errors that leave no doubt, by default.
struct CalibrationLimits {
    Nanoseconds bias = std::chrono::microseconds(500);       // of RTTs
    Nanoseconds lateness = std::chrono::milliseconds(50);    // of any query, at the other end
    Nanoseconds lateness_p99 = std::chrono::milliseconds(1); // of 99 % of them
    Nanoseconds overrun = std::chrono::milliseconds(1);      // of a whole trial
};

// The terms under which a calibration may leave no doubt, by default.
struct CalibrationTerms {
    Nanoseconds timeout = std::chrono::milliseconds(250);
    Nanoseconds duration = std::chrono::seconds(1);
    std::uint64_t attempts = 3; // of each check, at most
    CalibrationLimits limits{};
};

void fields(Fields &row, CalibrationTerms &terms);
void fields(Fields &row, CertificateCover &certificate);

// Returns the terms of a calibration that are laxer than the default terms.
[[nodiscard]] std::vector<std::string> lax_terms(const CalibrationTerms &terms);

// Returns the path of the record for `setup`, if the user names no other file.
[[nodiscard]] std::string certificate_path(const TesterSetup &setup);

// Returns whether the certificate `path` vouches for results on `setup` at `rate`: it does if the
// calibration was of the same set-up, left no doubt, and went up to that rate. A file with any
// error vouches for nothing.
[[nodiscard]] CertificateCover look_up_certificate(const std::string &path,
                                                   const TesterSetup &setup, Rate rate);

} // namespace dnsgauge
