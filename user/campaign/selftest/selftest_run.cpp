// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include "dns/name_range.h"
#include "dns/pref64_text.h"
#include "engine/cpu_share.h"
#include "options/option_error.h"
#include "record/certificate.h"
#include "record/selftest_record.h"
#include "result/labels.h"
#include "selftest/selftest.h"
#include "series/progress.h"
#include "series/search/search.h"
#include "series/tester_setup.h"
#include "series/trial_series.h"
#include "stats/selftest_rule.h"
#include "system/counted.h"
#include "system/listed.h"
#include "text/table.h"
#include "trial/circumstances.h"
#include "trial/compliance.h"
#include "trial/sender_cpu.h"
#include "trial/testers.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "units/rate.h"

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
               "Resolution: the search's result is at most this far below a rate that failed",
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

// With --placements, --cpus names CPUs to try in turn, not senders. The only sender begins with the
// usual transmit queue, as in trials that name no queue.
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

bool is_one_rate(const SelftestResult &result)
{
    return result.min_rate == result.max_rate;
}

std::string verdict_text(const SelftestResult &result)
{
    if (result.end == TrialsEnd::interrupted)
        return "none: interrupted";
    if (result.end == TrialsEnd::invalid_trial)
        return "none: a trial is invalid";
    if (!result.allowed)
        return fmt::format("not passed: this Tester may not be used at {} queries/s{}",
                           result.min_rate.per_second, is_one_rate(result) ? "" : " or more");
    return fmt::format(
        "passed: this Tester may be used up to {} queries/s with a timeout of {:g} s or more{}",
        result.allowed->per_second, seconds(result.timeout),
        result.end == TrialsEnd::above_range && !is_one_rate(result)
            ? ", the highest rate that was asked for"
            : "");
}

void add_rows(Table &table, const PlacementStage &stage)
{
    for (std::size_t i = 0; i < stage.walked.size(); i++) {
        const WalkedPlacement &placement = stage.walked[i];
        const Band spread = placement.spread();
        table.rows.push_back(
            {stage.part, fmt::format("{}", placement.sender_cpu),
             placement.sender_queue ? fmt::format("{}", *placement.sender_queue) : "usual",
             settings_text(placement.settings), fmt::format("{:.0f}", spread.min),
             fmt::format("{:.0f}", spread.median), fmt::format("{:.0f}", spread.max),
             i == stage.best ? "best" : ""});
    }
}

std::string placements_text(const PlacementWalk &walk, const std::string &interface)
{
    Table table;
    table.caption = fmt::format("Placements: the highest r in queries/s of {} each",
                                counted(walk.repeat, "search", "searches"));
    table.heads = {
        {"placed", "sender's CPU", "its queue", "settings", "lowest", "median", "highest", ""}};
    for (const PlacementStage &stage : walk.stages) {
        add_rows(table, stage);
        table.notes.push_back(fmt::format("The {}: the self-test {}.", stage.part, stage.found));
    }
    for (const std::string &why : walk.not_walked)
        table.notes.push_back("Not placed: " + why + ".");
    if (const auto &queue = walk.best().sender_queue)
        table.notes.push_back(fmt::format("Trials take the best transmit queue where {} say so: a "
                                          "set-up with a self-test of its own.",
                                          sender_options(walk.best().sender_cpu, *queue)));
    if (const auto &settings = walk.best().settings; !settings.empty())
        table.notes.push_back(fmt::format(
            "The machine is as it was: dnsgauge placement apply --interface {} {} makes it best.",
            interface, settings_text(settings)));
    return "\n" + render(table, TableForm::text);
}

} // namespace

SelftestRequest usual_selftest()
{
    SelftestRequest request;
    request.trial = usual_plan();
    // FakeDNS has all names, and repeated names do not matter because it has no cache.
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
    const TrialPlan plan = selftest_trial(request);
    SearchProgress progress(plan.duration, trial_time(plan, request.pause),
                            compliance_label(rfc8219_deviations(request)));
    TrialSeries series(plan, {.pause = request.pause, .pauses_first = follows_trials}, stop,
                       [&](const TrialProgress &now) { progress.trial_runs(now); });
    SelftestOutcome outcome = run_selftest(request.plan, [&](const SearchPlace &place) {
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
    return begin_selftest(request, stop) ? search_rates(request, false, stop)
                                         : SelftestOutcome{.end = TrialsEnd::interrupted};
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

std::string to_text(const SelftestResult &result)
{
    const SelftestRule rule(result.delta);
    const Circumstances &with = result.circumstances;
    std::string text = fmt::format(
        "self-test against FakeDNS at {}: for r queries/s, 2*r*(1+{:g}) AAAA queries/s for {:g} s, "
        "answered within {:g} s\n",
        result.server, rule.delta(), seconds(result.duration),
        seconds(SelftestRule::timeout_for(result.timeout)));
    const auto row = [&text](const char *name, const std::string &what) {
        text += fmt::format("  {:<12}{}\n", name, what);
    };
    row("through", fmt::format("{} ({}), {}CPU {}, {}", with.interface, with.driver,
                               with.modes.empty() ? "" : counted(with.queues, "queue") + ", ",
                               join(with.sender_cpus, ","), carrier_text(result.setup, with)));
    row("trials", fmt::format("{}", result.trials.size()));
    if (result.allowed)
        row("kept",
            fmt::format("{} queries/s for r = {} (2*(r+delta), as RFC 8219 prints it, is {:.1f})",
                        rule.rate_for(*result.allowed).per_second, result.allowed->per_second,
                        rule.printed_rate_for(*result.allowed)));
    if (result.stopped_by)
        row("stopped by",
            fmt::format("{} queries/s for r = {}: {}", result.stopped_by->trial.rate.per_second,
                        result.stopped_by->r.per_second, result.stopped_by->trial.why));
    row("verdict", verdict_text(result));
    if (!result.record.empty())
        row("record", result.record);
    for (const std::string &note : result.record_notes)
        row("", "the record " + note);
    for (const CaveatLine &line : caveat_lines(result.caveats))
        row(line.name, line.text);
    if (result.placements)
        text += placements_text(*result.placements, with.interface);
    return text;
}

} // namespace dnsgauge
