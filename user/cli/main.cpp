// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/calibrate_command.h"
#include "cli/compare_command.h"
#include "cli/doctor_command.h"
#include "cli/empty_values.h"
#include "cli/exit_status.h"
#include "cli/experiment_command.h"
#include "cli/search_command.h"
#include "cli/selftest_command.h"
#include "cli/trial_command.h"
#include "common/decimal_option.h"
#include "common/inheritance.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "common/version.h"

#include <CLI/CLI.hpp>
#include <bpf/libbpf.h>

#include <exception>
#include <string>
#include <vector>

namespace dnsgauge
{

namespace
{

ExitStatus run(int count, char **arguments)
{
    const std::vector<std::string> words(arguments, arguments + count);
    CLI::App app{"Measures DNS servers at rates that sockets cannot reach, and checks every answer",
                 "dnsgauge"};
    app.set_version_flag("--version", version_text("dnsgauge", libbpf_version_string()));
    app.require_subcommand(1);
    app.footer("Exit status: 0 the criterion was met, 1 the server did not meet it, 2 the command "
               "or\nthe environment is wrong, 3 nothing was learned about the server.");
    Command chosen;
    add_trial_command(app, words, chosen);
    add_search_command(app, words, chosen);
    add_selftest_command(app, words, chosen);
    add_calibrate_command(app, words, chosen);
    add_experiment_command(app, chosen);
    add_compare_command(app, chosen);
    add_doctor_command(app, chosen);

    expect_decimals(app);
    refuse_empty_values(words);
    try {
        app.parse(count, arguments);
    } catch (const CLI::Success &help) {
        app.exit(help);
        return ExitStatus::criterion_met;
    } catch (const CLI::ParseError &error) {
        say("dnsgauge: {} (see dnsgauge --help)\n", one_line(error.what()));
        return ExitStatus::wrong_input;
    }
    for (const CLI::App *command : app.get_subcommands())
        refuse_empty_values(*command);
    return chosen();
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    dnsgauge::put_inheritance_right();
    try {
        const dnsgauge::ExitStatus status = dnsgauge::run(count, arguments);
        dnsgauge::check_standard_output();
        return static_cast<int>(status);
    } catch (const std::exception &error) {
        dnsgauge::say("dnsgauge: {}\n", error.what());
        return static_cast<int>(dnsgauge::ExitStatus::wrong_input);
    }
}
