// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/series_request.h"

#include "input/input_file.h"
#include "options/option_error.h"
#include "options/options_json.h"
#include "record/machine_fields.h"
#include "series/tester_setup.h"
#include "system/listed.h"
#include "trial/compliance.h"
#include "trial/testers.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

// The journal lacks both timeouts, so that a user may raise them and resume.
Options between_options(BetweenTrials &between, bool &fresh_names)
{
    Option fresh = fresh_names_option(fresh_names);
    fresh.excludes = {"queries", "before-trial"};
    return {
        pause_option(between.pause),
        {"before-trial", OptionGroup::between_trials, "COMMAND",
         "Shell command to run before each trial, such as one that restarts the server or "
         "empties its cache",
         text(between.command)},
        Option("before-trial-timeout", OptionGroup::between_trials, "SECONDS",
               "Seconds after which the command of --before-trial is killed",
               time(between.command_limit, duration_most), {.is_in_journal = false}),
        Option("ready-timeout", OptionGroup::between_trials, "SECONDS",
               "Seconds that the server may take to answer after the command of --before-trial",
               time(between.ready_limit, duration_most), {.is_in_journal = false}),
        fresh,
    };
}

// Throws unless trials at both the lowest and the highest rate are possible.
void check_rates(TrialPlan &trial, Rate min, Rate max)
{
    if (queries_in(min, trial.duration) == 0)
        throw OptionError({"min-rate", "duration"},
                          "--min-rate times --duration is less than one query: raise one of them");
    trial.rate = max;
    try {
        static_cast<void>(count_queries(trial));
    } catch (const SetupError &error) {
        throw OptionError({"names", "max-rate", "duration"}, error.what());
    }
}

void share_names(SeriesRequest &request, std::uint64_t most_trials)
{
    const TrialPlan &trial = request.trial;
    try {
        request.between.fresh_names.emplace(part_of<ZoneNames>(trial.workload)->names,
                                            count_names(trial), most_trials);
    } catch (const SetupError &error) {
        throw OptionError({"names", "fresh-names"}, error.what());
    }
}

} // namespace

Options together(std::initializer_list<Options> parts)
{
    Options all;
    for (const Options &part : parts)
        append(all, part);
    return all;
}

Options range_options(Rate &min, Rate &max, bool is_min_required)
{
    return {Option("min-rate", OptionGroup::rates, "QPS", "Lowest rate, queries per second",
                   rate(min), {.is_required = is_min_required}),
            Option("max-rate", OptionGroup::rates, "QPS", "Highest rate, queries per second",
                   rate(max), {.is_required = true})};
}

void check_range(Rate min, Rate max)
{
    if (min >= max)
        throw OptionError({"min-rate", "max-rate"}, "--min-rate {} must be below --max-rate {}",
                          min.per_second, max.per_second);
}

Option pause_option(Nanoseconds &pause)
{
    return {"pause", OptionGroup::between_trials, "SECONDS",
            "Seconds between trials, for the server to settle (RFC 2544 section 23)",
            time_or_none(pause, duration_most)};
}

Option fresh_names_option(bool &fresh_names)
{
    return Option("fresh-names", OptionGroup::between_trials, "",
                  "Give each trial its own part of --names, which no earlier trial asked for",
                  flag(fresh_names), {.excludes = {"queries"}});
}

Option invalid_retries_option(unsigned &retries)
{
    return Option("invalid-retries", OptionGroup::rates, "COUNT",
                  "Times in a row that an invalid trial is made again", whole(retries, 0, 1000),
                  {.is_in_journal = false});
}

Options series_options(SeriesRequest &request)
{
    return together({between_options(request.between, request.fresh_names),
                     cover_options(request.cover), trial_options(request.trial)});
}

void complete(SeriesRequest &request, Rate min, Rate max, std::uint64_t most_trials,
              bool starts_anew)
{
    complete(request.trial);
    if (pace_of(request.trial).kind == Pace::Kind::window)
        throw OptionError({"pace"}, "--pace window sends as fast as answers come, and this command "
                                    "chooses the rates itself: leave --pace out, or make a trial");
    if (pace_of(request.trial).has_rates())
        throw OptionError({"pace"},
                          "--pace {} has rates of its own, and this command chooses the rates "
                          "itself: leave --pace out, or make a trial",
                          to_string(pace_of(request.trial)));
    complete_series(request, min, max, most_trials, starts_anew);
}

void complete_series(SeriesRequest &request, Rate min, Rate max, std::uint64_t most_trials,
                     bool starts_anew)
{
    const auto *list = part_of<ListWorkload>(request.trial.workload);
    if (list != nullptr && list->file == "-")
        throw OptionError({"queries"}, "--queries -: --resume cannot read standard input again: "
                                       "write the queries into a file");
    check_rates(request.trial, min, max);
    if (request.fresh_names)
        share_names(request, most_trials);
    if (needs_fresh_names(request.trial) && !request.fresh_names && !request.between.command &&
        !starts_anew)
        throw OptionError(
            {"dut", "fresh-names", "before-trial"},
            "a DNS64 server still has the names of one trial in its cache during the next: give "
            "--fresh-names, or --before-trial with a command that empties it");
}

void require_selftest(SeriesRequest &request)
{
    request.selftest = require_cover(request.cover, request.trial);
    // A trial of an authoritative server does not name the self-test; the series does.
    if (request.trial.dut == Dut::dns64)
        request.trial.selftest = request.selftest;
    request.certificate = request.trial.certificate = certificate_of(request.trial);
}

Nanoseconds trial_time(const SeriesRequest &request)
{
    return trial_time(request.trial, request.between.pause);
}

Nanoseconds trial_time(const TrialPlan &trial, Nanoseconds pause)
{
    return trial.duration + trial.timeout + pause + trial_overhead;
}

Json journal_header(const SeriesRequest &request, const std::string &kind, const Options &options)
{
    return journal_header(request, kind, options, describe_setup(request.trial));
}

Json journal_header(const SeriesRequest &request, const std::string &kind, const Options &options,
                    TesterSetup setup)
{
    // A resumed series must have the set-up of its journal. This includes only CPUs and transmit
    // queues that options name: other ones may be idle when the series goes on. Each trial's record
    // names both.
    setup.sender_cpus = request.trial.cpus;
    setup.options = options_of_setup(request.trial, request.trial.sender_queues);
    // It does not include the other Testers. Each trial's record names them and their servers.
    setup.others.clear();
    Json values = journal_options(options);
    values["beyond-selftest"] = request.selftest && !request.selftest->covers();
    Json header = {{"schema", "dnsgauge/series-journal/1"},
                   {"kind", kind},
                   {"options", values},
                   {"setup", written(setup)}};
    if (const auto *list = part_of<ListWorkload>(request.trial.workload))
        header["queries_crc64"] = file_checksum("--queries", list->file);
    return header;
}

Caveats caveats_of(const SeriesRequest &request)
{
    return caveats_of(request, trial_deviations(request.trial));
}

Caveats caveats_of(const SeriesRequest &request, std::vector<std::string> deviations)
{
    return {.deviations = std::move(deviations),
            .selftest = request.selftest,
            .certificate = request.certificate,
            .scaled_down = request.scaled_down};
}

std::vector<std::string> notes_on(const SeriesRequest &request)
{
    return notes_on(request.trial);
}

std::string servers_text(const TrialLog &log, const TrialPlan &plan)
{
    const std::vector<std::string> asked = log.servers();
    return join(asked.empty() ? servers_of(plan) : asked, ", ");
}

} // namespace dnsgauge
