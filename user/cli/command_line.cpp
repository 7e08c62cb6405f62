// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command_line.h"

#include "options/help.h"
#include "options/option_error.h"
#include "options/options_json.h"
#include "record/json_text.h"
#include "userland/argument_error.h"
#include "userland/nearest.h"
#include "userland/setup_error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

constexpr std::size_t summary_column = 14;

// The library would take the next word for the value of "--timeout=".
void refuse_empty_values(const std::vector<std::string> &words)
{
    for (const std::string &word : words)
        if (word.starts_with("--") && word.find('=') == word.size() - 1)
            throw OptionError({word.substr(2, word.size() - 3)},
                              word.substr(0, word.size() - 1) +
                                  " has no value: give one, or leave the option out");
}

[[noreturn]] void refuse_word(const Options &options, const std::string &word)
{
    if (!word.starts_with("--"))
        throw SetupError(fmt::format("\"{}\" is not expected here: options begin with --", word));
    const std::string name = word.substr(2, word.find('=') - 2);
    std::vector<std::string> names;
    for (const Option &option : options)
        names.push_back(option.name);
    const std::string meant = nearest(name, names);
    throw OptionError({name}, fmt::format("there is no option --{}{}", name,
                                          meant.empty() ? "" : ": did you mean --" + meant + "?"));
}

CLI::Option *add(CLI::App &app, const Option &option)
{
    if (option.is_positional && option.is_repeatable)
        return app.add_option(option.name)->expected(1, -1)->allow_extra_args(); // -1: no limit
    if (option.is_positional)
        return app.add_option(option.name)->expected(1);
    if (option.access.is_flag)
        return app.add_flag("--" + option.name);
    if (option.is_repeatable)
        return app.add_option("--" + option.name)->expected(1, -1)->allow_extra_args(false);
    return app.add_option("--" + option.name)->expected(1);
}

std::string usage_of(const Program &program, const Command &command)
{
    std::string usage = program.name + " " + command.name + " [OPTIONS]";
    for (const Option &option : command.options)
        if (option.is_positional)
            usage += " " + option.name + (option.is_repeatable ? "..." : "");
    return usage;
}

} // namespace

std::vector<GivenOption> parse_words(const Options &options, const std::vector<std::string> &words)
{
    refuse_empty_values(words);
    CLI::App app;
    app.set_help_flag();
    app.allow_extras();
    std::vector<std::pair<const Option *, CLI::Option *>> rows;
    for (const Option &option : options)
        rows.emplace_back(&option, add(app, option));
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError &error) {
        throw SetupError(message_of(error));
    }
    if (const std::vector<std::string> rest = app.remaining(); !rest.empty())
        refuse_word(options, rest.front());
    std::vector<GivenOption> given;
    for (const auto &[option, parsed] : rows)
        for (const std::string &text : parsed->results())
            given.push_back({option->name, text});
    return given;
}

std::string help_text(const Program &program)
{
    std::string text = "Usage: " + program.name +
                       " COMMAND [OPTIONS]\n\n"
                       "Measures DNS servers at rates that sockets cannot reach, and checks every\n"
                       "answer.\n\nCommands:\n";
    for (const Command &command : program.commands)
        text += wrapped("  " + command.name, summary_column, command.summary);
    return text +
           "\nOptions:\n"
           "  --help      This, or behind a command its options\n"
           "  --version   The program's version\n"
           "\n\"" +
           program.name + " help COMMAND\" tells more of a command.\n";
}

std::string help_text(const Program &program, const Command &command)
{
    std::string text =
        "Usage: " + usage_of(program, command) + "\n\n" + wrapped("", 0, command.summary);
    text += help_text(command.options);
    if (!command.remarks.empty())
        text += "\n" + wrapped("", 0, command.remarks);
    text += "\nExamples:\n";
    for (const std::string &example : command.examples)
        text += "  " + example + "\n";
    text += "\nExit status:\n";
    for (const ExitMeaning &one : command.statuses)
        text += wrapped(fmt::format("  {}", static_cast<int>(one.status)), 5, one.meaning);
    return text;
}

std::string description_text(const Program &program)
{
    using Json = nlohmann::ordered_json;
    Json all = Json::array();
    for (const Command &command : program.commands) {
        Json statuses = Json::object();
        for (const ExitMeaning &one : command.statuses)
            statuses[std::to_string(static_cast<int>(one.status))] = one.meaning;
        all.push_back({{"name", command.name},
                       {"usage", usage_of(program, command)},
                       {"summary", command.summary},
                       {"remarks", command.remarks},
                       {"options", description_of(command.options)},
                       {"examples", command.examples},
                       {"exit_status", statuses}});
    }
    return json_text(
        {{"schema", "dnsgauge/options/1"}, {"program", program.name}, {"commands", all}});
}

} // namespace dnsgauge
