// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/help_layout.h"

#include "userland/wrapped_text.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

// CLI11 joins the type and the ranges: "PERCENT:INT in [0 - 100]".
std::string type_of(const CLI::Option &option)
{
    const std::string type = option.get_type_name();
    const std::string name = type.substr(0, type.find(':'));
    return name == "INT" || name == "UINT" || name == "FLOAT" ? "NUMBER" : name;
}

std::string range_of(const CLI::Option &option)
{
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find("in [");
    const std::size_t end = type.find(']', begin);
    if (begin == std::string::npos || end == std::string::npos)
        return {};
    std::string range = type.substr(begin + 4, end - begin - 4);
    if (const std::size_t between = range.find(" - "); between != std::string::npos)
        range.replace(between, 3, " to ");
    return range;
}

// Returns the default; CLI11 writes an array in brackets.
std::string default_of(const CLI::Option &option)
{
    std::string text = option.get_default_str();
    if (text.starts_with('[') && text.ends_with(']'))
        text = text.substr(1, text.size() - 2);
    return text == "\"\"" ? std::string{} : text;
}

std::string name_of(const CLI::Option &option)
{
    if (option.get_positional())
        return option.get_name(true);
    const std::string name = "--" + option.get_lnames().front();
    const bool is_flag = option.get_items_expected_max() == 0;
    return is_flag ? name : name + " " + type_of(option);
}

std::string line_of(const CLI::Option &option)
{
    std::string said = option.get_description();
    std::string more = range_of(option);
    if (const std::string usual = default_of(option); !usual.empty() && !option.get_required())
        more += (more.empty() ? "default: " : "; default: ") + usual;
    if (!more.empty())
        said += " (" + more + ")";
    return wrapped("  " + name_of(option), help_column, said);
}

class HelpLayout : public CLI::Formatter
{
public:
    std::string make_help(const CLI::App *app, std::string name,
                          CLI::AppFormatMode /*mode*/) const override
    {
        std::string text = make_usage(app, name) + "\n" + wrapped("", 0, app->get_description());
        add_options(text, "Required", *app,
                    [](const CLI::Option *option) { return option->get_required(); });
        const std::vector<std::string> groups = groups_of(*app);
        for (const std::string &group : groups)
            add_options(text, group != rest || groups.size() == 1 ? group : "Other", *app,
                        [&group](const CLI::Option *option) {
                            return !option->get_required() && option->get_group() == group;
                        });
        const std::vector<const CLI::App *> commands = app->get_subcommands({});
        if (!commands.empty())
            text += "\nCommands:\n";
        for (const CLI::App *command : commands)
            text += wrapped("  " + command->get_name(), help_column, command->get_description());
        if (const std::string footer = app->get_footer(); !footer.empty())
            text += "\n" + footer;
        return text;
    }

private:
    static constexpr const char *rest = "Options"; // CLI11's name of the group of all others

    // Returns the groups in the order of their first options, the rest at the end.
    static std::vector<std::string> groups_of(const CLI::App &app)
    {
        std::vector<std::string> groups;
        for (const CLI::Option *option : app.get_options())
            if (const std::string &group = option->get_group();
                !option->get_required() && group != rest &&
                std::ranges::find(groups, group) == groups.end())
                groups.push_back(group);
        groups.emplace_back(rest);
        return groups;
    }

    static void add_options(std::string &text, const std::string &title, const CLI::App &app,
                            const std::function<bool(const CLI::Option *)> &belongs)
    {
        const std::vector<const CLI::Option *> options = app.get_options(belongs);
        if (!options.empty())
            text += "\n" + title + ":\n";
        for (const CLI::Option *option : options)
            text += line_of(*option);
    }
};

} // namespace

void lay_out_help(CLI::App &app)
{
    app.formatter(std::make_shared<HelpLayout>());
    for (CLI::App *command : app.get_subcommands({})) {
        const std::string own = command->get_footer();
        command->footer(own + (own.empty() ? "" : "\n") + app.get_footer());
        lay_out_help(*command);
    }
}

void name_values(CLI::App &app, const std::map<std::string, std::string> &names)
{
    for (CLI::Option *option : app.get_options())
        if (const auto name = names.find(option->get_name());
            name != names.end() && option->get_type_name().starts_with("TEXT"))
            option->type_name(name->second);
    for (CLI::App *command : app.get_subcommands({}))
        name_values(*command, names);
}

void begin_group(CLI::App &app, const std::string &title)
{
    app.option_defaults()->group(title);
}

void show_examples(CLI::App &command, std::initializer_list<const char *> lines)
{
    std::string text = "Examples:\n";
    for (const char *line : lines)
        text += std::string("  ") + line + "\n";
    command.footer(text);
}

} // namespace dnsgauge
