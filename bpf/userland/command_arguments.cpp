// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/command_arguments.h"

#include "userland/argument_error.h"
#include "userland/help_layout.h"
#include "userland/listed.h"
#include "userland/nearest.h"
#include "userland/number_text.h"
#include "userland/setup_error.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

// CLI11 would read 010 as octal.
std::string refuse_octal(const std::string &text)
{
    return has_leading_zero(text) ? "\"" + text + "\" begins with a 0: write it without" : "";
}

// CLI11 joins the name that an option's type has, "PORT", and the type of its range: "PORT:INT in
// [1 - 65535]".
bool takes_number(const CLI::Option &option)
{
    std::string type = option.get_type_name();
    if (const std::size_t range = type.find(" in ["); range != std::string::npos)
        type.erase(0, type.substr(0, range).rfind(':') + 1);
    return type.starts_with("INT") || type.starts_with("UINT") || type.starts_with("FLOAT");
}

// Returns the command whose words are being read: the program itself, or one of its commands.
const CLI::App &command_at_hand(const CLI::App &app)
{
    const std::vector<CLI::App *> chosen = app.get_subcommands();
    return chosen.empty() ? app : command_at_hand(*chosen.front());
}

std::vector<std::string> names_of(const std::vector<const CLI::App *> &commands)
{
    std::vector<std::string> names;
    for (const CLI::App *command : commands)
        names.push_back(command->get_name());
    return names;
}

// Throws SetupError for a word that is neither a command nor an option.
[[noreturn]] void refuse_word(const CLI::App &command, const std::string &word)
{
    if (word.starts_with("-")) {
        std::vector<std::string> names;
        for (const CLI::Option *option : command.get_options())
            names.push_back(option->get_single_name());
        const std::string given = word.substr(0, word.find('='));
        const std::string name = given.substr(std::min(given.find_first_not_of('-'), given.size()));
        throw SetupError("there is no option " + given + ": " +
                         suggestion(name, names, "see --help", "--"));
    }
    const std::vector<std::string> commands = names_of(command.get_subcommands({}));
    if (commands.empty())
        throw SetupError("a word is not expected: " + word + ": options begin with --");
    throw SetupError("there is no subcommand \"" + word +
                     "\": " + suggestion(word, commands, "see " + command.get_name() + " --help"));
}

// Throws SetupError, which names all required options that were not given.
[[noreturn]] void refuse_missing(const CLI::App &command, const CLI::RequiredError &error)
{
    std::vector<std::string> missing;
    for (const CLI::Option *option : command.get_options())
        if (option->get_required() && option->count() == 0)
            missing.push_back(option->get_name());
    if (missing.empty())
        throw SetupError(error.what());
    throw SetupError(listed(missing, "and") +
                     (missing.size() == 1 ? " is required" : " are required"));
}

void expect_decimals(CLI::App &app)
{
    // transform() puts the validator before those of ranges.
    for (CLI::Option *option : app.get_options())
        if (takes_number(*option))
            option->transform(CLI::Validator(refuse_octal, ""));
    for (CLI::App *command : app.get_subcommands({}))
        expect_decimals(*command);
}

} // namespace

bool read_arguments(CLI::App &app, int count, const char *const *arguments)
{
    expect_decimals(app);
    lay_out_help(app);
    if (count == 1 && app.get_require_subcommand_min() > 0)
        throw SetupError("a subcommand is required: see " + app.get_name() + " --help");
    try {
        app.parse(count, arguments);
        return true;
    } catch (const CLI::Success &asked) {
        app.exit(asked);
        return false;
    } catch (const CLI::ParseError &error) {
        const CLI::App &command = command_at_hand(app);
        if (const std::vector<std::string> rest = app.remaining(true); !rest.empty())
            refuse_word(command, rest.front());
        if (const auto *required = dynamic_cast<const CLI::RequiredError *>(&error))
            refuse_missing(command, *required);
        throw SetupError(message_of(error));
    }
}

} // namespace dnsgauge
