// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_plan.h"

#include "experiment/experiment_json.h"
#include "experiment/keys.h"
#include "experiment/placement_control.h"
#include "experiment/server_control.h"
#include "record/json_text.h"
#include "series/search/search.h"
#include "system/counted.h"
#include "system/setup_error.h"
#include "system/shell_command.h"
#include "system/shell_text.h"
#include "system/standard_output.h"
#include "system/unique_fd.h"
#include "system/whole_file.h"
#include "text/figure_text.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <filesystem>
#include <map>
#include <memory>

namespace dnsgauge
{

namespace
{

namespace fs = std::filesystem;

const std::map<TableForm, const char *> endings = {{TableForm::text, "txt"},
                                                   {TableForm::csv, "csv"},
                                                   {TableForm::markdown, "md"},
                                                   {TableForm::latex, "tex"}};

// The servers of the present cell. They start directly before its first trial, because a cell with
// no trial to make needs no servers.
class CellServers
{
public:
    CellServers(const ExperimentPlan &plan, const std::atomic<bool> &stop)
        : plan_(plan), stop_(stop), placement_(plan.experiment, stop)
    {
    }

    // Returns false if it was stopped. Throws SetupError.
    [[nodiscard]] bool before_trial(const PlannedCell &planned, TrialSeries &series)
    {
        const Cell &cell = planned.cell;
        const auto look = [&] {
            if (std::exchange(looked_at_, cell.name) != cell.name) {
                std::filesystem::remove(planned.looks.after); // it belongs to an earlier look
                placement_.look(cell, planned.looks.before);
            }
            return !stop_;
        };
        if (cell.servers.empty())
            return power_cycle(cell) && placement_.place(cell) && look();
        const auto check = [this] {
            for (const auto &server : servers_)
                server->check_alive();
        };
        if (is_up_ && !cell.restart_each_trial) {
            check();
            return true;
        }
        if (!is_up_ && !start(cell))
            return false;
        if (std::exchange(is_up_, true) && (!servers_.back()->end() || !servers_.back()->start()))
            return false;
        return series.wait_until_ready(fmt::format("the start of {}", cell.servers.back().name),
                                       check) &&
               look();
    }

    // Ends the servers. The machine stays placed for the next cell.
    void end()
    {
        is_up_ = false;
        while (!servers_.empty())
            servers_.pop_back();
    }

    // Makes put_back() put the cell's machine back, too: an earlier process may have placed it.
    void take_over(const Cell &cell) { placement_.take_over(cell); }
    // Puts every machine back. Throws SetupError.
    void put_back() { placement_.end(); }
    // Looks at the machine again if the cell's trials began with a look. Throws SetupError.
    void look_again(const PlannedCell &planned) const
    {
        if (looked_at_ == planned.cell.name)
            placement_.look(planned.cell, planned.looks.after);
    }

private:
    [[nodiscard]] bool power_cycle(const Cell &cell)
    {
        if (cell.power_cycle.empty() || cell.power_cycle == powered_)
            return true;
        say("dnsgauge: the DUT is started anew, cores: {}\n", cell.value("cores"));
        if (!run_shell_command(shell_text(cell.power_cycle), plan_.experiment.limits.power_cycle,
                               stop_, "power-cycle-timeout of [run]"))
            return false;
        powered_ = cell.power_cycle;
        placement_.forget();
        return true;
    }

    [[nodiscard]] bool start(const Cell &cell)
    {
        if (!power_cycle(cell) || !placement_.place(cell))
            return false;
        for (const ServerCommands &commands : cell.servers) {
            servers_.push_back(
                std::make_unique<ServerControl>(commands, plan_.experiment.limits, stop_));
            if (prepared_[commands.name] != commands.prepare) {
                if (!servers_.back()->prepare())
                    return false;
                prepared_[commands.name] = commands.prepare;
            }
            if (!servers_.back()->start())
                return false;
        }
        return true;
    }

    const ExperimentPlan &plan_;
    const std::atomic<bool> &stop_;
    PlacementControl placement_;
    std::string looked_at_; // the last cell for which the machine was looked at before the trials
    std::vector<std::unique_ptr<ServerControl>> servers_;
    std::map<std::string, std::vector<std::string>> prepared_; // the last `prepare`, by server
    std::vector<std::string> powered_;                         // the last `power-cycle`
    bool is_up_ = false;
};

UniqueFd take_directory(const std::string &path)
{
    std::error_code error;
    fs::create_directories(path, error);
    UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (error || !directory)
        throw SetupError("cannot use --directory {}: {}", path,
                         error ? error.message() : std::string("it is no directory"));
    if (flock(directory.get(), LOCK_EX | LOCK_NB) != 0)
        throw SetupError("--directory {} is in use: another experiment runs there", path);
    return directory;
}

class ExperimentRun
{
public:
    ExperimentRun(ExperimentPlan &plan, bool resume, const std::atomic<bool> &stop)
        : plan_(plan), stop_(stop), directory_(take_directory(plan.directory)),
          servers_(plan, stop_)
    {
        for (PlannedCell &planned : plan_.cells) {
            const bool has_journal = fs::exists(planned.journal);
            if (has_journal && !resume)
                throw SetupError("there is a journal {} already: go on with --resume, or "
                                 "name another --directory",
                                 planned.journal);
            left_.push_back(trials_of(planned));
            if (plan_.experiment.placement)
                fs::create_directories(fs::path(planned.looks.before).parent_path());
            if (resume)
                servers_.take_over(planned.cell);
            if (!has_journal)
                continue;
            recall(planned);
        }
    }

    [[nodiscard]] ExperimentEnd run(TableForm form)
    {
        bool goes_on = true;
        for (std::size_t i = 0; goes_on && i < plan_.cells.size(); i++) {
            if (left_[i] == 0)
                continue;
            goes_on = run_cell(i);
            write_results();
        }
        write_results();
        print_result(tables(form));
        ExperimentEnd end = ExperimentEnd::complete;
        for (const PlannedCell &planned : plan_.cells) {
            const SearchResult &result = planned.outcome.result;
            if (!planned.outcome.failure.empty()) {
                say("dnsgauge: cell {}: {}\n", planned.cell.name, planned.outcome.failure);
                end = ExperimentEnd::wrong_range;
            }
            if (const std::string more = how_to_find_more(result, planned.request.cover.beyond);
                !more.empty())
                say("dnsgauge: cell {}: {}\n", planned.cell.name, in_keys(more));
            if (!goes_on && result.end == TrialsEnd::invalid_trial)
                say("dnsgauge: cell {}: a trial at {} queries/s is invalid: {}; nothing was "
                    "learned from it: mend that, then go on with --resume\n",
                    planned.cell.name, result.last_trial->rate.per_second,
                    in_keys(result.last_trial->why));
        }
        if (!goes_on && stop_)
            say("dnsgauge: interrupted: go on with --resume\n");
        servers_.put_back();
        return goes_on ? end : ExperimentEnd::incomplete;
    }

private:
    void recall(PlannedCell &planned)
    {
        Journal journal = Journal::resume(planned.journal, planned.header);
        RecalledSearch recalled = recall_search(planned.request.search, journal);
        left_.back() = recalled.left;
        describe(recalled.result, planned.request);
        recalled.result.journal = planned.journal;
        recalled.result.command = planned.words;
        planned.outcome.result = std::move(recalled.result);
        read_looks(planned);
        judge_range(planned);
    }

    [[nodiscard]] Nanoseconds time_left(std::size_t from) const
    {
        Nanoseconds time{};
        for (std::size_t i = from; i < left_.size(); i++)
            time += time_of(plan_.cells[i], left_[i]);
        return time;
    }

    // Returns false if the experiment ends here.
    [[nodiscard]] bool run_cell(std::size_t index)
    {
        PlannedCell &planned = plan_.cells[index];
        say("dnsgauge: cell {} of {}: {}: {} to make; about {} left of all\n", index + 1,
            plan_.cells.size(), planned.cell.name, counted(left_[index], "trial"),
            waiting_text(seconds(time_left(index))));
        SearchResult &result = planned.outcome.result;
        result = search(index);
        servers_.look_again(planned);
        servers_.end();
        read_looks(planned);
        judge_range(planned);
        left_[index] = 0;
        return result.end != TrialsEnd::interrupted && result.end != TrialsEnd::invalid_trial;
    }

    [[nodiscard]] SearchResult search(std::size_t index)
    {
        PlannedCell &planned = plan_.cells[index];
        SearchSurroundings surroundings;
        surroundings.follows_trials = std::exchange(has_searched_, true);
        surroundings.beyond = time_left(index + 1);
        surroundings.before_trial = [&](TrialSeries &series) {
            return servers_.before_trial(planned, series);
        };
        Journal journal = fs::exists(planned.journal)
                              ? Journal::resume(planned.journal, planned.header)
                              : Journal::create(planned.journal, planned.header);
        try {
            SearchResult result = make_search(planned.request, journal, surroundings, stop_);
            result.command = planned.words;
            return result;
        } catch (const SetupError &error) {
            throw SetupError("cell {}: {}", planned.cell.name, in_keys(error.what()));
        }
    }

    static void read_looks(PlannedCell &planned)
    {
        CellOutcome &outcome = planned.outcome;
        outcome.placement = read_cell_placement(planned.looks.before, planned.looks.after);
        if (!outcome.placement)
            return;
        const std::vector<std::string> displaced =
            read_displacements(planned.looks.before, planned.looks.after);
        outcome.is_displaced = !displaced.empty();
        outcome.placement->notes.insert(outcome.placement->notes.end(), displaced.begin(),
                                        displaced.end());
    }

    // Sets the cell's failure if its range is wrong, because no further trial can help.
    void judge_range(PlannedCell &planned) const
    {
        const SearchResult &result = planned.outcome.result;
        if (result.end != TrialsEnd::below_range)
            return;
        const auto setting = planned.cell.settings.find("min-rate");
        const Place place =
            setting == planned.cell.settings.end() ? planned.cell.place : setting->second.place;
        planned.outcome.failure =
            fmt::format("even min-rate {} fails ({}): lower it ({}:{}) and remove {}",
                        result.min_rate.per_second, in_keys(result.last_trial->why), place.file,
                        place.line, planned.journal);
    }

    [[nodiscard]] std::string tables(TableForm form) const
    {
        std::string text;
        for (const Table &table : tables_of(plan_.experiment, plan_.results()))
            text += (text.empty() ? "" : "\n") + render(table, form);
        return text;
    }

    void write_results() const
    {
        for (const auto &[form, ending] : endings)
            WholeFile(fmt::format("{}/tables.{}", plan_.directory, ending), "--directory")
                .commit(tables(form));
        WholeFile(plan_.directory + "/experiment.json", "--directory")
            .commit(json_text(
                written(ExperimentResult{plan_.experiment, plan_.file, plan_.results()})));
    }

    ExperimentPlan &plan_;
    const std::atomic<bool> &stop_;
    UniqueFd directory_; // holds its lock
    CellServers servers_;
    std::vector<std::uint64_t> left_; // trials, trials to make, by cell
    bool has_searched_ = false;
};

} // namespace

ExperimentEnd run_experiment(ExperimentPlan &plan, bool resume, TableForm form,
                             const std::atomic<bool> &stop)
{
    return ExperimentRun(plan, resume, stop).run(form);
}

} // namespace dnsgauge
