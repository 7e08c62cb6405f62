// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The words of a command line, and what is said of the commands.
#pragma once

#include "cli/command.h"

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns the options that `words`, those behind the command's name, give. Throws SetupError: they
// are no options of the command, or one lacks its value.
[[nodiscard]] std::vector<GivenOption> parse_words(const Options &options,
                                                   const std::vector<std::string> &words);

// Returns the one of `names` that differs from `word` by a typing error or two; empty: none does.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string> &names);

// Return what --help says of the program, and of one command.
[[nodiscard]] std::string help_text(const std::vector<Command> &commands);
[[nodiscard]] std::string help_text(const Command &command);

// Returns all of that as JSON, for manuals and completions: an object of schema
// "dnsgauge/options/1".
[[nodiscard]] std::string description_text(const std::vector<Command> &commands);

} // namespace dnsgauge
