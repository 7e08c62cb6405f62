// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge experiment
#include "cli/command.h"
#include "experiment/experiment_plan.h"
#include "options/access.h"
#include "series/interruption.h"
#include "series/progress.h"
#include "series/result_files.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/shell_text.h"
#include "system/standard_output.h"

#include <filesystem>
#include <string>

namespace dnsgauge
{

namespace
{

struct ExperimentArguments {
    std::string file;
    std::string site;
    std::string directory;
    bool plan = false;
    bool resume = false;
    TableForm form = TableForm::text;
    Experimenter experimenter;
};

ExitStatus status_of(ExperimentEnd end)
{
    return end == ExperimentEnd::complete      ? ExitStatus::criterion_met
           : end == ExperimentEnd::wrong_range ? ExitStatus::wrong_input
                                               : ExitStatus::nothing_learned;
}

ExitStatus run(const ExperimentArguments &request, const std::vector<std::string> & /*words*/)
{
    if (!request.plan && request.directory.empty())
        throw SetupError("--directory is needed: name the directory for the journals and tables");
    const std::string directory =
        request.directory.empty()
            ? std::string("DIRECTORY")
            : std::filesystem::weakly_canonical(std::filesystem::absolute(request.directory))
                  .string();
    if (!is_plain_word(directory))
        throw SetupError("--directory {}: only letters, digits and . _ : / , @ % + = - "
                         "may be in its path",
                         directory);
    ExperimentPlan plan =
        plan_experiment(request.file, request.site, directory, request.experimenter);
    if (request.plan) {
        print_result(to_text(plan));
        return ExitStatus::criterion_met;
    }
    if (!request.resume)
        require_trial_capabilities("dnsgauge experiment");
    begin(plan);
    say_notes(notes_on(plan));
    return status_of(run_experiment(plan, request.resume, request.form, catch_interruption()));
}

Options options_of(ExperimentArguments &request)
{
    return {Option("FILE", OptionGroup::other, "",
                   "TOML file of the experiment; share/doc/dnsgauge/tools/experiments has examples",
                   text(request.file), {.is_required = true, .is_positional = true}),
            {"site", OptionGroup::files, "FILE",
             "File with this place's addresses, interfaces and commands, which override the "
             "experiment's",
             text(request.site)},
            {"directory", OptionGroup::files, "DIRECTORY",
             "Directory for the journals of all cells, the files of the servers, and the tables",
             text(request.directory)},
            {"plan", OptionGroup::other, "",
             "Only print the cells, the time, names and memory that they need, and each search's "
             "command line",
             flag(request.plan)},
            {"resume", OptionGroup::other, "", "Go on with the experiment of this directory",
             flag(request.resume)},
            form_option(request.form)};
}

} // namespace

Command experiment_command()
{
    return experiment_command(Experimenter{});
}

Command experiment_command(const Experimenter &experimenter)
{
    return with_arguments(
        {.name = "experiment",
         .summary = "Make a whole table: a search for each cell of a matrix that a file describes",
         .examples = {"dnsgauge experiment table.toml --plan",
                      "dnsgauge experiment table.toml --site here.toml --directory results"},
         .statuses = {{ExitStatus::criterion_met, "all searches are complete"},
                      {ExitStatus::wrong_input,
                       "the command, the file or the environment is wrong, a cell's range of "
                       "rates does not hold the rate that was looked for, or the server's "
                       "machine could not be put back"},
                      {ExitStatus::nothing_learned,
                       "a trial was invalid, or the experiment was interrupted: go on with "
                       "--resume"}}},
        ExperimentArguments{.experimenter = experimenter});
}

} // namespace dnsgauge
