// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What options with a number have in common.
#pragma once

#include "host/number_text.h"

#include <CLI/CLI.hpp>

#include <string>

namespace dnsgauge
{

// Refuses what CLI11 would read as octal.
[[nodiscard]] inline CLI::Validator decimal()
{
    return {[](const std::string &text) -> std::string {
                if (!has_leading_zero(text))
                    return {};
                return "\"" + text + "\" begins with a 0: write it without";
            },
            ""};
}

} // namespace dnsgauge
