// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_request.h"

#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "record/certificate.h"
#include "record/selftest_json.h"
#include "search/compliance.h"
#include "search/tester_setup.h"
#include "trial/circumstances.h"
#include "units/quantity_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

template <class T>
Json given(const std::optional<T> &value)
{
    return value ? Json(*value) : Json();
}

// Numbers as they were understood, so that 60 and 60.0 are the same.
Json trial_options_json(const SearchRequest &request)
{
    const TrialOptions &options = request.options;
    const TrialPlan &plan = request.trial;
    return {{"interface", plan.interface},
            {"server", to_string(plan.server)},
            {"port", plan.server_port},
            {"duration", seconds(plan.duration)},
            {"timeout", seconds(plan.timeout)},
            {"names", to_string(plan.names)},
            {"zone", plan.zone.text},
            {"qtype", options.qtype},
            {"dut", options.dut},
            {"answer-prefix", to_string(plan.answer_prefix)},
            {"answer", options.answer},
            {"aaaa-share", plan.aaaa_share},
            {"aaaa-prefix", to_string(plan.aaaa_prefix)},
            {"cached-share", plan.cached.percent},
            {"accept", plan.accept_percent},
            {"allow-repeats", plan.allow_repeats},
            {"recursion-desired", plan.recursion_desired},
            {"edns-size", given(plan.edns_size)},
            {"dnssec-ok", plan.dnssec_ok},
            {"server-mac", given(options.server_mac)},
            {"source", given(options.source)},
            {"vlan", given(plan.vlan)},
            {"source-ports", plan.source_ports},
            {"first-source-port", plan.first_source_port},
            {"cpus", plan.cpus},
            {"max-lateness", seconds(plan.tolerances.lateness)},
            {"max-overrun", seconds(plan.tolerances.overrun_least)},
            {"xdp-mode", options.xdp_mode},
            {"af-xdp", options.copy_mode},
            {"busy-poll", options.busy_poll},
            {"hardware-timestamps", options.stamps},
            {"idle-cpus", options.idle_cpus}};
}

SearchPlan plan_search(const SearchOptions &options)
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

TrialPlan plan_trials(const SearchOptions &options, const SearchPlan &search)
{
    TrialPlan plan = make_plan(options.trial);
    // Both ends of the range must be possible.
    plan.rate = search.range.min;
    static_cast<void>(count_queries(plan));
    plan.rate = search.range.max;
    static_cast<void>(count_queries(plan));
    return plan;
}

BetweenTrials plan_between(const SearchOptions &options, const SearchPlan &search,
                           const TrialPlan &trial)
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

// Of the set-up as it is now, up to the search's highest rate.
CertificateCover certificate_of(const TrialPlan &trial)
{
    const TesterSetup setup = describe_setup(trial);
    return look_up_certificate(certificate_path(setup), setup, trial.rate);
}

} // namespace

SearchRequest understand(const SearchOptions &options, bool starts_anew)
{
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

void require_selftest(SearchRequest &request)
{
    request.selftest = require_cover(request.cover, request.options, request.trial);
    // Of other servers a trial says nothing of it: the search does.
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
    const SearchPlan &search = request.search;
    Json options = {{"min-rate", search.range.min.per_second},
                    {"max-rate", search.range.max.per_second},
                    {"resolution", search.range.resolution},
                    {"repeat", search.repeat},
                    {"confirm", search.confirm},
                    {"pause", seconds(request.between.pause)},
                    {"before-trial", given(request.between.command)},
                    {"fresh-names", request.between.fresh_names.has_value()},
                    {"beyond-selftest", request.selftest && !request.selftest->covers()}};
    options.update(trial_options_json(request));
    return {{"schema", "dnsgauge/search-journal/1"},
            {"options", options},
            {"setup", setup_json(describe_setup(request.trial))}};
}

std::vector<std::string> rfc8219_deviations(const SearchRequest &request)
{
    return search_deviations(request.search, request.trial, request.invalid_retries);
}

} // namespace dnsgauge
