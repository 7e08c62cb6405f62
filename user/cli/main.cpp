// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command_line.h"
#include "common/nearest.h"
#include "common/run_program.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "common/version.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

const Command &find_command(const std::vector<Command> &commands, const std::string &name)
{
    std::vector<std::string> names;
    for (const Command &command : commands) {
        if (command.name == name)
            return command;
        names.push_back(command.name);
    }
    throw SetupError(fmt::format("there is no subcommand \"{}\": {}", name,
                                 suggestion(name, names, "see dnsgauge --help")));
}

bool asks_for_help(const std::string &word)
{
    return word == "--help" || word == "-h" || word == "help";
}

ExitStatus print_help(const std::vector<Command> &commands, const std::vector<std::string> &words)
{
    print_result(words.size() > 2 ? help_text(find_command(commands, words[2]))
                                  : help_text(commands));
    return ExitStatus::criterion_met;
}

ExitStatus run_command(const Command &command, const std::vector<std::string> &words)
{
    const std::vector<std::string> rest(words.begin() + 2, words.end());
    if (std::any_of(rest.begin(), rest.end(),
                    [](const std::string &word) { return word == "--help" || word == "-h"; })) {
        print_result(help_text(command));
        return ExitStatus::criterion_met;
    }
    read_options(command.options, parse_words(command.options, rest));
    return command.run(words);
}

ExitStatus run(const std::vector<std::string> &words)
{
    const std::vector<Command> commands = {
        trial_command(),      search_command(),   sweep_command(),
        replay_command(),     selftest_command(), calibrate_command(),
        experiment_command(), compare_command(),  doctor_command()};
    if (words.size() < 2)
        throw SetupError("a subcommand is required: see dnsgauge --help");
    if (asks_for_help(words[1]))
        return print_help(commands, words);
    if (words[1] == "--version") {
        print_result(version_text("dnsgauge", libbpf_version_string()) + "\n");
        return ExitStatus::criterion_met;
    }
    // "dnsgauge options" is for manuals and completions, and in no help.
    if (words[1] == "options") {
        print_result(description_text(commands));
        return ExitStatus::criterion_met;
    }
    return run_command(find_command(commands, words[1]), words);
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run_program("dnsgauge", [=] {
        return static_cast<int>(dnsgauge::run({arguments, arguments + count}));
    });
}
