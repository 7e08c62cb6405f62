// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include "engine/cpu_share.h"
#include "options/option_error.h"
#include "record/calibration_json.h"
#include "record/selftest_record.h"
#include "result/labels.h"
#include "selftest/selftest.h"
#include "series/progress.h"
#include "series/search/search.h"
#include "series/tester_setup.h"
#include "series/trial_series.h"
#include "trial/circumstances.h"
#include "trial/compliance.h"
#include "trial/sender_cpu.h"
#include "trial/testers.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "userland/listed.h"
#include "userland/name_range.h"
#include "userland/pref64_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

Options rate_options(SelftestRequest &request)
{
    return {
        Option("rate", OptionGroup::rates, "QPS",
               "Queries per second for which the Tester must be fit", rate(request.rate),
               {.is_required = true, .stand_ins = {"max-rate"}}),
        Option("max-rate", OptionGroup::rates, "QPS",
               "Highest rate of a binary search, which finds the rate up to which the Tester is "
               "fit",
               rate(request.max_rate), {.excludes = {"rate"}}),
        Option("min-rate", OptionGroup::rates, "QPS",
               "Lowest rate of the binary search of --max-rate", rate(request.plan.range.min),
               {.excludes = {"rate"}}),
        Option("resolution", OptionGroup::rates, "QPS",
               "The search's result is at most this far below a rate that failed",
               rate(request.plan.range.resolution), {.excludes = {"rate"}}),
        confirm_option(request.plan.confirm),
        {"delta", OptionGroup::rates, "NUMBER",
         "Margin of the Tester, which must keep 2*r*(1+delta) queries per second for r; at "
         "least 0.1 (RFC 8219 section 9.2.1)",
         number(request.delta, SelftestRule::delta_least, SelftestRule::delta_most)},
    };
}

void complete_range(SelftestRequest &request)
{
    if (request.rate.has_value() == request.max_rate.has_value())
        throw OptionError({"rate", "max-rate"},
                          "give --rate, to know whether the Tester is fit for that rate, or "
                          "--max-rate, to find the highest rate for which it is fit");
    SearchRange &range = request.plan.range;
    if (request.rate) {
        range.min = range.max = *request.rate;
        return;
    }
    range.max = *request.max_rate;
    check_range(range.min, range.max);
}

// With --placements, --cpus names CPUs that take turns, not senders. The only sender has the usual
// transmit queue first, as it has in trials that name no queue.
void complete_walk(SelftestRequest &request)
{
    if (!request.placements)
        return;
    if (request.trial.testers)
        throw OptionError({"placements"},
                          "--placements walks CPUs and transmit queues of one Tester: run dnsgauge "
                          "selftest --placements on each host; trials of several Testers then take "
                          "each host's own best placement");
    if (!request.max_rate)
        throw OptionError({"placements", "max-rate"},
                          "--placements compares the highest rates of placements: give --max-rate");
    if (!request.trial.sender_queues.empty())
        throw OptionError({"sender-queues", "placements"},
                          "--placements tries transmit queues by itself, queue 0 and others: leave "
                          "--sender-queues out");
    request.walked_cpus = std::exchange(request.trial.cpus, {});
    if (request.walked_cpus.empty())
        request.walked_cpus = allowed_cpus();
    require_allowed(request.walked_cpus);
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
    // Repeated names are no deviation, because FakeDNS has no cache.
    give_part<ZoneNames>(trial.workload).allow_repeats = false;
    SearchPlan search; // the RFC asks for one search
    search.confirm = request.plan.confirm;
    return search_deviations(search, trial);
}

} // namespace

SelftestRequest usual_selftest()
{
    SelftestRequest request;
    request.trial = usual_plan();
    // FakeDNS has all names, and no cache that could make repeating them matter.
    auto &names = give_part<ZoneNames>(request.trial.workload);
    names.names = parse_name_range("0.0.0.0/0");
    names.allow_repeats = true;
    return request;
}

Option record_option(std::optional<std::string> &file, const std::string &what)
{
    return Option("record", OptionGroup::files, "FILE", "Record the " + what + " in this file",
                  text(file),
                  {.usual = "this set-up's file in /var/lib/dnsgauge, or in $DNSGAUGE_STATE"});
}

Options selftest_options(SelftestRequest &request)
{
    Options options = rate_options(request);
    append(options,
           {{"dut", OptionGroup::what_is_tested, "KIND",
             "Kind of the servers to be tested: authoritative (timeout 0.25 s by default) "
             "or dns64 (1 s); FakeDNS gets a quarter of the timeout",
             word(request.dut, duts)},
            {"pause", OptionGroup::between_trials, "SECONDS", "Seconds between trials",
             time_or_none(request.pause, duration_most)},
            record_option(request.record_file, "result"),
            {"placements", OptionGroup::placement, "",
             "Find the highest rate for each placement, and record the best one: for each CPU "
             "of --cpus, then for transmit queues, CPUs of the queues' interrupts, and fields "
             "of the receive hash",
             flag(request.placements)},
            {"repeat", OptionGroup::placement, "COUNT",
             "Searches for each placement (--placements)", whole(request.repeat, 2, 1000)}});
    append(options, tester_options(request.trial));
    return options;
}

void complete(SelftestRequest &request)
{
    complete_range(request);
    request.plan.rule = SelftestRule(request.delta);
    if (request.trial.timeout == Nanoseconds{})
        request.trial.timeout = usual_timeout(request.dut);
    complete(request.trial);
    request.trial.rate = request.plan.rule.rate_for(request.plan.range.min);
    static_cast<void>(count_queries(request.trial));
    complete_walk(request);
    request.setup = describe_setup(request.trial);
    if (request.placements) {
        const unsigned usual = request.setup.sender_cpus.front();
        const bool is_walked =
            std::ranges::find(request.walked_cpus, usual) != request.walked_cpus.end();
        set_sender(request, is_walked ? usual : request.walked_cpus.front(), std::nullopt);
    }
    request.record = request.record_file.value_or(record_path(request.setup));
}

void set_sender(SelftestRequest &request, unsigned cpu, const std::optional<unsigned> &queue)
{
    request.trial.cpus = {cpu};
    request.trial.sender_queues.clear();
    if (queue)
        request.trial.sender_queues = {*queue};
    request.setup = describe_setup(request.trial);
    request.record = request.record_file.value_or(record_path(request.setup));
}

bool begin_selftest(const SelftestRequest &request, const std::atomic<bool> &stop)
{
    if (!recognize_fakedns(selftest_trial(request), stop))
        return false;
    say_notes(notes_on(request.trial));
    return true;
}

SelftestOutcome search_rates(const SelftestRequest &request, bool follows_trials,
                             const std::atomic<bool> &stop)
{
    SelftestOutcome outcome;
    const TrialPlan plan = selftest_trial(request);
    SearchProgress progress(1, plan.duration, trial_time(plan, request.pause),
                            compliance_label(rfc8219_deviations(request)));
    BetweenTrials between;
    between.pause = request.pause;
    between.pauses_first = follows_trials;
    TrialSeries series(plan, between, stop,
                       [&](const TrialProgress &now) { progress.trial_runs(now); });
    outcome = run_selftest(request.plan, [&](const SearchPlace &place) {
        progress.trial_begins(place);
        std::optional<TrialResult> trial = series.run(place.turn.rate, place.begun);
        progress.trial_ends(trial);
        return trial;
    });
    if (stop && outcome.end == TrialsEnd::invalid_trial)
        outcome.end = TrialsEnd::interrupted;
    return outcome;
}

SelftestOutcome make_selftest(const SelftestRequest &request, const std::atomic<bool> &stop)
{
    if (begin_selftest(request, stop))
        return search_rates(request, false, stop);
    SelftestOutcome outcome;
    outcome.end = TrialsEnd::interrupted;
    return outcome;
}

bool is_decided(const SelftestOutcome &outcome)
{
    return outcome.end != TrialsEnd::interrupted && outcome.end != TrialsEnd::invalid_trial;
}

SelftestResult describe(const SelftestRequest &request, const SelftestOutcome &outcome)
{
    SelftestResult result;
    static_cast<SelftestOutcome &>(result) = outcome;
    result.server = join(servers_of(request.trial), ", ");
    result.zone = part_of<ZoneNames>(request.trial.workload)->zone.text;
    result.answer = to_string(request.trial.answer_prefix);
    result.min_rate = request.plan.range.min;
    result.max_rate = request.plan.range.max;
    result.resolution = request.plan.range.resolution;
    result.confirm = request.plan.confirm;
    result.delta = request.plan.rule.delta();
    result.timeout = request.trial.timeout;
    result.duration = request.trial.duration;
    const Tolerances limits = limits_of(request.trial);
    result.max_lateness = limits.lateness;
    result.max_overrun = limits.overrun_least;
    result.caveats.deviations = rfc8219_deviations(request);
    result.setup = request.setup;
    result.finished = machine_circumstances().started;
    if (is_decided(outcome))
        result.record = request.record;
    result.caveats.certificate = look_up_certificate(certificate_path(request.setup), request.setup,
                                                     outcome.allowed.value_or(result.min_rate));
    return result;
}

} // namespace dnsgauge
