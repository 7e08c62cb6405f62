// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/command_line.h"

#include "options/option_error.h"
#include "system/setup_error.h"

#include <CLI/CLI.hpp>

namespace dnsgauge
{

namespace
{

// Refuses "--timeout=": the library would take the next word as its value.
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
        throw SetupError("\"{}\" is not expected here: options begin with --", word);
    const std::string name = word.substr(2, word.find('=') - 2);
    const std::string meant = nearest_option(options, name);
    throw OptionError({name}, "there is no option --{}{}", name,
                      meant.empty() ? "" : ": did you mean --" + meant + "?");
}

CLI::Option *add(CLI::App &app, const Option &option)
{
    if (option.is_positional && option.is_repeatable)
        return app.add_option(option.name)->expected(1, -1)->allow_extra_args(); // -1: no limit
    if (option.is_positional)
        return app.add_option(option.name)->expected(1);
    if (option.access.is_flag)
        return app.add_flag("--" + option.name);
    if (may_lack_text(option))
        return app.add_option("--" + option.name)->expected(0, 1);
    if (option.is_repeatable)
        return app.add_option("--" + option.name)
            ->expected(1, -1)
            ->allow_extra_args(option.type.ends_with("..."));
    return app.add_option("--" + option.name)->expected(1);
}

// Returns the library's own words, except for an option that lacks its value or is given twice.
std::string message_of(const CLI::ParseError &error)
{
    // "--rate: 1 required TEXT missing", or "--rate: At Most 1 required but received 2".
    const std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) == nullptr)
        return text;
    const std::string option = text.substr(0, text.find(':'));
    if (text.ends_with(" missing"))
        return option + " needs a value";
    if (text.find("At Most 1 required") != std::string::npos)
        return option + " is given more than once";
    return text;
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

} // namespace dnsgauge
