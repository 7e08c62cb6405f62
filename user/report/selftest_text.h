// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test's result for people, and what is said of results that one covers or does not.
#pragma once

#include "result/selftest_result.h"

#include <string>

namespace dnsgauge
{

// What is said of every result that no self-test covers, wherever it is shown.
inline constexpr const char *beyond_selftest = "beyond the Tester's self-test";

[[nodiscard]] std::string to_text(const SelftestResult &result);

// In one line: the self-test that covers a result, or `beyond_selftest` and why.
[[nodiscard]] std::string cover_text(const SelftestCover &cover);

} // namespace dnsgauge
