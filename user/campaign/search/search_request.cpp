// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_request.h"

#include "options/access.h"
#include "options/option_error.h"
#include "options/options_json.h"
#include "record/certificate.h"
#include "record/selftest_json.h"
#include "search/compliance.h"
#include "search/tester_setup.h"
#include "trial/trial_options.h"
#include "workload/input_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

Options rate_options(SearchPlan &plan)
{
    return {
        {.name = "min-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Lowest rate, queries per second",
         .access = rate(plan.range.min)},
        {.name = "max-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Highest rate, queries per second",
         .access = rate(plan.range.max),
         .is_required = true},
        {.name = "resolution",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "The result is at most this far below a rate that failed",
         .access = rate(plan.range.resolution)},
        {.name = "repeat",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Number of whole searches; RFC 8219 demands 20",
         .access = whole(plan.repeat, 1, 10000)},
        confirm_option(plan.confirm),
        {.name = "invalid-retries",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Times in a row that an invalid trial is made again",
         .access = whole(plan.invalid_retries, 0, 1000),
         .is_in_journal = false},
    };
}

// The journal does not hold the limits of patience, so that a user who met a limit can raise it and
// go on.
Options between_options(BetweenTrials &between, bool &fresh_names)
{
    Option fresh = fresh_names_option(fresh_names);
    fresh.excludes.emplace_back("before-trial");
    return {
        pause_option(between.pause),
        {.name = "before-trial",
         .group = OptionGroup::between_trials,
         .type = "COMMAND",
         .help = "Shell command to run before each trial, such as one that restarts the server or "
                 "empties its cache",
         .access = text(between.command)},
        {.name = "before-trial-timeout",
         .group = OptionGroup::between_trials,
         .type = "SECONDS",
         .help = "Seconds after which the command of --before-trial is killed",
         .access = time(between.command_limit, duration_most),
         .is_in_journal = false},
        {.name = "ready-timeout",
         .group = OptionGroup::between_trials,
         .type = "SECONDS",
         .help = "Seconds that the server may take to answer after the command of --before-trial",
         .access = time(between.ready_limit, duration_most),
         .is_in_journal = false},
        fresh,
    };
}

// Throws unless trials at both ends of the range are possible.
void check_ends(SearchRequest &request)
{
    TrialPlan &trial = request.trial;
    if (queries_in(request.search.range.min, trial.duration) == 0)
        throw OptionError({"min-rate", "duration"},
                          "--min-rate times --duration is less than one query: raise one of them");
    trial.rate = request.search.range.max;
    try {
        static_cast<void>(count_queries(trial));
    } catch (const SetupError &error) {
        throw OptionError({"names", "max-rate", "duration"}, error.what());
    }
}

void share_names(SearchRequest &request)
{
    const TrialPlan &trial = request.trial;
    try {
        request.between.fresh_names.emplace(trial.names, count_names(trial),
                                            Repetitions::most_trials(request.search));
    } catch (const SetupError &error) {
        throw OptionError({"names", "fresh-names"}, error.what());
    }
}

// Returns the certificate of the present set-up for the search's highest rate.
CertificateCover certificate_of(const TrialPlan &trial)
{
    const TesterSetup setup = describe_setup(trial);
    return look_up_certificate(certificate_path(setup), setup, trial.rate);
}

} // namespace

SearchRequest usual_request()
{
    SearchRequest request;
    request.trial = usual_plan();
    request.between.pause = usual_pause;
    request.between.command_limit = std::chrono::seconds(30);
    request.between.ready_limit = std::chrono::seconds(60);
    return request;
}

Option confirm_option(unsigned &confirm)
{
    return {.name = "confirm",
            .group = OptionGroup::rates,
            .type = "COUNT",
            .help = "Times to try a failed trial again before it counts; more than 0 is not "
                    "compliant with RFC 8219",
            .access = whole(confirm, 0, 100)};
}

Option pause_option(Nanoseconds &pause)
{
    return {.name = "pause",
            .group = OptionGroup::between_trials,
            .type = "SECONDS",
            .help = "Seconds between trials, for the server to settle (RFC 2544 section 23)",
            .access = time_or_none(pause, duration_most)};
}

Option fresh_names_option(bool &fresh_names)
{
    return {.name = "fresh-names",
            .group = OptionGroup::between_trials,
            .help =
                "Give each trial its own part of --names, so that no trial asks for names of an "
                "earlier one",
            .access = flag(fresh_names),
            .excludes = {"queries"}};
}

Options search_options(SearchRequest &request)
{
    Options options = rate_options(request.search);
    append(options, between_options(request.between, request.fresh_names));
    append(options, cover_options(request.cover));
    append(options, trial_options(request.trial));
    return options;
}

void complete(SearchRequest &request, bool starts_anew)
{
    const SearchRange &range = request.search.range;
    if (range.min >= range.max)
        throw OptionError({"min-rate", "max-rate"},
                          fmt::format("--min-rate {} must be below --max-rate {}",
                                      range.min.per_second, range.max.per_second));
    complete(request.trial);
    if (request.trial.queries_file == "-")
        throw OptionError({"queries"}, "--queries -: --resume could not read standard input again: "
                                       "write the queries into a file");
    check_ends(request);
    if (request.fresh_names)
        share_names(request);
    if (request.trial.dut == Dut::dns64 && request.trial.cached.percent < 100 &&
        !request.fresh_names && !request.between.command && !starts_anew)
        throw OptionError(
            {"dut", "fresh-names", "before-trial"},
            "a DNS64 server still has the names of one trial in its cache during the next: give "
            "--fresh-names, or --before-trial with a command that empties it");
}

SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew)
{
    SearchRequest request = usual_request();
    read_options(search_options(request), given);
    complete(request, starts_anew);
    return request;
}

void require_selftest(SearchRequest &request)
{
    request.selftest = require_cover(request.cover, request.trial);
    // A trial of an authoritative server does not name the self-test; the search does.
    if (request.trial.dut == Dut::dns64)
        request.trial.selftest = request.selftest;
    request.certificate = certificate_of(request.trial);
}

Nanoseconds trial_time(const SearchRequest &request)
{
    return request.trial.duration + request.trial.timeout + request.between.pause + trial_overhead;
}

Json journal_header(const SearchRequest &request)
{
    SearchRequest values = request;
    Json options = journal_options(search_options(values));
    options["beyond-selftest"] = request.selftest && !request.selftest->covers();
    Json header = {{"schema", "dnsgauge/search-journal/1"},
                   {"options", options},
                   {"setup", setup_json(describe_setup(request.trial))}};
    if (request.trial.queries_file)
        header["queries_crc64"] = file_checksum("--queries", *request.trial.queries_file);
    return header;
}

Caveats caveats_of(const SearchRequest &request)
{
    return {.deviations = search_deviations(request.search, request.trial),
            .selftest = request.selftest,
            .certificate = request.certificate,
            .scaled_down = request.scaled_down};
}

} // namespace dnsgauge
