// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge search
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "common/counted.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "record/json_text.h"
#include "record/search_json.h"
#include "search/search_progress.h"
#include "search/search_run.h"
#include "text/search_text.h"
#include "trial/trial_options.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

struct Request {
    SearchRequest search = usual_request();
    std::optional<std::string> journal;
    bool resume = false;
    OutputOptions output;
};

Options options_of(Request &request)
{
    Options options = search_options(request.search);
    append(options, {{.name = "journal",
                      .group = OptionGroup::files,
                      .type = "FILE",
                      .help = "File in which each trial is recorded as soon as it has ended",
                      .access = text(request.journal),
                      .is_required = true},
                     {.name = "resume",
                      .group = OptionGroup::files,
                      .help = "Go on with the search that --journal records",
                      .access = flag(request.resume)}});
    append(options, output_options(request.output));
    return options;
}

Journal open_journal(const Request &request, const nlohmann::ordered_json &header)
{
    if (!request.resume)
        return Journal::create(*request.journal, header);
    Journal journal = Journal::resume(*request.journal, header);
    if (journal.torn() != 0)
        say("dnsgauge: note: the journal ends with {} of a line, cut off now: the trial that the "
            "line was to record is made again\n",
            counted(journal.torn(), "octet"));
    return journal;
}

// Prints one line that says what ended the search early.
void print_end(const SearchResult &result, bool goes_beyond)
{
    if (result.end == SearchEnd::interrupted)
        say("dnsgauge: interrupted: go on with --resume\n");
    if (const std::string more = how_to_find_more(result, goes_beyond); !more.empty())
        say("dnsgauge: {}\n", more);
    if (result.end == SearchEnd::invalid_trial)
        say("dnsgauge: a trial at {} queries/s is invalid: {}; nothing was learned from it: "
            "mend that, then go on with --resume, or begin anew with a lower --max-rate{}\n",
            result.last_trial->rate.per_second, result.last_trial->why,
            result.invalid_retries == 0 ? ""
                                        : fmt::format(" (it was made again {}: --invalid-retries)",
                                                      counted(result.invalid_retries, "time")));
}

ExitStatus run(Request &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    check_files_differ("--json", request.output.json, "--journal", request.journal);
    complete(request.search, false);
    require_selftest(request.search);
    const nlohmann::ordered_json header = journal_header(request.search);
    std::optional<WholeFile> json;
    if (request.output.json)
        json.emplace(*request.output.json, "--json");
    Journal journal = open_journal(request, header);
    say_notes(notes_on(request.search.trial));

    SearchResult result = make_search(request.search, journal, {}, catch_interruption());
    if (result.rates().empty())
        refuse_wrong_range(result);
    result.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(to_json(result, header)));
    refuse_wrong_range(result);
    print_end(result, request.search.cover.beyond);
    return result.end == SearchEnd::complete || result.end == SearchEnd::above_range
               ? ExitStatus::criterion_met
               : ExitStatus::nothing_learned;
}

} // namespace

Command search_command()
{
    auto request = std::make_shared<Request>();
    return {
        .name = "search",
        .summary = "Find the highest rate that a server keeps, by binary search, many times",
        .options = options_of(*request),
        .examples = {"dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 1M --journal search.jsonl",
                     "dnsgauge search --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --max-rate 1M --journal search.jsonl --resume"},
        .statuses = {{ExitStatus::criterion_met, "the search is complete"},
                     {ExitStatus::wrong_input,
                      "the command or the environment is wrong, or the range of rates does not "
                      "hold the rate that was looked for"},
                     {ExitStatus::nothing_learned,
                      "a trial was invalid, or the search was interrupted: go on with --resume"}},
        .run = [request](const std::vector<std::string> &words) { return run(*request, words); }};
}

} // namespace dnsgauge
