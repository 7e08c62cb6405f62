// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge soak
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/journal_file.h"
#include "cli/result_files.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "record/json_text.h"
#include "record/soak_json.h"
#include "search/search_progress.h"
#include "soak/soak_run.h"
#include "text/soak_text.h"
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

struct SoakArguments {
    SoakRequest soak = usual_soak();
    JournalFile journal;
    TableForm form = TableForm::text;
    OutputOptions output;
};

Options options_of(SoakArguments &request)
{
    Options options = soak_options(request.soak);
    append(options, journal_file_options(request.journal, "soak"));
    options.push_back(form_option(request.form));
    append(options, output_options(request.output));
    return options;
}

ExitStatus status_of(const SoakResult &result)
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

ExitStatus run(SoakArguments &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    check_files_differ("--json", request.output.json, "--journal", request.journal.path);
    check_inputs_stay(request.soak.trial, "--json", request.output.json);
    check_files_differ("--json", request.output.json, "--search", request.soak.from);
    complete(request.soak);
    require_capabilities(request.journal, "dnsgauge soak");
    require_selftest(request.soak);
    const nlohmann::ordered_json header = journal_header(request.soak);
    std::optional<WholeFile> json;
    open_file(json, request.output.json, "--json");
    Journal journal = open_journal(request.journal, header);
    say_notes(notes_on(request.soak.trial));

    SoakResult result = make_soak(request.soak, journal, catch_interruption());
    result.command = words;
    // A soak without a row has no figures.
    if (!result.rows.empty()) {
        print_result(to_text(result, request.form));
        if (json)
            json->commit(json_text(dnsgauge::to_json(result, header)));
    }
    return status_of(result);
}

} // namespace

Command soak_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SoakArguments>();
    request->soak.trial.testers = std::move(testers);
    return {
        .name = "soak",
        .summary = "Tell over hours what a server loses, and how much memory it takes",
        .options = options_of(*request),
        .examples = {"dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --rate 100k --hours 24 --journal soak.jsonl --json soak.json",
                     "dnsgauge soak --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --search search.json --percent 80 --journal soak.jsonl --form csv"},
        .statuses =
            {{ExitStatus::criterion_met, "every row passed"},
             {ExitStatus::criterion_not_met,
              "in some row fewer queries were answered right and in time than --accept asks "
              "for"},
             {ExitStatus::wrong_input, "the command or the environment is wrong"},
             {ExitStatus::nothing_learned,
              "too many rows in turn were invalid, or the soak was interrupted: go on with "
              "--resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
