// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge replay
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/journal_file.h"
#include "cli/result_files.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "record/json_text.h"
#include "record/replay_json.h"
#include "replay/replay_run.h"
#include "search/search_progress.h"
#include "text/replay_text.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

struct Request {
    ReplayRequest replay = usual_replay();
    JournalFile journal;
    TableForm form = TableForm::text;
    std::optional<std::string> intervals;
    std::optional<std::string> curve;
    OutputOptions output;
};

Options options_of(Request &request)
{
    Options options = replay_options(request.replay);
    append(options, journal_file_options(request.journal, "replay"));
    append(options,
           {{.name = "form",
             .group = OptionGroup::files,
             .type = "FORM",
             .help = "How the table of runs is printed: text, csv, markdown or latex",
             .access = word(request.form, table_forms)},
            {.name = "intervals",
             .group = OptionGroup::files,
             .type = "FILE",
             .help = "Write response rate and RCODEs of each --interval to this file, as CSV: of "
                     "each run, and their bands",
             .access = text(request.intervals)},
            {.name = "curve",
             .group = OptionGroup::files,
             .type = "FILE",
             .help = "Write the logarithmic percentile histogram of the latency from --since on to "
                     "this file, as CSV: of each run, and its bands",
             .access = text(request.curve)}});
    append(options, output_options(request.output));
    return options;
}

void check_files(const Request &request)
{
    const std::vector<std::pair<const char *, std::optional<std::string>>> files = {
        {"--json", request.output.json},
        {"--journal", request.journal.path},
        {"--intervals", request.intervals},
        {"--curve", request.curve}};
    for (auto one = files.begin(); one != files.end(); ++one)
        for (auto other = one + 1; other != files.end(); ++other)
            check_files_differ(one->first, one->second, other->first, other->second);
}

// Makes the file that an option names, if one is named. Throws SetupError.
void open_file(std::optional<WholeFile> &file, const std::optional<std::string> &path,
               const char *option)
{
    if (path)
        file.emplace(*path, option);
}

ExitStatus run(Request &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    ReplayRequest &replay = request.replay;
    check_files(request);
    complete(replay);
    require_capabilities(request.journal, "dnsgauge replay");
    load_captures(replay);
    require_selftest(replay);
    const nlohmann::ordered_json header = journal_header(replay);
    std::optional<WholeFile> json;
    std::optional<WholeFile> intervals;
    std::optional<WholeFile> curve;
    open_file(json, request.output.json, "--json");
    open_file(intervals, request.intervals, "--intervals");
    open_file(curve, request.curve, "--curve");
    Journal journal = open_journal(request.journal, header);
    say_notes(notes_on(replay));

    ReplayResult result = make_replay(replay, journal, catch_interruption());
    result.command = words;
    // A replay without a run has no figures.
    if (!result.runs.empty()) {
        print_result(to_text(result, request.form));
        if (json)
            json->commit(json_text(dnsgauge::to_json(result, header)));
        if (intervals)
            intervals->commit(replay_intervals_csv(result));
        if (curve)
            curve->commit(replay_curve_csv(result));
    }
    return status_of(result.end, result, "a smaller --load-factor");
}

} // namespace

Command replay_command()
{
    auto request = std::make_shared<Request>();
    return {
        .name = "replay",
        .summary = "Tell how a resolver serves what its clients asked, run by run",
        .options = options_of(*request),
        .examples = {"dnsgauge replay --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --before-trial 'ssh root@dut systemctl restart named' \\",
                     "    --journal bind.jsonl --json bind.json",
                     "dnsgauge replay --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --load-factor 7 --clients 10.128.0.0/12 --journal 7x.jsonl \\",
                     "    --before-trial 'ssh root@dut systemctl restart named' \\",
                     "    --intervals 7x-rate.csv --curve 7x-latency.csv"},
        .statuses = {{ExitStatus::criterion_met, "all runs were made"},
                     {ExitStatus::wrong_input,
                      "the command or the environment is wrong; runs that were made before are in "
                      "the journal"},
                     {ExitStatus::nothing_learned,
                      "a run was invalid, or the replay was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
