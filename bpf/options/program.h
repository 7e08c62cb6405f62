// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program of subcommands. A subcommand has options, texts in --help, and what it does.
#pragma once

#include "options/option.h"

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The exit statuses of the programs, which scripts rely on.
enum class ExitStatus {
    done = 0,
    criterion_met = 0,
    criterion_not_met = 1, // by the server; for the doctor, by the interface
    wrong_input = 2,       // command, configuration or environment
    nothing_learned = 3,   // the Tester itself was the limit, or was interrupted
    interface_missing = 3, // what fakedns serves on is not there, or is down
};

struct ExitMeaning {
    ExitStatus status;
    const char *meaning;
};

struct Command {
    std::string name; // empty for what the program does without a subcommand
    std::string summary;
    Options options{}; // rows that refer to values which `run` owns
    std::string remarks{};
    std::vector<std::string> examples;
    std::vector<ExitMeaning> statuses{}; // empty if they are the program's
    // Runs the subcommand, after the options have been read. `words` is the whole command line,
    // which results record.
    std::function<ExitStatus(const std::vector<std::string> &words)> run{};
    bool reads_itself = false; // `run` reads the options from the words, and from a file
};

// Returns a Command::run that does the work and returns ExitStatus::done.
template <class Work>
[[nodiscard]] auto doing(Work work)
{
    return [work](const std::vector<std::string> & /*words*/) {
        work();
        return ExitStatus::done;
    };
}

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
