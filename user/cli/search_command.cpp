// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge search
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/journal_file.h"
#include "cli/result_files.h"
#include "host/skeleton.h"
#include "mlr/loss_search_run.h"
#include "options/access.h"
#include "record/json_text.h"
#include "record/loss_search_json.h"
#include "record/search_json.h"
#include "search/search_progress.h"
#include "search/search_run.h"
#include "text/loss_search_text.h"
#include "text/search_text.h"
#include "trial/trial_options.h"
#include "userland/standard_output.h"
#include "userland/words.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

enum class Method { binary, mlr };

constexpr auto methods = words<Method>({{Method::binary, "binary"}, {Method::mlr, "mlr"}});

struct SearchArguments {
    SearchRequest search = usual_request();
    Method method = Method::binary;
    LossPlan loss;
    JournalFile journal;
    OutputOptions output;
};

Options options_of(SearchArguments &request)
{
    Options options = {{"method", OptionGroup::rates, "METHOD",
                        "binary: RFC 8219's search; mlr: a Multiple Loss Ratio Search (RFC 9971), "
                        "which finds a rate for each of several loss ratios",
                        word(request.method, methods)}};
    append(options, search_options(request.search));
    append(options, loss_options(request.loss));
    append(options, journal_file_options(request.journal, "search"));
    append(options, output_options(request.output));
    return options;
}

// Prints one line that says what ended the search early.
void print_end(const SearchResult &result, bool goes_beyond)
{
    if (result.end == SearchEnd::interrupted)
        say_interrupted();
    if (const std::string more = how_to_find_more(result, goes_beyond); !more.empty())
        say("dnsgauge: {}\n", more);
    if (result.end == SearchEnd::invalid_trial)
        say_invalid(result);
}

ExitStatus run_loss_search(SearchArguments &request, const std::vector<std::string> &words)
{
    complete(request.search, request.loss);
    require_capabilities(request.journal, "dnsgauge search");
    require_selftest(request.search);
    const nlohmann::ordered_json header = journal_header(request.search, request.loss);
    std::optional<WholeFile> json;
    open_file(json, request.output.json, "--json");
    Journal journal = open_journal(request.journal, header);
    say_notes(notes_on(request.search.trial));
    LossSearchResult result =
        make_loss_search(request.search, request.loss, journal, catch_interruption());
    result.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(dnsgauge::to_json(result, header)));
    return status_of(result.end, result);
}

ExitStatus run_binary_search(SearchArguments &request, const std::vector<std::string> &words)
{
    complete(request.search, false);
    require_capabilities(request.journal, "dnsgauge search");
    require_selftest(request.search);
    const nlohmann::ordered_json header = journal_header(request.search);
    std::optional<WholeFile> json;
    open_file(json, request.output.json, "--json");
    Journal journal = open_journal(request.journal, header);
    say_notes(notes_on(request.search.trial));

    SearchResult result = make_search(request.search, journal, {}, catch_interruption());
    if (result.rates().empty())
        refuse_wrong_range(result);
    result.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(dnsgauge::to_json(result, header)));
    refuse_wrong_range(result);
    print_end(result, request.search.cover.beyond);
    return result.end == SearchEnd::complete || result.end == SearchEnd::above_range
               ? ExitStatus::criterion_met
               : ExitStatus::nothing_learned;
}

ExitStatus run(SearchArguments &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    check_files_differ("--json", request.output.json, "--journal", request.journal.path);
    check_inputs_stay(request.search.trial, "--json", request.output.json);
    switch (request.method) {
    case Method::mlr:
        return run_loss_search(request, words);
    case Method::binary:
        break;
    }
    return run_binary_search(request, words);
}

} // namespace

Command search_command(std::shared_ptr<Testers> testers)
{
    auto request = std::make_shared<SearchArguments>();
    request->search.trial.testers = std::move(testers);
    return {
        .name = "search",
        .summary = "Find the highest rate that a server keeps, by binary search, or for several "
                   "loss ratios",
        .options = options_of(*request),
        .examples = {"dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 200k --journal search.jsonl",
                     "dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 200k --journal search.jsonl --resume",
                     "dnsgauge search --method mlr --interface eth1 --server 192.0.2.53 \\",
                     "    --names 10.0.0.0/8 --max-rate 200k --journal mlr.jsonl"},
        .statuses = {{ExitStatus::criterion_met, "the search is complete"},
                     {ExitStatus::wrong_input,
                      "the command or the environment is wrong, or the range of rates does not "
                      "hold the rate that was looked for"},
                     {ExitStatus::nothing_learned,
                      "a trial was invalid, or the search was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
