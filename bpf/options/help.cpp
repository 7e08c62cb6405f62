// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace dnsgauge
{

namespace
{

constexpr std::size_t help_column = 28; // in which the description of an option begins

// Returns `text` in lines of at most `help_width` columns. The first line begins with `first`, all
// others with `indent` blanks.
std::string wrapped(std::string_view first, std::size_t indent, std::string_view text)
{
    std::string lines{first};
    std::size_t column = first.size();
    if (!first.empty() && column + 1 > indent && !text.empty()) {
        lines += "\n";
        column = 0;
    }
    lines += std::string(indent - column, ' ');
    column = indent;
    bool is_line_empty = true;
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        const std::string_view word = text.substr(0, blank);
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
        if (!is_line_empty && column + 1 + word.size() > help_width) {
            lines += "\n" + std::string(indent, ' ');
            column = indent;
            is_line_empty = true;
        }
        if (!is_line_empty) {
            lines += " ";
            column++;
        }
        lines += word;
        column += word.size();
        is_line_empty = false;
    }
    return lines + "\n";
}

std::string help_of(const Options &options, const Option &option)
{
    std::string first = "  ";
    if (!option.is_positional)
        first += "--" + option.name;
    else
        first += option.name + (option.is_repeatable ? "..." : "");
    if (!option.is_positional && !option.access.is_flag)
        first += " " + option.type;
    std::string said = meaning_text(options, option);
    std::string more = option.access.range;
    if (const std::string usual = default_text(option); !usual.empty())
        more += (more.empty() ? "default: " : "; default: ") + usual;
    if (!more.empty())
        said += " (" + more + ")";
    return wrapped(first, help_column, said);
}

void add_section(std::string &text, const std::string &title, const Options &options,
                 const std::function<bool(const Option &)> &belongs)
{
    std::string section;
    for (const Option &option : options)
        if (belongs(option))
            section += help_of(options, option);
    if (!section.empty())
        text += "\n" + title + ":\n" + section;
}

constexpr std::size_t summary_column = 14;

// Returns the subcommands and the options that every program has.
std::string program_text(const Program &program)
{
    std::string text = "\nCommands:\n";
    for (const Command &command : program.commands)
        if (!command.name.empty())
            text += wrapped("  " + command.name, summary_column, command.summary);
    return text + "\nOptions:\n"
                  "  --help      This text; after a command, the command's options\n"
                  "  --version   The program's version\n";
}

std::string statuses_text(const std::vector<ExitMeaning> &statuses)
{
    std::string text = statuses.empty() ? "" : "\nExit status:\n";
    for (const ExitMeaning &one : statuses)
        text += wrapped(fmt::format("  {}", static_cast<int>(one.status)), 5, one.meaning);
    return text;
}

} // namespace

std::string meaning_text(const Options &options, const Option &option)
{
    const std::string instead = stand_ins_text(options, option);
    return option.help + (instead.empty() ? "" : " (or give " + instead + ")");
}

std::string default_text(const Option &option)
{
    if (*option.usual != '\0')
        return option.usual;
    if (option.is_required || option.access.is_flag)
        return {};
    return text_of(option.access.get());
}

std::string help_text(const Options &options)
{
    std::string text;
    add_section(text, "Required", options, [](const Option &option) { return option.is_required; });
    for (const Word<OptionGroup> &group : option_groups)
        add_section(text, group.text, options, [&group](const Option &option) {
            return !option.is_required && option.group == group.value;
        });
    return text;
}

std::string usage_text(const Program &program, const Command &command)
{
    std::string usage = program.name + (command.name.empty() ? "" : " " + command.name);
    usage += " [OPTIONS]";
    for (const Option &option : command.options)
        if (option.is_positional)
            usage += " " + option.name + (option.is_repeatable ? "..." : "");
    return usage;
}

const std::vector<ExitMeaning> &statuses_of(const Program &program, const Command &command)
{
    return command.statuses.empty() ? program.statuses : command.statuses;
}

std::string help_text(const Program &program)
{
    const auto own = std::ranges::find(program.commands, "", &Command::name);
    if (own != program.commands.end())
        return help_text(program, *own);
    return "Usage: " + program.name + " COMMAND [OPTIONS]\n\n" + wrapped("", 0, program.summary) +
           program_text(program) + statuses_text(program.statuses) + "\n\"" + program.name +
           " help COMMAND\" tells more about a command.\n";
}

std::string help_text(const Program &program, const Command &command)
{
    std::string text =
        "Usage: " + usage_text(program, command) + "\n\n" + wrapped("", 0, command.summary);
    text += help_text(command.options);
    if (command.name.empty())
        text += program_text(program);
    if (!command.remarks.empty())
        text += "\n" + wrapped("", 0, command.remarks);
    text += "\nExamples:\n";
    for (const std::string &example : command.examples)
        text += "  " + example + "\n";
    return text + statuses_text(statuses_of(program, command));
}

} // namespace dnsgauge
