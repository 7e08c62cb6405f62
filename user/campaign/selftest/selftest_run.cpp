// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "record/certificate.h"
#include "record/selftest_record.h"
#include "result/labels.h"
#include "search/compliance.h"
#include "search/search_progress.h"
#include "search/tester_setup.h"
#include "search/trial_series.h"
#include "selftest/fakedns_probe.h"
#include "trial/circumstances.h"
#include "units/quantity_text.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>

namespace dnsgauge
{

namespace
{

constexpr auto trial_overhead = std::chrono::seconds(1); // loading the program, mostly

SelftestPlan plan_selftest(const SelftestOptions &options)
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
TrialPlan plan_trial(const SelftestOptions &options)
{
    TrialOptions trial = options.trial;
    trial.names = "0.0.0.0/0";
    trial.allow_repeats = true;
    if (!trial.timeout)
        trial.timeout = dut_timeouts.at(duts.at(options.dut));
    return make_plan(trial);
}

TrialPlan selftest_trial(const SelftestRequest &request)
{
    TrialPlan plan = request.trial;
    plan.timeout = SelftestRule::timeout_for(request.trial.timeout);
    return plan;
}

std::vector<std::string> rfc8219_deviations(const SelftestRequest &request)
{
    TrialPlan trial = request.trial;
    trial.allow_repeats = false; // of FakeDNS' names that means nothing
    SearchPlan search;           // of which the RFC asks for one
    search.confirm = request.plan.confirm;
    return search_deviations(search, trial, 0);
}

} // namespace

SelftestRequest understand(const SelftestOptions &options)
{
    SelftestRequest request;
    request.plan = plan_selftest(options);
    request.trial = plan_trial(options);
    request.trial.rate = request.plan.rule.rate_for(request.plan.range.min);
    static_cast<void>(count_queries(request.trial));
    request.pause = parse_seconds_or_none(options.pause, "--pause", duration_most);
    request.setup = describe_setup(request.trial);
    request.record = options.record.value_or(record_path(request.setup));
    return request;
}

SelftestOutcome make_selftest(const SelftestRequest &request, const std::atomic<bool> &stop)
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

SelftestResult describe(const SelftestRequest &request, const SelftestOutcome &outcome)
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

} // namespace dnsgauge
