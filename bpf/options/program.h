// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program of subcommands.
#pragma once

#include "options/command.h"

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Program {
    std::string name;
    std::string summary;
    std::string version; // what --version prints
    // If one of them has no name, the program runs it unless a subcommand is given.
    std::vector<Command> commands;
    std::vector<ExitMeaning> statuses{}; // for commands that have none
};

// Returns the subcommand. Throws SetupError if none has the name.
[[nodiscard]] const Command &find_command(const Program &program, const std::string &name);

// Returns whether the words ask for help, for the version or for the table of options, and run
// nothing.
[[nodiscard]] bool are_a_question(const std::vector<std::string> &words);

// Runs the subcommand with these options. Results record `recorded` as the command line. Throws
// SetupError.
[[nodiscard]] ExitStatus run_given(const Command &command, const std::vector<GivenOption> &given,
                                   const std::vector<std::string> &recorded);

// Runs the command line. Throws SetupError.
[[nodiscard]] ExitStatus run_words(const Program &program, const std::vector<std::string> &words);

// Does what main() of a program does: see run_program().
[[nodiscard]] int run_main(const char *name, const std::function<Program()> &program, int count,
                           char **arguments);

} // namespace dnsgauge
