// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A gate's result for people and for CI systems.
#pragma once

#include "gate/gate.h"

#include <string>

namespace dnsgauge
{

// Returns the line for a log, without its end.
[[nodiscard]] std::string to_text(const GateResult &result);
// Returns how many doubts there are, and the first one; empty if there is none.
[[nodiscard]] std::string doubts_text(const GateResult &result);
// Returns a comment for a review: the line, and a table of the figures.
[[nodiscard]] std::string to_markdown(const GateResult &result);
// Returns a suite in JUnit's form with a test case for each figure: a slower one is a failure, one
// that cannot be told an error.
[[nodiscard]] std::string to_junit(const GateResult &result);

} // namespace dnsgauge
