// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/soak/soak.h"

#include "machine/server_processes.h"
#include "options/option_error.h"
#include "record/fields.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/record_file.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr double hours_most = 10'000; // more than a year
constexpr double hours_least = 0.0001;
constexpr double row_most = 3'600; // seconds
constexpr double seconds_per_hour = 3'600;

// The journal has the rate itself, so the options that it came from are not in the journal.
Options load_options(SoakRequest &request)
{
    static const std::string usual_percent = fmt::format("{:g}", SoakRequest::usual_percent);
    return {Option("rate", OptionGroup::rates, "QPS", "Queries per second", rate(request.rate),
                   {.is_required = true, .stand_ins = {"search"}, .excludes = {"search"}}),
            Option("search", OptionGroup::rates, "FILE",
                   "Take --percent of the rate in this file, which dnsgauge search --json wrote",
                   text(request.from), {.is_in_journal = false}),
            Option("percent", OptionGroup::rates, "PERCENT",
                   "Percent of the rate that the search found, with --search",
                   number(request.percent, 0.1, 1000),
                   {.usual = usual_percent.c_str(), .excludes = {"rate"}, .is_in_journal = false}),
            {"hours", OptionGroup::rates, "HOURS",
             "Hours for which queries are sent, without the time between rows",
             number(request.hours, hours_least, hours_most)},
            {"row", OptionGroup::rates, "SECONDS", "Seconds of a row, for which queries are sent",
             time(request.trial.duration, row_most)},
            invalid_retries_option(request.soak.invalid_retries)};
}

void find_rate(SoakRequest &request)
{
    if (!request.from)
        return;
    const FoundRate found = read_found_rate(*request.from);
    if (const std::string server = servers_text({}, request.trial); found.server != server)
        throw OptionError({"search", "server"},
                          "--search {}: the search was of {}, and --server is {}: give "
                          "the result of a search of this server, or --rate",
                          *request.from, found.server, server);
    constexpr double all = 100;
    const double percent = request.part_percent();
    const double part = std::floor(static_cast<double>(found.rate.per_second) * percent / all);
    if (part < 1)
        throw OptionError({"percent", "search"},
                          "--percent {:g} of {} queries/s is less than one: give more", percent,
                          found.rate.per_second);
    request.rate = Rate{static_cast<std::uint64_t>(part)};
}

// Makes the rows, all at one rate, and another row for each invalid one.
class SoakRows : public Strategy
{
public:
    explicit SoakRows(const SoakPlan &plan) : plan_(plan) {}

    [[nodiscard]] std::optional<SearchTurn> next() const override
    {
        if (made_ == plan_.rows)
            return std::nullopt;
        return SearchTurn{1, number_, plan_.rate};
    }
    void feed(const TrialSummary &row) override
    {
        number_++;
        made_ += row.verdict != Verdict::invalid;
    }
    [[nodiscard]] TrialsLeft left() const override { return {plan_.rows - made_}; }
    // Even if the server's host is gone, the soak tells of the rows so far.
    [[nodiscard]] bool survives_errors() const override { return true; }
    void read(TrialSummary &row, const Json & /*whole*/) override
    {
        row.processes = std::exchange(processes_, {});
    }
    bool take(const std::string &kind, const Json &record) override
    {
        if (kind != "memory")
            return false;
        has(read_list<ProcessMemory>(record.at("processes")));
        return true;
    }
    // Takes the server's processes after the row that is fed next.
    void has(std::vector<ProcessMemory> processes) { processes_ = std::move(processes); }

private:
    SoakPlan plan_;
    unsigned number_ = 1;                  // of the next row
    std::uint64_t made_ = 0;               // without invalid rows
    std::vector<ProcessMemory> processes_; // after the row that is fed next
};

Columns<TrialSummary> row_columns()
{
    using Row = TrialSummary;
    return trial_columns(
        {{"memory_octets", "memory",
          "octets of all processes of the server after the row, in memory or swapped out; null: "
          "no process of the server is known on this machine",
          value_of<&Row::memory>},
         {"processes", "",
          "the server's processes after the row, if it runs on the Tester's machine",
          list_of<&Row::processes>}});
}

std::string cell_of(const char *key, const TrialSummary &row)
{
    const Column<TrialSummary> column = chosen(row_columns(), {key}).front();
    return column.cell(column.value(row));
}

std::string caption_of(const SoakResult &result)
{
    const auto made = static_cast<std::uint64_t>(std::ranges::count_if(
        result.rows, [](const TrialSummary &row) { return row.verdict != Verdict::invalid; }));
    const std::string from = result.rate_from.empty() ? "" : fmt::format(" ({})", result.rate_from);
    return fmt::format("Soak of {} at {} queries/s{}: {} of {} rows of {:g} s, timeout {:g} s",
                       result.server, result.plan.rate.per_second, from, made, result.plan.rows,
                       seconds(result.duration), seconds(result.timeout));
}

// Says in which row most queries were lost.
std::string loss_note(const SoakResult &result)
{
    const auto loss = [](const TrialSummary &row) {
        return row.verdict == Verdict::invalid ? -1 : row.loss_percent();
    };
    const auto worst = std::ranges::max_element(result.rows, {}, loss);
    if (worst == result.rows.end() || loss(*worst) < 0)
        return "No row tells anything about the server";
    if (loss(*worst) == 0)
        return "Every query was answered right and in time";
    return fmt::format("Greatest loss: row {}, {} %, {} of {} queries",
                       worst - result.rows.begin() + 1, cell_of("loss_percent", *worst),
                       worst->sent - worst->valid, worst->sent);
}

std::string memory_note(const SoakResult &result)
{
    std::vector<TrialSummary> rows = result.rows;
    std::erase_if(rows, [](const TrialSummary &row) { return !row.memory(); });
    if (rows.empty())
        return "Memory: no process of the server was found on this machine";
    const auto largest = std::ranges::max_element(rows, {}, &TrialSummary::memory);
    return fmt::format("Memory of {}: {} after the first row, {} after the last, {} at most",
                       joined(rows.back().processes,
                              [](const ProcessMemory &one) {
                                  return fmt::format("{} ({})", one.name, one.process);
                              }),
                       cell_of("memory_octets", rows.front()),
                       cell_of("memory_octets", rows.back()), cell_of("memory_octets", *largest));
}

std::vector<std::string> notes_of(const SoakResult &result)
{
    std::vector<std::string> notes = {loss_note(result), memory_note(result)};
    for (const std::uint64_t number : rows_with_new_processes(result))
        notes.push_back(
            fmt::format("After row {} the server had other processes than before", number));
    for (std::size_t i = 0; i < result.rows.size(); i++)
        if (result.rows[i].verdict == Verdict::invalid)
            notes.push_back(fmt::format("Row {} is invalid and counts in no sum: {}", i + 1,
                                        result.rows[i].why));
    std::ranges::copy(series_notes(result, false), std::back_inserter(notes));
    return notes;
}

// Returns what a binary search found.
std::optional<std::uint64_t> rate_of_search(const Json &search)
{
    if (const Json &least = search.at("at_least"); !least.is_null())
        return whole_number(least);
    const Json &median = search.at("statistics").at("median");
    return median.is_null() ? std::nullopt
                            : std::optional(static_cast<std::uint64_t>(median.get<double>()));
}

// Returns what a search for several loss ratios found. Its goals begin with the lowest ratio.
std::optional<std::uint64_t> rate_of_loss_search(const Json &search)
{
    for (const Json &goal : search.at("goals"))
        if (const Json &lower = goal.at("lower_bound"); !lower.is_null())
            return whole_number(lower);
    return std::nullopt;
}

} // namespace

FoundRate read_found_rate(const std::string &file)
{
    const Json read = read_json_file(file);
    try {
        const Json search = as_series(read);
        const std::string kind = series_kind(search);
        std::optional<std::uint64_t> rate;
        if (kind == "search")
            rate = rate_of_search(search);
        else if (kind == "loss-search")
            rate = rate_of_loss_search(search);
        else
            throw SetupError("{}: its schema is {}: name a file that dnsgauge search --json wrote",
                             file, plain_text(read.at("schema")));
        if (!rate || *rate == 0)
            throw SetupError("{}: the search found no rate that the server keeps: give --rate",
                             file);
        return {Rate{*rate}, plain_text(search.at("server"))};
    } catch (const Json::exception &error) {
        throw SetupError(
            "{}: it is no result of a search ({}): name a file that dnsgauge search --json wrote",
            file, error.what());
    }
}

Options options_of(SoakRequest &request)
{
    Options options = load_options(request);
    Options series = series_options(request);
    // --row is the duration of a trial.
    std::erase_if(series, [](const Option &option) { return option.name == "duration"; });
    append(options, series);
    return options;
}

void complete(SoakRequest &request)
{
    find_rate(request);
    SoakPlan &plan = request.soak;
    plan.rate = *request.rate;
    if (queries_in(plan.rate, request.trial.duration) == 0)
        throw OptionError({"rate", "row"},
                          "--rate times --row is less than one query: raise one of them");
    const double rows =
        std::ceil(request.hours * seconds_per_hour / seconds(request.trial.duration) - 1e-9);
    plan.rows = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rows));
    // With --fresh-names invalid rows need names of their own, too.
    complete(request, plan.rate, plan.rate, plan.rows + plan.invalid_retries, false);
}

SoakResult run_soak(const SoakPlan &plan, Journal &journal, const TrialRunner &run,
                    const ReadMemory &memory)
{
    SoakRows rows(plan);
    // The journal gets the memory before its row. If a crash comes between, the next record of
    // memory replaces this one.
    const TrialRunner run_row = [&](const SearchPlace &place) {
        std::optional<TrialResult> trial = run(place);
        if (trial) {
            const std::vector<ProcessMemory> processes = memory();
            journal.append({{"record", "memory"}, {"processes", written(processes)}});
            rows.has(processes);
        }
        return trial;
    };
    return {run_series(rows, journal, run_row, "soak", plan.invalid_retries), plan, {}};
}

static SoakResult run_series(const SoakRequest &request, Journal &journal, const TrialRunner &run)
{
    SoakResult result = run_soak(request.soak, journal, run, [&request] {
        return server_memory({.address = request.trial.server,
                              .port = request.trial.server_port,
                              .is_tcp = is_over_tcp(request.trial.transport)},
                             request.trial.interface);
    });
    if (request.from)
        result.rate_from = fmt::format("{:g} % of {}", request.part_percent(), *request.from);
    return result;
}

static ProgressWords words_of(const SoakRequest & /*request*/)
{
    return {.series = "soak", .trial = "row", .outcome = answered_text};
}

TrialSummary total_of(const SoakResult &result)
{
    TrialSummary total;
    total.verdict = Verdict::invalid;
    for (const TrialSummary &row : result.rows) {
        if (row.verdict == Verdict::invalid)
            continue;
        if (total.verdict != Verdict::fail)
            total.verdict = row.verdict;
        total.sent += row.sent;
        total.valid += row.valid;
        total.late += row.late;
        total.invalid += row.invalid;
        total.lost += row.lost;
    }
    return total;
}

std::vector<std::uint64_t> rows_with_new_processes(const SoakResult &result)
{
    std::vector<std::uint64_t> found;
    for (std::size_t i = 1; i < result.rows.size(); i++) {
        const auto &before = result.rows[i - 1].processes;
        const auto &now = result.rows[i].processes;
        if (!std::ranges::equal(before, now, {}, &ProcessMemory::process, &ProcessMemory::process))
            found.push_back(i + 1);
    }
    return found;
}

void fields(Fields &row, ProcessMemory &process)
{
    row("process", process.process, "the process' ID", {.least = 1});
    row("name", process.name, "the process' name");
    row("memory_octets", process.octets,
        "octets in memory or swapped out; of memory that several processes share, a part");
}

static void total_rows(Fields &row, TrialSummary &total)
{
    for (const Column<TrialSummary> &column :
         chosen(row_columns(), {"sent", "answered", "late", "invalid", "lost", "loss_percent"}))
        column.told(row, total);
}

void fields(Fields &row, SoakResult &result)
{
    begin_rows(row, "soak", "one rate for hours", result);
    row.made("rate", result.plan.rate, "queries per second");
    row("rate_from", result.rate_from,
        "what the rate is a part of: the percentage, and the file with a search's result; null: "
        "the rate was given",
        {.is_null = result.rate_from.empty()});
    row("rows_wanted", result.plan.rows, "rows that were asked for");
    common_rows(row, result, {.duration = {}, .accept = {}});
    TrialSummary total = total_of(result);
    row.group<total_rows>("total", total, "the sums of all rows that are not invalid");
    row.made("rows_with_new_processes", rows_with_new_processes(result),
             "the numbers of rows, from 1, in which the server's processes changed, as a restart "
             "changes them");
    end_rows(row, result, row_columns(), {"started", "verdict", "memory_octets", "processes"});
}

std::string to_text(const SoakResult &result, TableForm form)
{
    const Columns<TrialSummary> columns =
        chosen(row_columns(), {"started", "verdict", "sent", "answered", "late", "invalid", "lost",
                               "loss_percent", "rtt_p50_ns", "rtt_p99_ns", "memory_octets"});
    Table table = rows_table(result.rows, columns, form);
    if (form == TableForm::csv)
        return render(table, form);
    number_rows(table, "row");
    constexpr std::size_t summed = 8; // columns; a sum has no RTT and no memory
    table.rows.push_back({"all"});
    for (std::size_t i = 0; i < summed; i++)
        table.rows.back().push_back(columns[i].cell(columns[i].value(total_of(result))));
    table.caption = caption_of(result);
    table.notes = notes_of(result);
    return render(table, form);
}

static ExitStatus status_of(const SoakRequest & /*request*/, const SoakResult &result)
{
    if (!result.error.empty()) {
        say("dnsgauge: {}; the rows so far are kept: mend that, then go on with --resume\n",
            result.error);
        return ExitStatus::wrong_input;
    }
    const ExitStatus status = status_of(result.end, result, "a lower --rate");
    return status == ExitStatus::criterion_met && total_of(result).verdict == Verdict::fail
               ? ExitStatus::criterion_not_met
               : status;
}

static ExitStatus run_command(SoakRequest &request, const SeriesFiles &files,
                              const std::string &name, const std::vector<std::string> &words)
{
    check_files({{"--json", files.json}, {"--search", request.from}});
    return run_command<SoakRequest>(request, files, name, words);
}

Command soak_command(std::shared_ptr<Testers> testers)
{
    return series_command(
        {.name = "soak",
         .summary = "Tell over hours what a server loses, and how much memory it takes",
         .examples = {"dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --rate 100k --hours 24 --journal soak.jsonl --json soak.json",
                      "dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --search search.json --percent 80 --journal soak.jsonl --form csv"},
         .statuses = {{ExitStatus::criterion_met, "every row passed"},
                      {ExitStatus::criterion_not_met,
                       "a row failed: it has fewer valid queries than --accept asks for"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned,
                       "too many rows in turn were invalid, or the soak was interrupted: go on "
                       "with --resume"}}},
        SoakRequest{}, std::move(testers));
}

} // namespace dnsgauge
