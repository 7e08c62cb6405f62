// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/program.h"

#include "cli/command_line.h"
#include "userland/nearest.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"
#include "userland/version.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

bool asks_for_help(const std::string &word)
{
    return word == "--help" || word == "-h";
}

bool is_for_program(const std::string &word)
{
    // "dnsgauge options" is for manuals and completions, and in no help.
    return asks_for_help(word) || word == "help" || word == "--version" || word == "options";
}

ExitStatus answer(const Program &program, const std::vector<std::string> &words)
{
    if (words[1] == "--version")
        print_result(version_text(program.name, libbpf_version_string()) + "\n");
    else if (words[1] == "options")
        print_result(description_text(program));
    else if (!is_for_program(words[1]))
        print_result(help_text(program, find_command(program, words[1])));
    else if (words.size() > 2)
        print_result(help_text(program, find_command(program, words[2])));
    else
        print_result(help_text(program));
    return ExitStatus::criterion_met;
}

} // namespace

const Command &find_command(const Program &program, const std::string &name)
{
    std::vector<std::string> names;
    for (const Command &command : program.commands) {
        if (command.name == name)
            return command;
        names.push_back(command.name);
    }
    throw SetupError(fmt::format("there is no subcommand \"{}\": {}", name,
                                 suggestion(name, names, "see " + program.name + " --help")));
}

bool are_a_question(const std::vector<std::string> &words)
{
    return words.size() > 1 &&
           (is_for_program(words[1]) || std::any_of(words.begin() + 2, words.end(), asks_for_help));
}

ExitStatus run_given(const Command &command, const std::vector<GivenOption> &given,
                     const std::vector<std::string> &recorded)
{
    read_options(command.options, given);
    return command.run(recorded);
}

ExitStatus run_words(const Program &program, const std::vector<std::string> &words)
{
    if (words.size() < 2)
        throw SetupError("a subcommand is required: see " + program.name + " --help");
    if (are_a_question(words))
        return answer(program, words);
    const Command &command = find_command(program, words[1]);
    return run_given(command, parse_words(command.options, {words.begin() + 2, words.end()}),
                     words);
}

} // namespace dnsgauge
