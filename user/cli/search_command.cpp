// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/search_command.h"

#include "cli/empty_values.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/trial_arguments.h"
#include "common/decimal_option.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/json_text.h"
#include "record/search_json.h"
#include "search/search_run.h"
#include "text/search_text.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

void add_search_options(CLI::App &app, SearchOptions &options)
{
    app.add_option("--min-rate", options.min_rate, "Lowest rate, queries per second")
        ->type_name("QPS")
        ->capture_default_str();
    app.add_option("--max-rate", options.max_rate, "Highest rate, queries per second")
        ->required()
        ->type_name("QPS");
    app.add_option("--resolution", options.resolution,
                   "The result is at most this far below a rate that failed")
        ->type_name("QPS")
        ->capture_default_str();
    app.add_option("--repeat", options.repeat, "Whole searches; RFC 8219 demands 20")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    add_confirm_option(app, options.confirm);
    app.add_option("--journal", options.journal,
                   "File that each trial is recorded in as soon as it has ended")
        ->required()
        ->type_name("FILE");
    app.add_flag("--resume", options.resume, "Go on with the search of which this is the journal");
}

void add_between_options(CLI::App &app, SearchOptions &options)
{
    CLI::Option *command =
        app.add_option("--before-trial", options.before_trial,
                       "Shell command to run before each trial, such as one that restarts the "
                       "server or empties its cache")
            ->type_name("COMMAND");
    app.add_option("--before-trial-timeout", options.before_trial_timeout,
                   "Seconds that it may take before it is killed")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--ready-timeout", options.ready_timeout,
                   "Seconds that the server may then take to answer")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_flag("--fresh-names", options.fresh_names,
                 "No trial asks for names that one before has asked for: each gets a part of "
                 "--names")
        ->excludes(command);
    app.add_option("--pause", options.pause,
                   "Seconds between trials, for the server to settle (RFC 2544 section 23)")
        ->type_name("SECONDS")
        ->capture_default_str();
}

void add_all_options(CLI::App &app, SearchOptions &options)
{
    add_search_options(app, options);
    add_between_options(app, options);
    add_cover_options(app, options.cover);
    add_trial_options(app, options.trial);
}

Journal open_journal(const SearchOptions &options, const nlohmann::ordered_json &header)
{
    if (!options.resume)
        return Journal::create(options.journal, header);
    Journal journal = Journal::resume(options.journal, header);
    if (journal.torn() != 0)
        say("dnsgauge: note: the journal ended in the middle of a line, of which {} octets "
            "are cut off: the trial they were to tell of is made again\n",
            journal.torn());
    return journal;
}

// What ended it early, as one line.
void print_end(const SearchResult &result)
{
    if (result.end == SearchEnd::interrupted)
        say("dnsgauge: interrupted: go on with --resume\n");
    if (result.end == SearchEnd::invalid_trial)
        say("dnsgauge: a trial at {} queries/s is invalid: {}; nothing was learned from it: "
            "mend that, then go on with --resume, or begin anew with a lower --max-rate\n",
            result.last_trial->rate.per_second, result.last_trial->why);
}

ExitStatus run(const SearchOptions &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    check_files_differ("--json", options.trial.json, "--journal", options.journal);
    SearchRequest request = understand(options, false);
    require_selftest(request);
    const nlohmann::ordered_json header = journal_header(request);
    std::optional<WholeFile> json;
    if (options.trial.json)
        json.emplace(*options.trial.json, "--json");
    Journal journal = open_journal(options, header);
    print_notes(notes_on(request.trial));

    SearchResult result = make_search(request, journal, {}, catch_interruption());
    if (result.rates().empty())
        refuse_wrong_range(result);
    result.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(to_json(result, header)));
    refuse_wrong_range(result);
    print_end(result);
    return result.end == SearchEnd::complete ? ExitStatus::criterion_met
                                             : ExitStatus::nothing_learned;
}

} // namespace

void add_search_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen)
{
    auto options = std::make_shared<SearchOptions>();
    CLI::App *command = app.add_subcommand(
        "search", "Find the highest rate that a server keeps, by binary search, many times");
    add_all_options(*command, *options);
    command->callback([options, &words, &chosen] {
        chosen = [options, &words] { return run(*options, words); };
    });
}

std::set<std::string> search_option_names()
{
    CLI::App app;
    SearchOptions options;
    add_all_options(app, options);
    std::set<std::string> names;
    for (const CLI::Option *option : app.get_options())
        for (const std::string &name : option->get_lnames())
            names.insert(name);
    return names;
}

SearchRequest read_search(const std::vector<std::string> &words, bool starts_anew)
{
    CLI::App app;
    SearchOptions options;
    add_all_options(app, options);
    expect_decimals(app);
    refuse_empty_values(words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError &error) {
        throw SetupError(error.what());
    }
    check_files_differ("--json", options.trial.json, "--journal", options.journal);
    return understand(options, starts_anew);
}

} // namespace dnsgauge
