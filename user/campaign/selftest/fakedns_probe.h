// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds out whether FakeDNS answers.
#pragma once

#include "trial/trial.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Returns how many names the probe asks for at a place. Each sender of several Testers gets one.
[[nodiscard]] std::uint64_t names_of_probe(const TrialPlan &plan);

// Asks for a few names at random places of the whole namespace. Returns the circumstances of the
// trial, or nothing if it was stopped. Throws SetupError if not all names were answered right.
//
// No zone in a server's memory has all 2^32 names; a zone of the largest kind (/3) passes the probe
// once in 4,096 times. A wildcard cannot have the right data, which depends on the name. The probe
// does not notice a resolver between the Tester and FakeDNS. Neither server can make an unfit
// Tester pass the self-test, because the Tester itself must send all queries and judge all answers.
[[nodiscard]] std::optional<Circumstances> recognize_fakedns(TrialPlan plan,
                                                             const std::atomic<bool> &stop);

} // namespace dnsgauge
