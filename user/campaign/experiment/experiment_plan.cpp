// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_plan.h"

#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment/tables.h"
#include "options/option_error.h"
#include "system/counted.h"
#include "system/setup_error.h"
#include "system/shell_text.h"
#include "text/figure_text.h"
#include "trial/trial_options.h"
#include "units/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr double gib = 1 << 30;

std::vector<GivenOption> given_by(const Cell &cell)
{
    std::vector<GivenOption> given;
    for (const std::string &key : cell.options)
        given.push_back({option_of(key), cell.value(key)});
    return given;
}

// Throws SetupError with the place of the setting that is wrong.
[[noreturn]] void refuse_options(const Cell &cell, const OptionError &error)
{
    const std::string message = in_keys(error.what());
    for (const std::string &option : error.options()) {
        const std::string key = key_of(option);
        if (const auto setting = cell.settings.find(key); setting != cell.settings.end())
            refuse(setting->second.place, "{}{} (cell {})",
                   message.starts_with(key) ? "" : key + ": ", message, cell.name);
    }
    refuse(cell.place, "matrix: {} (cell {})", message, cell.name);
}

SearchRequest request_of(const Cell &cell, const JoinTesters &join)
{
    try {
        if (!join)
            return read_search(given_by(cell), cell.restart_each_trial);
        SearchRequest usual;
        Team team = join(options_of(usual), given_by(cell));
        SearchRequest request = read_search(team.mine, cell.restart_each_trial);
        request.trial.testers = std::move(team.testers);
        request.trial.testers->check_others(request.trial);
        return request;
    } catch (const OptionError &error) {
        refuse_options(cell, error);
    } catch (const SetupError &error) {
        refuse(cell.place, "matrix: {} (cell {})", in_keys(error.what()), cell.name);
    }
}

// Refuses a zone that is too large for the DUT's memory. Call this before the search checks its
// names, because the search's message would not name the file.
void check_memory(const Experiment &experiment, const PlannedCell &planned)
{
    const std::optional<double> &most = experiment.dut.memory_gib;
    if (most && planned.memory_gib > *most)
        refuse(planned.cell.settings.at("names").place,
               "names {}: {} takes about {:.0f} GiB for these names, and memory-gib of "
               "[dut] is {:g} (cell {})",
               planned.cell.value("names"), planned.cell.value("server"), planned.memory_gib, *most,
               planned.cell.name);
}

// Returns the names that the cell's trials may ask for; none if the trials have a list.
NameRange names_of(const PlannedCell &planned)
{
    const auto *names = part_of<ZoneNames>(planned.request.trial.workload);
    return names == nullptr ? ZoneNames{}.names : names->names;
}

double memory_of(const Experiment &experiment, const PlannedCell &planned)
{
    const auto server = experiment.servers.find(planned.cell.value("server"));
    if (server == experiment.servers.end() || !server->second.bytes_per_name)
        return 0;
    return *server->second.bytes_per_name * static_cast<double>(names_of(planned).count) / gib;
}

PlannedCell plan_cell(const Experiment &experiment, const std::string &directory,
                      const JoinTesters &join, Cell cell)
{
    PlannedCell planned;
    planned.journal = fmt::format("{}/{}.jsonl", directory, cell.name);
    planned.looks = {fmt::format("{}/placement/{}.before.json", directory, cell.name),
                     fmt::format("{}/placement/{}.after.json", directory, cell.name)};
    planned.words = cell.search_words(planned.journal);
    planned.request = request_of(cell, join);
    planned.request.between.ready_limit = experiment.limits.ready;
    planned.request.between.ready_limit_name = "ready-timeout of [run]";
    planned.request.scaled_down = experiment.scaled_down;
    planned.request.search.invalid_retries = experiment.limits.invalid_retries;
    planned.cell = std::move(cell);
    const TrialPlan &trial = planned.request.trial;
    const std::optional<FreshNames> &fresh = planned.request.between.fresh_names;
    planned.names_needed = fresh ? fresh->needed() : count_names(trial);
    planned.memory_gib = memory_of(experiment, planned);
    check_memory(experiment, planned);
    planned.outcome.result.end = TrialsEnd::interrupted;
    describe(planned.outcome.result, planned.request);
    return planned;
}

std::string command_text(const std::string &program, const PlannedCell &planned)
{
    return program + " search " + shell_text(planned.words) +
           (planned.cell.restart_each_trial ? "   # the server is started anew before each trial"
                                            : "");
}

} // namespace

ExperimentPlan plan_experiment(const std::string &file, const std::string &site,
                               const std::string &directory, const Experimenter &experimenter)
{
    namespace fs = std::filesystem;
    ConfigValue config = read_config("the experiment", file);
    if (!site.empty())
        merge(config, read_config("--site", site));
    ExperimentPlan plan{
        experimenter.program, file, directory, read_experiment(config, search_option_names()), {}};
    check_layout(plan.experiment);
    const Variables variables = {
        {"bin", fs::read_symlink("/proc/self/exe").parent_path().string()},
        {"here", fs::absolute(fs::path(site.empty() ? file : site)).parent_path().string()}};
    for (Cell &cell : cells_of(plan.experiment, directory, variables))
        plan.cells.push_back(
            plan_cell(plan.experiment, directory, experimenter.join, std::move(cell)));
    return plan;
}

void begin(ExperimentPlan &plan)
{
    for (PlannedCell &planned : plan.cells) {
        try {
            require_selftest(planned.request);
            planned.header = journal_header(planned.request);
        } catch (const SetupError &error) {
            throw SetupError("cell {}: {}", planned.cell.name, in_keys(error.what()));
        }
        planned.outcome.result.caveats = caveats_of(planned.request);
        planned.header["experiment"] = written(CellHeader{plan.experiment, planned.cell});
    }
}

std::uint64_t trials_of(const PlannedCell &cell)
{
    return Repetitions(cell.request.search).trials_left();
}

Nanoseconds time_of(const PlannedCell &cell, std::uint64_t trials)
{
    return trial_time(cell.request) * static_cast<std::int64_t>(trials);
}

std::vector<std::string> notes_on(const ExperimentPlan &plan)
{
    std::vector<std::string> notes;
    for (const PlannedCell &planned : plan.cells)
        for (std::string &note : notes_on(planned.request.trial))
            if (std::find(notes.begin(), notes.end(), note) == notes.end())
                notes.push_back(std::move(note));
    return notes;
}

std::string to_text(const ExperimentPlan &plan)
{
    Nanoseconds whole{};
    Table table{.heads = {{"Cell", "Rates (qps)", "Trials", "Time", "Names needed", "Names",
                           "Memory (GiB)"}}};
    for (const PlannedCell &planned : plan.cells) {
        const SearchPlan &search = planned.request.search;
        const Nanoseconds time = time_of(planned, trials_of(planned));
        whole += time;
        table.rows.push_back(
            {planned.cell.name,
             fmt::format("{}-{}", search.range.min.per_second, search.range.max.per_second),
             fmt::format("{}", trials_of(planned)), waiting_text(seconds(time)),
             fmt::format("{}", planned.names_needed), fmt::format("{}", names_of(planned).count),
             planned.memory_gib == 0 ? "" : fmt::format("{:.1f}", planned.memory_gib)});
    }
    std::string text = plan.experiment.title + "\n";
    if (!plan.experiment.paper.empty())
        text +=
            fmt::format("reproduces {}{}\n", plan.experiment.paper,
                        plan.experiment.table.empty() ? "" : ", Table " + plan.experiment.table);
    for (const std::string &label : labels_of(plan.experiment, plan.results()))
        text += fmt::format("{}\n", label);
    for (const std::string &note : notes_on(plan))
        text += fmt::format("note: {}\n", note);
    text += fmt::format("{}, about {}, without the servers' start\n\n",
                        counted(plan.cells.size(), "cell"), waiting_text(seconds(whole)));
    text += render(table, TableForm::text) + "\n";
    for (const PlannedCell &planned : plan.cells) {
        if (!planned.cell.placement.empty())
            text += fmt::format(
                "{} {}\n", shell_text(planned.cell.placement_command),
                shell_text(planned.cell.apply_words(plan.experiment.placement->interface)));
        text += command_text(plan.program, planned) + "\n";
    }
    return text;
}

} // namespace dnsgauge
