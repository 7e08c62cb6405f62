// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of a set-up's last calibration, beside the record of its self-tests.
#pragma once

#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <string>

namespace dnsgauge
{

// Returns the path of the record for `setup`, if the user names no other file.
[[nodiscard]] std::string certificate_path(const TesterSetup &setup);

// Returns whether the certificate `path` vouches for results on `setup` at `rate`: it does if the
// calibration was of the same set-up, left no doubt, and went up to that rate. A file with any
// error vouches for nothing.
[[nodiscard]] CertificateCover look_up_certificate(const std::string &path,
                                                   const TesterSetup &setup, Rate rate);

} // namespace dnsgauge
