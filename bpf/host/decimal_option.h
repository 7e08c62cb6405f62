// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options whose value is a number, and no octal one.
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

// That of all options of all commands that CLI11 reads as numbers.
inline void expect_decimals(CLI::App &app)
{
    for (CLI::App *command : app.get_subcommands({}))
        for (CLI::Option *option : command->get_options()) {
            const std::string type = option->get_type_name();
            if (type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT"))
                option->check(decimal());
        }
}

} // namespace dnsgauge
