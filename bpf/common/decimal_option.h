// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options whose value is a decimal number.
#pragma once

#include "common/number_text.h"

#include <CLI/CLI.hpp>

#include <string>

namespace dnsgauge
{

// Returns a validator that refuses numbers that CLI11 would read as octal.
[[nodiscard]] inline CLI::Validator decimal()
{
    return {[](const std::string &text) -> std::string {
                if (!has_leading_zero(text))
                    return {};
                return "\"" + text + "\" begins with a 0: write it without";
            },
            ""};
}

// Adds decimal() to all options of the program and of its commands that CLI11 calls numbers.
// Options whose type has a name of its own (PERCENT) add decimal() themselves.
inline void expect_decimals(CLI::App &app)
{
    for (CLI::Option *option : app.get_options()) {
        const std::string type = option->get_type_name();
        if (type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT"))
            option->check(decimal());
    }
    for (CLI::App *command : app.get_subcommands({}))
        expect_decimals(*command);
}

} // namespace dnsgauge
