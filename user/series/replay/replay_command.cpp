// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge replay
#include "options/access.h"
#include "options/option_error.h"
#include "series/replay/load_factors.h"
#include "text/comparison.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace dnsgauge
{

namespace
{

struct ReplayArguments {
    ReplayRequest replay;
    SeriesFiles files;
    std::optional<std::string> intervals;
    std::optional<std::string> curve;
    LoadFactorPlan search;
    std::optional<unsigned> runs_most;
};

Options options_of(ReplayArguments &request)
{
    const Options options = {
        Option(
            "find-load-factor", OptionGroup::rates, "COUNT",
            "Find the highest load factor without overload, up to this one. Replays at "
            "load factor 1 and at others are compared by unanswered queries, and by "
            "latency from --since on. Each has its own journal: --journal FILE.7x",
            whole(request.search.most, 2, 10'000),
            {.usual = "one replay", .excludes = {"load-factor", "slices", "intervals", "curve"}}),
        Option("runs-most", OptionGroup::rates, "COUNT",
               "Most runs of a load factor (--find-load-factor). If fewer runs do not tell, "
               "its runs and the runs of load factor 1 are doubled",
               whole(request.runs_most, 1, 1000), {.usual = "four times --runs"}),
        {"margin", OptionGroup::rates, "PERCENT",
         "Percent of queries that may go unanswered without overload, beyond the percentage "
         "at load factor 1 (--find-load-factor)",
         number(request.search.margin_percent, 0, 100)},
        {"intervals", OptionGroup::files, "FILE",
         "Write response rate and RCODEs of each --interval to this CSV file, for each run, "
         "with bands",
         text(request.intervals)},
        {"curve", OptionGroup::files, "FILE",
         "Write the logarithmic percentile histogram of the latency from --since on to this "
         "CSV file, for each run, with bands",
         text(request.curve)}};
    return together(
        {options_of(request.replay), options, series_file_options(request.files, "replay")});
}

// A replay, and its JSON.
struct MadeReplay {
    ReplayResult result;
    nlohmann::ordered_json json;
};

// Makes the requested replay, without runs that the journal has beyond the request. The request's
// captures are loaded.
MadeReplay make(ReplayRequest replay, const JournalFile &file,
                const std::vector<std::string> &words, const std::atomic<bool> &stop)
{
    const nlohmann::ordered_json header = journal_header(replay);
    Journal journal = open_journal(file, header);
    say_notes(notes_on(replay));
    MadeReplay made;
    made.result = make_series(replay, journal, stop);
    keep_runs(made.result, replay.runs.runs);
    made.result.command = words;
    made.json = dnsgauge::to_json(made.result, header);
    return made;
}

// Returns advice if the Tester could not play this many captures or slices at once.
std::string less_load(std::uint64_t played)
{
    return played > 1 ? "a smaller --load-factor, or --shared-machine"
                      : "--shared-machine where others use this machine, or a lower --speed";
}

ExitStatus run_one(const ReplayArguments &request, const std::vector<std::string> &words)
{
    ResultFile intervals(request.intervals, "--intervals");
    ResultFile curve(request.curve, "--curve");
    ReplayRequest replay = request.replay;
    load_captures(replay);
    const auto write_csv = [&](const ReplayResult &result) {
        intervals.commit(replay_intervals_csv(result));
        curve.commit(replay_curve_csv(result));
    };
    const ReplayResult result = make_and_tell(replay, request.files, "replay", words, write_csv);
    return status_of(result.end, result, less_load(result.played));
}

// Prints the replays side by side, and the conclusion.
void print_factors(const LoadFactorResult &found,
                   const std::vector<nlohmann::ordered_json> &replays, TableForm form)
{
    std::vector<NamedResult> columns;
    for (std::size_t i = 0; i < replays.size(); i++)
        columns.push_back({fmt::format("{}x", found.factors[i]), &replays[i]});
    const std::string table = columns.empty() ? "" : compare(columns, form);
    // Only a text has a place for a sentence after the table.
    if (form == TableForm::text) {
        print_result(table + verdict_text(found) + "\n");
    } else {
        print_result(table);
        say("dnsgauge: {}\n", verdict_text(found));
    }
}

// Returns the plan of the search. Without a command that empties the cache it has one run.
LoadFactorPlan search_plan(const ReplayArguments &request)
{
    LoadFactorPlan plan = request.search;
    plan.runs = request.replay.runs.runs;
    plan.runs_most =
        request.replay.between.command ? request.runs_most.value_or(4 * plan.runs) : plan.runs;
    if (plan.runs_most < plan.runs)
        throw OptionError({"runs-most", "runs"},
                          "--runs-most {}: --runs asks for {}: give at least that many",
                          plan.runs_most, plan.runs);
    return plan;
}

ExitStatus run_search(const ReplayArguments &request, const std::vector<std::string> &words)
{
    const LoadFactorPlan plan = search_plan(request);
    // Loads the captures for the highest load factor, so that whatever prevents it is known before
    // the first replay. This request plays all slices at once, and so is at least as busy as any
    // run.
    ReplayRequest highest = request.replay;
    auto &captures = std::get<CaptureWorkload>(highest.trial.workload);
    captures.slices = captures.load_factor = plan.most;
    load_captures(highest);
    require_selftest(highest);
    highest.loaded.reset();

    ResultFile json(request.files.json, "--json");
    const std::atomic<bool> &stop = catch_interruption();
    std::map<std::uint32_t, nlohmann::ordered_json> made_at;
    TrialLog last;
    const auto play = [&](std::uint32_t factor, unsigned runs) {
        ReplayRequest replay = highest;
        std::get<CaptureWorkload>(replay.trial.workload).load_factor = factor;
        replay.runs.runs = runs;
        JournalFile file = request.files.journal;
        file.path = fmt::format("{}.{}x", *request.files.journal.path, factor);
        // Further runs of a load factor go on with its journal.
        file.resume =
            made_at.contains(factor) || (file.resume && std::filesystem::exists(*file.path));
        say("load factor {}, {} runs\n", factor, runs);
        load_captures(replay);
        MadeReplay made = make(std::move(replay), file, words, stop);
        last = made.result;
        if (!made.result.rows.empty())
            made_at[factor] = std::move(made.json);
        return std::move(made.result);
    };
    const LoadFactorResult found = find_load_factor(plan, play);
    std::vector<nlohmann::ordered_json> replays;
    for (const std::uint32_t factor : found.factors)
        if (const auto made = made_at.find(factor); made != made_at.end())
            replays.push_back(std::move(made->second));
    json.commit(json_text(dnsgauge::to_json(found, replays)));
    print_factors(found, replays, request.files.form);
    return status_of(found.end, last, "a smaller --find-load-factor, or --shared-machine");
}

ExitStatus run(ReplayArguments &request, const std::vector<std::string> &words)
{
    check_files(request.files, request.replay.trial,
                {{"--intervals", request.intervals}, {"--curve", request.curve}});
    complete(request.replay);
    require_capabilities(request.files.journal, "dnsgauge replay");
    return request.search.most == 0 ? run_one(request, words) : run_search(request, words);
}

} // namespace

Command replay_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<ReplayArguments>();
    request->replay.trial.testers = std::move(testers);
    return {
        .name = "replay",
        .summary = "Play captures to a resolver and tell how it serves its clients, run by run",
        .options = options_of(*request),
        .examples = {"dnsgauge replay --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --before-trial 'ssh root@dut systemctl restart named' \\",
                     "    --journal bind.jsonl --json bind.json",
                     "dnsgauge replay --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --load-factor 7 --clients 10.128.0.0/12 --journal 7x.jsonl \\",
                     "    --before-trial 'ssh root@dut systemctl restart named' \\",
                     "    --intervals 7x-rate.csv --curve 7x-latency.csv",
                     "dnsgauge replay --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --find-load-factor 20 --clients 10.128.0.0/12 --journal bind.jsonl \\",
                     "    --before-trial 'ssh root@dut systemctl restart named'"},
        .statuses = {{ExitStatus::criterion_met, "all runs were made"},
                     {ExitStatus::wrong_input,
                      "the command or the environment is wrong; the journal keeps the runs made "
                      "before"},
                     {ExitStatus::nothing_learned,
                      "a run was invalid, or the replay was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
