// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge sweep
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/journal_file.h"
#include "cli/result_files.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "record/json_text.h"
#include "record/sweep_json.h"
#include "search/search_progress.h"
#include "sweep/sweep_run.h"
#include "text/sweep_text.h"
#include "trial/trial_options.h"
#include "userland/standard_output.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct SweepArguments {
    SweepRequest sweep = usual_sweep();
    JournalFile journal;
    TableForm form = TableForm::text;
    OutputOptions output;
};

Options options_of(SweepArguments &request)
{
    Options options = sweep_options(request.sweep);
    append(options, journal_file_options(request.journal, "sweep"));
    options.push_back(form_option(request.form));
    append(options, output_options(request.output));
    return options;
}

ExitStatus run(SweepArguments &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    check_files_differ("--json", request.output.json, "--journal", request.journal.path);
    check_inputs_stay(request.sweep.trial, "--json", request.output.json);
    complete(request.sweep);
    require_capabilities(request.journal, "dnsgauge sweep");
    require_selftest(request.sweep);
    const nlohmann::ordered_json header = journal_header(request.sweep);
    std::optional<WholeFile> json;
    open_file(json, request.output.json, "--json");
    Journal journal = open_journal(request.journal, header);
    say_notes(notes_on(request.sweep.trial));

    SweepResult result = make_sweep(request.sweep, journal, catch_interruption());
    result.command = words;
    // A sweep without a step has no curve.
    if (!result.steps.empty()) {
        print_result(to_text(result, request.form));
        if (json)
            json->commit(json_text(dnsgauge::to_json(result, header)));
    }
    return status_of(result.end, result);
}

} // namespace

Command sweep_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SweepArguments>();
    request->sweep.trial.testers = std::move(testers);
    return {
        .name = "sweep",
        .summary = "Tell how much a server answers at each of a range of rates",
        .options = options_of(*request),
        .examples = {"dnsgauge sweep --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --min-rate 50k --max-rate 1M --duration 5 --journal sweep.jsonl",
                     "dnsgauge sweep --interface eth1 --server 192.0.2.53 --queries root.txt \\",
                     "    --min-rate 1k --max-rate 1M --spacing logarithmic --repeat 5 \\",
                     "    --journal sweep.jsonl --json sweep.json --form csv"},
        .statuses = {{ExitStatus::criterion_met, "the sweep is complete"},
                     {ExitStatus::wrong_input, "the command or the environment is wrong"},
                     {ExitStatus::nothing_learned,
                      "a trial was invalid, or the sweep was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
