// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options that are given without their value. CLI11 takes the next word for the value of
// "--timeout=", and "--timeout ''" for an option that was not given.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace dnsgauge
{

// Before they are parsed. Throws SetupError: one of `words` is such as "--timeout=".
void refuse_empty_values(const std::vector<std::string> &words);

// After that. Throws SetupError: an option of `app` was given an empty value.
void refuse_empty_values(const CLI::App &app);

} // namespace dnsgauge
