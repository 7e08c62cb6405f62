// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/search_command.h"

#include "cli/empty_values.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/search_parameters.h"
#include "cli/search_progress.h"
#include "cli/selftest_cover.h"
#include "common/decimal_option.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/certificate.h"
#include "record/search_json.h"
#include "result/labels.h"
#include "result/tester_limit.h"
#include "search/search.h"
#include "selftest/tester_setup.h"
#include "text/search_text.h"
#include "text/selftest_text.h"
#include "units/quantity_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

struct Options {
    TrialOptions trial;
    CoverOptions cover;
    std::string min_rate = "1";
    std::string max_rate;
    std::string resolution = "1";
    unsigned repeat = 20;
    unsigned confirm = 0;
    std::string journal;
    bool resume = false;
    std::optional<std::string> before_trial;
    std::string before_trial_timeout = "30";
    std::string ready_timeout = "60";
    bool fresh_names = false;
    std::string pause = "5";
};

void add_search_options(CLI::App &app, Options &options)
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

void add_between_options(CLI::App &app, Options &options)
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

void add_all_options(CLI::App &app, Options &options)
{
    add_search_options(app, options);
    add_between_options(app, options);
    add_cover_options(app, options.cover);
    add_trial_options(app, options.trial);
}

SearchPlan plan_search(const Options &options)
{
    SearchPlan plan;
    plan.range.min = parse_rate(options.min_rate, "--min-rate");
    plan.range.max = parse_rate(options.max_rate, "--max-rate");
    if (plan.range.min >= plan.range.max)
        throw SetupError(fmt::format("--min-rate {} must be below --max-rate {}", options.min_rate,
                                     options.max_rate));
    plan.range.resolution = parse_rate(options.resolution, "--resolution").per_second;
    plan.repeat = options.repeat;
    plan.confirm = options.confirm;
    return plan;
}

TrialPlan plan_trials(const Options &options, const SearchPlan &search)
{
    TrialPlan plan = make_plan(options.trial);
    // Both ends of the range must be possible.
    plan.rate = search.range.min;
    static_cast<void>(count_queries(plan));
    plan.rate = search.range.max;
    static_cast<void>(count_queries(plan));
    return plan;
}

BetweenTrials plan_between(const Options &options, const SearchPlan &search, const TrialPlan &trial)
{
    BetweenTrials between;
    between.pause = parse_seconds_or_none(options.pause, "--pause", duration_most);
    between.command = options.before_trial;
    between.command_limit =
        parse_seconds(options.before_trial_timeout, "--before-trial-timeout", duration_most);
    between.ready_limit = parse_seconds(options.ready_timeout, "--ready-timeout", duration_most);
    if (options.fresh_names)
        between.fresh_names.emplace(trial.names, count_names(trial),
                                    Repetitions::most_trials(search));
    return between;
}

SearchRequest understand(const Options &options, bool starts_anew)
{
    check_files_differ("--json", options.trial.json, "--journal", options.journal);
    SearchRequest request;
    request.options = options.trial;
    request.cover = options.cover;
    request.search = plan_search(options);
    request.trial = plan_trials(options, request.search);
    request.between = plan_between(options, request.search, request.trial);
    if (request.trial.dut == Dut::dns64 && request.trial.cached.percent < 100 &&
        !options.fresh_names && !options.before_trial && !starts_anew)
        throw SetupError("a DNS64 server has the names of one trial in its cache in the next: give "
                         "--fresh-names, or --before-trial with a command that empties it");
    return request;
}

Journal open_journal(const Options &options, const nlohmann::ordered_json &header)
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

[[noreturn]] void refuse_range(const SearchResult &result)
{
    const std::string what = fmt::format("search {}, {}", result.repetitions.size(),
                                         result.repetitions.back().trials.back().why);
    if (result.end == SearchEnd::below_range)
        throw SetupError(fmt::format("even --min-rate {} fails ({}): lower it, or see what is "
                                     "wrong with the server (dnsgauge trial --rate {})",
                                     result.min_rate.per_second, what, result.min_rate.per_second));
    throw SetupError(fmt::format("even --max-rate {} passes ({}): {}raise it and begin anew",
                                 result.max_rate.per_second, what,
                                 tester_limit(result).empty()
                                     ? ""
                                     : "it is all that the Tester's self-test allows: make one for "
                                       "more (dnsgauge selftest), or give --beyond-selftest; "));
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

// What is to be said of every result.
std::string label_of(const SearchRequest &request)
{
    std::string label = compliance_label(rfc8219_deviations(request));
    if (!request.selftest || request.selftest->covers())
        return label;
    return (label.empty() ? "" : label + "; ") + cover_text(*request.selftest);
}

// Of the set-up as it is now, up to the search's highest rate.
CertificateCover certificate_of(const TrialPlan &trial)
{
    const TesterSetup setup = describe_setup(trial);
    return look_up_certificate(certificate_path(setup), setup, trial.rate);
}

ExitStatus run(const Options &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    SearchRequest request = understand(options, false);
    require_selftest(request);
    const nlohmann::ordered_json header = journal_header(request);
    std::optional<WholeFile> json;
    if (options.trial.json)
        json.emplace(*options.trial.json, "--json");
    Journal journal = open_journal(options, header);
    print_notes(notes_on(request.trial));

    SearchResult result = make_search(request, journal, {});
    const bool is_wrong_range =
        result.end == SearchEnd::below_range || result.end == SearchEnd::above_range;
    if (is_wrong_range && result.rates().empty())
        refuse_range(result);
    result.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(to_json(result, header)));
    if (is_wrong_range)
        refuse_range(result);
    print_end(result);
    return result.end == SearchEnd::complete ? ExitStatus::criterion_met
                                             : ExitStatus::nothing_learned;
}

} // namespace

void add_search_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen)
{
    auto options = std::make_shared<Options>();
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
    Options options;
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
    Options options;
    add_all_options(app, options);
    expect_decimals(app);
    refuse_empty_values(words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError &error) {
        throw SetupError(error.what());
    }
    return understand(options, starts_anew);
}

void require_selftest(SearchRequest &request)
{
    request.selftest = require_cover(request.cover, request.options, request.trial);
    // Of other servers a trial says nothing of it: the search does.
    if (request.trial.dut == Dut::dns64)
        request.trial.selftest = request.selftest;
    request.certificate = certificate_of(request.trial);
}

void describe(SearchResult &result, const SearchRequest &request)
{
    result.server = to_string(request.trial.server);
    result.accept_percent = request.trial.accept_percent;
    result.dns64 = dns64_conditions(request.trial);
    result.deviations = rfc8219_deviations(request);
    result.selftest = request.selftest;
    result.certificate = request.certificate;
}

Nanoseconds trial_time(const SearchRequest &request)
{
    return request.trial.duration + request.trial.timeout + request.between.pause + trial_overhead;
}

SearchResult make_search(const SearchRequest &request, Journal &journal,
                         const SearchSurroundings &surroundings)
{
    const std::atomic<bool> &stop = catch_interruption();
    SearchProgress progress(request.search.repeat, request.trial.duration, trial_time(request),
                            label_of(request), surroundings.beyond);
    BetweenTrials between = request.between;
    between.pauses_first = surroundings.follows_trials;
    TrialSeries series(
        request.trial, between, stop, [&](const TrialProgress &now) { progress.trial_runs(now); },
        [&](const Circumstances &trial) {
            if (request.selftest)
                check_same_modes(*request.selftest, trial);
        });
    SearchResult result = run_search(
        request.search, journal, [&](const SearchPlace &place) -> std::optional<TrialResult> {
            progress.trial_begins(place);
            if (!surroundings.before_trial(series))
                return std::nullopt;
            std::optional<TrialResult> trial = series.run(place.turn.rate, place.begun);
            progress.trial_ends(trial);
            return trial;
        });
    if (stop && result.end == SearchEnd::invalid_trial)
        result.end = SearchEnd::interrupted;
    describe(result, request);
    result.journal = journal.path();
    return result;
}

} // namespace dnsgauge
