// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The record of the last calibration of a set-up, beside that of its self-tests.
#pragma once

#include "result/calibration_result.h"
#include "result/certificate_cover.h"

#include <string>

namespace dnsgauge
{

// Where it is for `setup`, if the user names no other file.
[[nodiscard]] std::string certificate_path(const TesterSetup &setup);

// Whether the certificate `path` vouches for results on `setup` at `rate`: it is of the same
// set-up, left no doubt, and went as far. Whatever is wrong with the file is a reason not to.
[[nodiscard]] CertificateCover look_up_certificate(const std::string &path,
                                                   const TesterSetup &setup, Rate rate);

} // namespace dnsgauge
