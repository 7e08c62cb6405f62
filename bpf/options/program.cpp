// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/program.h"

#include "options/command_line.h"
#include "options/help.h"
#include "options/options_json.h"
#include "system/listed.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "system/standard_output.h"

#include <algorithm>
#include <cstddef>

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

// Returns the command that runs if no subcommand is given, or null.
const Command *nameless(const Program &program)
{
    const auto found = std::ranges::find(program.commands, "", &Command::name);
    return found == program.commands.end() ? nullptr : &*found;
}

// Returns the command that the words begin with.
const Command &command_of(const Program &program, const std::vector<std::string> &words)
{
    const Command *own = nameless(program);
    if (own != nullptr && (words.size() < 2 || words[1].starts_with("-")))
        return *own;
    if (words.size() < 2)
        throw SetupError("a subcommand is required: see " + program.name + " --help");
    return find_command(program, words[1]);
}

ExitStatus answer(const Program &program, const std::vector<std::string> &words)
{
    if (words[1] == "--version")
        print_result(program.version + "\n");
    else if (words[1] == "options")
        print_result(description_text(program));
    else if (!is_for_program(words[1]))
        print_result(help_text(program, command_of(program, words)));
    else if (words.size() > 2 && !words[2].starts_with("-"))
        print_result(help_text(program, find_command(program, words[2])));
    else
        print_result(help_text(program));
    return ExitStatus::done;
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
    throw SetupError("there is no subcommand \"{}\": {}", name,
                     suggestion(name, names, "see " + program.name + " --help"));
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
    if (are_a_question(words))
        return answer(program, words);
    const Command &command = command_of(program, words);
    if (command.reads_itself)
        return command.run(words);
    const std::ptrdiff_t first = command.name.empty() ? 1 : 2;
    return run_given(command, parse_words(command.options, {words.begin() + first, words.end()}),
                     words);
}

int run_main(const char *name, const std::function<Program()> &program, int count, char **arguments)
{
    return run_program(name, [&] {
        const std::vector<std::string> words(arguments, arguments + count);
        return static_cast<int>(run_words(program(), words));
    });
}

} // namespace dnsgauge
