// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a search for a load factor for people.
#pragma once

#include "result/load_factor_result.h"

#include <string>

namespace dnsgauge
{

// Returns one sentence: the highest load factor that the resolver bears, and what shows that it
// bears no more.
[[nodiscard]] std::string verdict_text(const LoadFactorResult &result);

} // namespace dnsgauge
