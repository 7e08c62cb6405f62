// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A self-test's result for people, and the words for results that a self-test covers or does not
// cover.
#pragma once

#include "result/selftest_result.h"

#include <string>

namespace dnsgauge
{

[[nodiscard]] std::string to_text(const SelftestResult &result);

} // namespace dnsgauge
