// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/help.h"

#include <functional>

namespace dnsgauge
{

namespace
{

std::string help_of(const Option &option)
{
    std::string first = "  ";
    if (!option.is_positional)
        first += "--" + option.name;
    else
        first += option.name + (option.is_repeatable ? "..." : "");
    if (!option.is_positional && !option.access.is_flag)
        first += " " + option.type;
    std::string said = option.help;
    if (const std::string usual = default_text(option); !usual.empty())
        said += " (default: " + usual + ")";
    return wrapped(first, help_column, said);
}

void add_section(std::string &text, const std::string &title, const Options &options,
                 const std::function<bool(const Option &)> &belongs)
{
    std::string section;
    for (const Option &option : options)
        if (belongs(option))
            section += help_of(option);
    if (!section.empty())
        text += "\n" + title + ":\n" + section;
}

} // namespace

std::string default_text(const Option &option)
{
    if (!option.usual.empty())
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

} // namespace dnsgauge
