// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/option.h"

#include "options/option_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dnsgauge
{

namespace
{

bool is_given(const std::vector<GivenOption> &given, const std::string &name)
{
    return std::any_of(given.begin(), given.end(),
                       [&name](const GivenOption &one) { return one.option == name; });
}

void read_option(const Option &option, const GivenOption &given)
{
    const std::string called = option.is_positional ? option.name : "--" + option.name;
    if (given.text.empty() && !option.access.is_flag)
        throw OptionError({option.name},
                          called + " has no value: give one, or leave the option out");
    try {
        option.access.set(given.text, called);
    } catch (const OptionError &) {
        throw;
    } catch (const SetupError &error) {
        throw OptionError({option.name}, error.what());
    }
}

void check_together(const Options &options, const std::vector<GivenOption> &given)
{
    for (const Option &option : options) {
        if (!is_given(given, option.name)) {
            if (option.is_required)
                throw OptionError({option.name}, (option.is_positional ? "" : "--") + option.name +
                                                     " is required");
            continue;
        }
        for (const std::string &other : option.excludes)
            if (is_given(given, other))
                throw OptionError(
                    {option.name, other},
                    fmt::format("--{} excludes --{}: leave one of them out", option.name, other));
    }
}

} // namespace

void append(Options &options, Options more)
{
    options.insert(options.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

const Option *find_option(const Options &options, const std::string &name)
{
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&name](const Option &one) { return one.name == name; });
    return found == options.end() ? nullptr : &*found;
}

void read_options(const Options &options, const std::vector<GivenOption> &given)
{
    for (std::size_t i = 0; i < given.size(); i++) {
        const Option *option = find_option(options, given[i].option);
        if (option == nullptr)
            throw OptionError({given[i].option},
                              fmt::format("there is no option --{}", given[i].option));
        const bool is_again =
            std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const GivenOption &one) { return one.option == option->name; });
        if (is_again && !option->is_repeatable && !option->access.is_flag)
            throw OptionError({option->name}, "--" + option->name + " is given twice");
        read_option(*option, given[i]);
    }
    check_together(options, given);
}

std::vector<std::string> command_words(const Options &options, const Options &usual)
{
    std::vector<std::string> words;
    for (const Option &option : options) {
        const OptionValue value = option.access.get();
        const Option *other = find_option(usual, option.name);
        if (other != nullptr && value == other->access.get())
            continue;
        for (const std::string &text : texts_of(value)) {
            words.push_back("--" + option.name);
            if (!option.access.is_flag)
                words.push_back(text);
        }
    }
    return words;
}

std::vector<std::pair<std::string, OptionValue>> setup_values(const Options &options)
{
    std::vector<std::pair<std::string, OptionValue>> values;
    for (const Option &option : options)
        if (!option.setup_key.empty())
            values.emplace_back(option.setup_key, option.access.get());
    return values;
}

} // namespace dnsgauge
