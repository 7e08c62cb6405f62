// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What --help says about programs, their commands and options.
#pragma once

#include "options/program.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr std::size_t help_width = 80; // columns

// Returns the option's help, with the options of the table that may be given instead.
[[nodiscard]] std::string meaning_text(const Options &options, const Option &option);

// Returns the option's default in words; empty if the option has none.
[[nodiscard]] std::string default_text(const Option &option);

// Returns all options, the required ones first and the others by group.
[[nodiscard]] std::string help_text(const Options &options);

// Returns the command line, as in "dnsgauge compare [OPTIONS] FILE...".
[[nodiscard]] std::string usage_text(const Program &program, const Command &command);

// Returns the exit statuses of the command.
[[nodiscard]] const std::vector<ExitMeaning> &statuses_of(const Program &program,
                                                          const Command &command);

// Return what --help says about the program, and about one of its commands.
[[nodiscard]] std::string help_text(const Program &program);
[[nodiscard]] std::string help_text(const Program &program, const Command &command);

} // namespace dnsgauge
