// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Is it FakeDNS that answers?
#pragma once

#include "trial/trial.h"

#include <atomic>
#include <optional>

namespace dnsgauge
{

// Asks for a few names at random places of the whole namespace, and gives the circumstances of
// that; empty: stopped first. Throws SetupError: they were not all answered right.
//
// All 2^32 names no zone in a server's memory has, and one of the largest kind (/3) passes this
// once in 4,096 times; their data depends on the name, so that no wildcard has it. What it does
// not tell is a resolver between the Tester and FakeDNS. Neither can make a self-test pass that
// would have failed: whoever has answered so many queries right in time, the Tester has sent them
// and judged the answers.
[[nodiscard]] std::optional<Circumstances> recognize_fakedns(TrialPlan plan,
                                                             const std::atomic<bool> &stop);

} // namespace dnsgauge
