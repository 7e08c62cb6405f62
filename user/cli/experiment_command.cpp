// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/experiment_command.h"

#include "cli/interruption.h"
#include "cli/search_command.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "experiment/experiment_plan.h"
#include "experiment/experiment_run.h"
#include "experiment/substitution.h"
#include "host/skeleton.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace dnsgauge
{

namespace
{

const std::map<std::string, TableForm> forms = {{"text", TableForm::text},
                                                {"csv", TableForm::csv},
                                                {"markdown", TableForm::markdown},
                                                {"latex", TableForm::latex}};

struct Options {
    std::string file;
    std::string site;
    std::string directory;
    bool plan = false;
    bool resume = false;
    std::string form = "text";
};

ExitStatus status_of(ExperimentEnd end)
{
    switch (end) {
    case ExperimentEnd::complete:
        return ExitStatus::criterion_met;
    case ExperimentEnd::wrong_range:
        return ExitStatus::wrong_input;
    case ExperimentEnd::incomplete:
        break;
    }
    return ExitStatus::nothing_learned;
}

ExitStatus run(const Options &options)
{
    set_libbpf_verbosity(false);
    if (!options.plan && options.directory.empty())
        throw SetupError("--directory is needed: where the journals and tables go");
    const std::string directory =
        options.directory.empty()
            ? std::string("DIRECTORY")
            : std::filesystem::weakly_canonical(std::filesystem::absolute(options.directory))
                  .string();
    if (!is_plain(directory))
        throw SetupError(fmt::format("--directory {}: only letters, digits and . _ : / , @ % + = - "
                                     "may be in its path",
                                     directory));
    ExperimentPlan plan = plan_experiment(options.file, options.site, directory,
                                          {search_option_names(), read_search});
    if (options.plan) {
        print_result(to_text(plan));
        return ExitStatus::criterion_met;
    }
    begin(plan);
    print_notes(notes_on(plan));
    return status_of(
        run_experiment(plan, options.resume, forms.at(options.form), catch_interruption()));
}

} // namespace

void add_experiment_command(CLI::App &app, Command &chosen)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "experiment",
        "Make a whole table: a search for each cell of a matrix that a file describes");
    command->add_option("FILE", options->file, "The experiment (TOML); see tools/experiments")
        ->required();
    command
        ->add_option("--site", options->site,
                     "A file that is put over it: addresses, interfaces, commands of this place")
        ->type_name("FILE");
    command
        ->add_option("--directory", options->directory,
                     "Where a journal for each cell, what the servers need, and the tables go")
        ->type_name("DIRECTORY");
    command->add_flag("--plan", options->plan,
                      "Only print the cells, the time, names and memory they take, and the command "
                      "line of each search");
    command->add_flag("--resume", options->resume, "Go on with the experiment of this directory");
    command
        ->add_option("--form", options->form, "How tables are printed: text, csv, markdown, latex")
        ->check(CLI::IsMember(forms))
        ->type_name("FORM")
        ->capture_default_str();
    command->callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace dnsgauge
