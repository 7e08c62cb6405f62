// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/command_arguments.h"

#include "common/help_layout.h"
#include "common/number_text.h"
#include "common/setup_error.h"

#include <CLI/CLI.hpp>

#include <string>

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
        throw SetupError(error.what());
    }
}

} // namespace dnsgauge
