// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/option.h"

#include "options/option_error.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <span>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr const char *excluded = "--{} excludes --{}: leave one of them out";

bool is_given(const std::vector<GivenOption> &given, const std::string &name)
{
    return std::any_of(given.begin(), given.end(),
                       [&name](const GivenOption &one) { return one.option == name; });
}

std::string called(const Option &option)
{
    return (option.is_positional ? "" : "--") + option.name;
}

void read_option(const Option &option, const GivenOption &given)
{
    const std::string name = given.place.empty() ? called(option) : given.place;
    if (given.text.empty() && !may_lack_text(option))
        throw OptionError({option.name}, name + " has no value: give one, or leave the option out");
    try {
        option.access.set(given.text, name);
    } catch (const OptionError &) {
        throw;
    } catch (const SetupError &error) {
        throw OptionError({option.name}, error.what());
    }
}

// Returns the names without the nulls after them.
std::vector<std::string> listed_in(std::span<const char *const> names)
{
    return {names.begin(), std::ranges::find(names, nullptr)};
}

// Returns "--a and --b are required; --c is required, unless --d is given"; empty if none is
// missing. Adds the names to `missing`, and after them the names of what may be given instead.
std::string say_missing(const Options &options, const std::vector<GivenOption> &given,
                        std::vector<std::string> &missing)
{
    std::vector<std::string> plain;
    std::vector<std::string> instead;
    std::string with_stand_ins;
    for (const Option &option : options) {
        const std::vector<std::string> stand_ins = listed_in(option.stand_ins);
        const auto stands_in = [&](const std::string &other) { return is_given(given, other); };
        if (!option.is_required || is_given(given, option.name) ||
            std::ranges::any_of(stand_ins, stands_in))
            continue;
        missing.push_back(option.name);
        if (const std::string others = stand_ins_text(options, option); others.empty()) {
            plain.push_back(called(option));
        } else {
            with_stand_ins +=
                fmt::format("; {} is required, unless {} is given", called(option), others);
            std::ranges::copy_if(
                stand_ins, std::back_inserter(instead),
                [&](const std::string &other) { return find_option(options, other) != nullptr; });
        }
    }
    missing.insert(missing.end(), instead.begin(), instead.end());
    if (plain.empty())
        return with_stand_ins.empty() ? "" : with_stand_ins.substr(2);
    return fmt::format("{} {} required{}", listed(plain, "and"), plain.size() == 1 ? "is" : "are",
                       with_stand_ins);
}

// Throws OptionError if no source was given to which `option` belongs, though the table has one.
void check_source(const Options &options, const Option &option,
                  const std::vector<GivenOption> &given)
{
    std::vector<std::string> named{option.name};
    std::vector<std::string> instead;
    std::vector<std::string> sources;
    const Option *first = nullptr;
    for (const Option &other : options) {
        if (!other.chooses_source || !belongs_to(option, other))
            continue;
        if (is_given(given, other.name))
            return;
        if (first == nullptr)
            first = &other;
        // Whoever gives the first may still choose this narrower source.
        if (belongs_to(*first, other) && !belongs_to(other, *first))
            continue;
        named.push_back(other.name);
        instead.push_back(called(other));
        sources.push_back(other.access.sources.front());
    }
    if (!option.access.sources.empty() && !instead.empty())
        throw OptionError(std::move(named), "--{} belongs to {}: give {}, or leave --{} out",
                          option.name, listed(each_once(sources), "or"), listed(instead, "or"),
                          option.name);
}

// Throws OptionError if the option has no source in common with a source that was given.
void check_shared(const Options &options, const Option &option,
                  const std::vector<GivenOption> &given)
{
    const std::vector<std::string> &own = option.access.sources;
    for (const Option &other : options)
        if (!own.empty() && other.chooses_source && is_given(given, other.name) &&
            std::ranges::find_first_of(own, other.access.sources) == own.end())
            throw OptionError({other.name, option.name}, excluded, other.name, option.name);
}

// Throws OptionError if `option` belongs to another value than an option of the table has.
void check_choice(const Options &options, const Option &option)
{
    const OptionChoice &choice = option.only_with;
    const Option *other = find_option(options, choice.option);
    if (other == nullptr)
        return;
    const std::string text = text_of(other->access.get());
    std::vector<std::string> texts = listed_in(choice.other_texts);
    texts.insert(texts.begin(), choice.text);
    if (std::ranges::find(texts, text) == texts.end())
        throw OptionError({option.name, choice.option},
                          "--{} belongs to --{} {}: give that, or leave --{} out", option.name,
                          choice.option, listed(texts, "or"), option.name);
}

void check_together(const Options &options, const std::vector<GivenOption> &given)
{
    std::vector<std::string> missing;
    if (const std::string said = say_missing(options, given, missing); !said.empty())
        throw OptionError(std::move(missing), said);
    for (const Option &option : options) {
        if (!is_given(given, option.name))
            continue;
        for (const std::string &other : listed_in(option.excludes))
            if (is_given(given, other))
                throw OptionError({option.name, other}, excluded, option.name, other);
        for (const std::string &other : listed_in(option.needs))
            if (!is_given(given, other))
                throw OptionError({other, option.name}, "--{} needs --{}: give both", option.name,
                                  other);
        check_source(options, option, given);
        check_shared(options, option, given);
        check_choice(options, option);
    }
}

struct TextOf {
    std::string operator()(std::monostate /*none*/) const { return {}; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::uint64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const
    {
        std::array<char, 32> text{};
        const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
        return {text.data(), written.ptr};
    }
    std::string operator()(const std::string &value) const { return value; }
    std::string operator()(const std::vector<unsigned> &cpus) const { return join(cpus, ","); }
    std::string operator()(const std::vector<std::string> &texts) const { return join(texts, ","); }
};

} // namespace

Option::Option(std::string_view its_name, OptionGroup its_group, std::string_view its_type,
               std::string_view its_help, OptionAccess its_access, const OptionForm &form)
    : OptionForm(form), name(its_name), group(its_group), type(its_type), help(its_help),
      access(std::move(its_access))
{
}

Option::Option(std::string_view its_name, OptionAccess its_access, const OptionForm &form)
    : Option(its_name, OptionGroup::other, {}, {}, std::move(its_access), form)
{
}

std::string text_of(const OptionValue &value)
{
    return std::visit(TextOf{}, value);
}

std::vector<std::string> texts_of(const OptionValue &value)
{
    if (const auto *texts = std::get_if<std::vector<std::string>>(&value))
        return *texts;
    return {text_of(value)};
}

bool belongs_to(const Option &option, const Option &chooser)
{
    const std::vector<std::string> &own = option.access.sources;
    return own.empty() || std::ranges::find(own, chooser.access.sources.front()) != own.end();
}

bool may_lack_text(const Option &option)
{
    return option.access.is_flag || option.type.starts_with('[');
}

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

std::string nearest_option(const Options &options, const std::string &name)
{
    std::vector<std::string> names;
    for (const Option &option : options)
        names.push_back(option.name);
    return nearest(name, names);
}

std::string stand_ins_text(const Options &options, const Option &option)
{
    std::vector<std::string> names;
    for (const std::string &other : listed_in(option.stand_ins))
        if (const Option *row = find_option(options, other); row != nullptr)
            names.push_back(called(*row));
    return listed(names, "or");
}

void read_values(const Options &options, const std::vector<GivenOption> &given)
{
    for (std::size_t i = 0; i < given.size(); i++) {
        const Option *option = find_option(options, given[i].option);
        if (option == nullptr)
            throw OptionError({given[i].option}, "there is no option --{}", given[i].option);
        const bool is_again =
            std::any_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(i),
                        [&](const GivenOption &one) { return one.option == option->name; });
        if (is_again && !option->is_repeatable && !option->access.is_flag)
            throw OptionError({option->name}, "--" + option->name + " is given twice");
        read_option(*option, given[i]);
    }
}

void read_options(const Options &options, const std::vector<GivenOption> &given)
{
    read_values(options, given);
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
        if (*option.setup_key != '\0')
            values.emplace_back(option.setup_key, option.access.get());
    return values;
}

} // namespace dnsgauge
