// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds out whether FakeDNS answers.
#pragma once

#include "trial/trial.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Asks for a few names at random places of the whole namespace. Returns the circumstances of the
// trial, or nothing if it was stopped. Throws SetupError if not all names were answered right.
//
// No zone in a server's memory has all 2^32 names; a zone of the largest kind (/3) passes once in
// 4,096 times. No wildcard has the right data, which depends on the name. The probe cannot tell a
// resolver between the Tester and FakeDNS. Neither can make a self-test pass that would have
// failed: whoever answered so many queries right in time, the Tester sent them and judged the
// answers.
[[nodiscard]] std::optional<Circumstances> recognize_fakedns(TrialPlan plan,
                                                             const std::atomic<bool> &stop);

} // namespace dnsgauge
