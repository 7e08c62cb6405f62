// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/selftest_command.h"

#include "cli/dut.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/search_parameters.h"
#include "cli/search_progress.h"
#include "cli/trial_options.h"
#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/certificate.h"
#include "record/selftest_json.h"
#include "record/selftest_record.h"
#include "result/labels.h"
#include "search/compliance.h"
#include "search/trial_series.h"
#include "selftest/fakedns_probe.h"
#include "selftest/selftest.h"
#include "selftest/tester_setup.h"
#include "text/search_text.h"
#include "text/selftest_text.h"
#include "trial/circumstances.h"
#include "units/quantity_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

struct Options {
    TrialOptions trial;
    std::optional<std::string> rate;
    std::string min_rate = "1";
    std::optional<std::string> max_rate;
    std::string resolution = "1";
    unsigned confirm = 0;
    double delta = SelftestRule::delta_least;
    std::string dut = "authoritative";
    std::string pause = "1";
    std::optional<std::string> record;
};

// All that was asked for, and understood.
struct Request {
    SelftestPlan plan;
    TrialPlan trial; // as for a server: its timeout is not yet a quarter
    Nanoseconds pause{};
    TesterSetup setup;
    std::string record;
};

void add_options(CLI::App &app, Options &options)
{
    CLI::Option *one =
        app.add_option("--rate", options.rate, "Is this Tester fit for so many queries per second?")
            ->type_name("QPS");
    app.add_option("--max-rate", options.max_rate,
                   "Or: up to which rate is it, at most this, by binary search?")
        ->excludes(one)
        ->type_name("QPS");
    app.add_option("--min-rate", options.min_rate, "Lowest rate of that search")
        ->excludes(one)
        ->type_name("QPS")
        ->capture_default_str();
    app.add_option("--resolution", options.resolution,
                   "Its result is at most this far below a rate that failed")
        ->excludes(one)
        ->type_name("QPS")
        ->capture_default_str();
    add_confirm_option(app, options.confirm);
    app.add_option("--delta", options.delta,
                   "For r queries per second it must do 2*r*(1+delta); at least 0.1")
        ->capture_default_str();
    app.add_option("--dut", options.dut,
                   "What is to be tested: authoritative or dns64, of which the timeout is 0.25 s "
                   "or 1 s by default; FakeDNS has a quarter of it")
        ->check(CLI::IsMember(duts))
        ->type_name("KIND")
        ->capture_default_str();
    app.add_option("--pause", options.pause, "Seconds between trials")
        ->type_name("SECONDS")
        ->capture_default_str();
    add_record_option(app, options.record, "result");
}

SelftestPlan plan_selftest(const Options &options)
{
    if (options.rate.has_value() == options.max_rate.has_value())
        throw SetupError("give --rate, to know whether the Tester is fit for it, or --max-rate, to "
                         "find up to which rate it is");
    // A range check lets "nan" through.
    if (!std::isfinite(options.delta) || options.delta < SelftestRule::delta_least ||
        options.delta > SelftestRule::delta_most)
        throw SetupError(fmt::format("--delta {:g}: must be {:g} (RFC 8219 section 9.2.1) to {:g}",
                                     options.delta, SelftestRule::delta_least,
                                     SelftestRule::delta_most));
    SelftestPlan plan;
    plan.rule = SelftestRule(options.delta);
    plan.confirm = options.confirm;
    if (options.rate) {
        plan.range.min = plan.range.max = parse_rate(*options.rate, "--rate");
        return plan;
    }
    plan.range.min = parse_rate(options.min_rate, "--min-rate");
    plan.range.max = parse_rate(*options.max_rate, "--max-rate");
    plan.range.resolution = parse_rate(options.resolution, "--resolution").per_second;
    if (plan.range.min >= plan.range.max)
        throw SetupError(fmt::format("--min-rate {} must be below --max-rate {}", options.min_rate,
                                     *options.max_rate));
    return plan;
}

// FakeDNS has all names, and no cache that could make repeating them matter.
TrialPlan plan_trial(const Options &options)
{
    TrialOptions trial = options.trial;
    trial.names = "0.0.0.0/0";
    trial.allow_repeats = true;
    if (!trial.timeout)
        trial.timeout = dut_timeouts.at(duts.at(options.dut));
    return make_plan(trial);
}

Request understand(const Options &options)
{
    Request request;
    request.plan = plan_selftest(options);
    request.trial = plan_trial(options);
    request.trial.rate = request.plan.rule.rate_for(request.plan.range.min);
    static_cast<void>(count_queries(request.trial));
    request.pause = parse_seconds_or_none(options.pause, "--pause", duration_most);
    request.setup = describe_setup(request.trial);
    request.record = options.record.value_or(record_path(request.setup));
    return request;
}

TrialPlan selftest_trial(const Request &request)
{
    TrialPlan plan = request.trial;
    plan.timeout = SelftestRule::timeout_for(request.trial.timeout);
    return plan;
}

std::vector<std::string> rfc8219_deviations(const Request &request)
{
    TrialPlan trial = request.trial;
    trial.allow_repeats = false; // of FakeDNS' names that means nothing
    SearchPlan search;           // of which the RFC asks for one
    search.confirm = request.plan.confirm;
    return search_deviations(search, trial, 0);
}

SelftestOutcome test(const Request &request, const std::atomic<bool> &stop)
{
    SelftestOutcome outcome;
    outcome.end = SearchEnd::interrupted;
    const TrialPlan plan = selftest_trial(request);
    if (!recognize_fakedns(plan, stop))
        return outcome;
    print_notes(notes_on(request.trial));
    SearchProgress progress(1, plan.duration,
                            plan.duration + plan.timeout + request.pause + trial_overhead,
                            compliance_label(rfc8219_deviations(request)));
    BetweenTrials between;
    between.pause = request.pause;
    TrialSeries series(plan, between, stop,
                       [&](const TrialProgress &now) { progress.trial_runs(now); });
    outcome = run_selftest(request.plan, [&](const SearchPlace &place) {
        progress.trial_begins(place);
        std::optional<TrialResult> trial = series.run(place.turn.rate, place.begun);
        progress.trial_ends(trial);
        return trial;
    });
    if (stop && outcome.end == SearchEnd::invalid_trial)
        outcome.end = SearchEnd::interrupted;
    return outcome;
}

bool is_decided(const SelftestOutcome &outcome)
{
    return outcome.end != SearchEnd::interrupted && outcome.end != SearchEnd::invalid_trial;
}

SelftestResult describe(const Request &request, const SelftestOutcome &outcome)
{
    SelftestResult result;
    result.server = to_string(request.trial.server);
    result.zone = request.trial.zone.text;
    result.answer = to_string(request.trial.answer_prefix);
    result.min_rate = request.plan.range.min;
    result.max_rate = request.plan.range.max;
    result.resolution = request.plan.range.resolution;
    result.confirm = request.plan.confirm;
    result.delta = request.plan.rule.delta();
    result.timeout = request.trial.timeout;
    result.duration = request.trial.duration;
    result.max_lateness = request.trial.tolerances.lateness;
    result.max_overrun = request.trial.tolerances.overrun_least;
    result.deviations = rfc8219_deviations(request);
    result.setup = request.setup;
    result.finished = machine_circumstances().started;
    result.trials = outcome.trials;
    result.end = outcome.end;
    result.allowed = outcome.allowed;
    result.stopped_by = outcome.stopped_by;
    result.circumstances = outcome.circumstances.value_or(Circumstances{});
    if (is_decided(outcome))
        result.record = request.record;
    result.certificate = look_up_certificate(certificate_path(request.setup), request.setup,
                                             outcome.allowed.value_or(result.min_rate));
    return result;
}

ExitStatus status_of(const SelftestOutcome &outcome)
{
    if (!is_decided(outcome))
        return ExitStatus::nothing_learned;
    return outcome.allowed ? ExitStatus::criterion_met : ExitStatus::criterion_not_met;
}

ExitStatus run(const Options &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    check_files_differ("--json", options.trial.json, "--record", options.record);
    const Request request = understand(options);
    ResultFiles files(options.trial.json, options.record, request.record);

    const SelftestOutcome outcome = test(request, catch_interruption());
    SelftestResult result = describe(request, outcome);
    result.command = words;
    if (outcome.end == SearchEnd::interrupted)
        say("dnsgauge: interrupted: what was recorded before stays\n");
    if (!outcome.circumstances)
        return ExitStatus::nothing_learned;
    nlohmann::ordered_json record;
    if (is_decided(outcome)) {
        RecordUpdate update = update_record(request.record, result);
        record = std::move(update.record);
        result.record_notes = std::move(update.notes);
    }
    files.write(to_text(result), to_json(result), record);
    return status_of(outcome);
}

} // namespace

void add_selftest_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen)
{
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "selftest", "Find which rates this Tester may be used for, against FakeDNS in place of "
                    "the server (RFC 8219 section 9.2.1)");
    add_options(*command, *options);
    add_tester_options(*command, options->trial);
    command->callback([options, &words, &chosen] {
        chosen = [options, &words] { return run(*options, words); };
    });
}

} // namespace dnsgauge
