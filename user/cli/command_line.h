// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the words of a command line, and writes the help of commands.
#pragma once

#include "cli/program.h"

#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the options in `words`, the words behind the command's name. Throws SetupError if a word
// is no option of the command, or an option lacks its value.
[[nodiscard]] std::vector<GivenOption> parse_words(const Options &options,
                                                   const std::vector<std::string> &words);

// Return what --help says of the program, and of one of its commands.
[[nodiscard]] std::string help_text(const Program &program);
[[nodiscard]] std::string help_text(const Program &program, const Command &command);

// Returns the commands and their options as JSON, for manuals and completions: the object that
// record/schemas/options.schema.json describes.
[[nodiscard]] std::string description_text(const Program &program);

} // namespace dnsgauge
