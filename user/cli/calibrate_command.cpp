// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge calibrate
#include "calibrate/calibration.h"
#include "calibrate/fakedns_process.h"
#include "cli/command.h"
#include "dns/name_range.h"
#include "options/option_error.h"
#include "record/certificate.h"
#include "selftest/selftest_run.h"
#include "series/interruption.h"
#include "series/result_files.h"
#include "series/tester_setup.h"
#include "system/listed.h"
#include "system/privileges.h"
#include "system/standard_output.h"
#include "trial/circumstances.h"
#include "trial/testers.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t steps = 16; // the limit's resolution is the highest rate divided by this
constexpr double tolerance_most = 60;

struct CalibrateArguments {
    CalibrationPlan plan;
    SearchRange range{.min = Rate{1000}, .max = Rate{200000}};
    FakednsWish fakedns;
    std::optional<std::string> record_file;
    std::optional<std::string> json;
    bool chose_checks = false;
    Printer print;

    // complete() sets these members.
    TesterSetup setup;
    std::string record; // its file; empty to record nothing

    CalibrateArguments();
};

CalibrateArguments::CalibrateArguments()
{
    plan.trial = usual_selftest().trial;
    plan.trial.duration = CalibrationTerms{}.duration;
    plan.trial.timeout = CalibrationTerms{}.timeout;
    plan.attempts = static_cast<unsigned>(CalibrationTerms{}.attempts);
}

// Reads the checks besides the limit, such as "counting,rtt,pacing".
OptionAccess checks(CalibrationParts &parts, bool &chose)
{
    const auto members = [&parts] {
        return std::map<std::string, bool *>{
            {"counting", &parts.counting}, {"rtt", &parts.rtt}, {"pacing", &parts.pacing}};
    };
    return {.set =
                [&parts, &chose, members](const std::string &text, const std::string &name) {
                    chose = true;
                    parts = {.counting = false, .rtt = false, .pacing = false};
                    for (const std::string_view part : split(text)) {
                        const auto known = members();
                        const auto found = known.find(std::string(part));
                        if (found == known.end())
                            refuse_word(std::string(part), name, {"counting", "rtt", "pacing"});
                        *found->second = true;
                    }
                },
            .get = [members]() -> OptionValue {
                return joined(
                    members(),
                    [](const auto &part) { return *part.second ? part.first : std::string(); },
                    ",");
            }};
}

Options options_of(CalibrateArguments &request)
{
    Options options = fakedns_options(request.fakedns);
    append(options,
           {
               {"min-rate", OptionGroup::rates, "QPS",
                "Lowest rate at which the Tester will be used", rate(request.range.min)},
               {"max-rate", OptionGroup::rates, "QPS",
                "Highest rate at which the Tester will be used; the self-test's search finds a "
                "lower limit",
                rate(request.range.max)},
               {"attempts", OptionGroup::judgement, "COUNT",
                "Times to make a check at most, until it leaves no doubt; the last result counts",
                whole(request.plan.attempts, 1, 100)},
               {"checks", OptionGroup::judgement, "LIST",
                "Checks to make besides the limit: counting, rtt, pacing (over UDP alone). A "
                "certificate is recorded only if all of them are made",
                checks(request.plan.parts, request.chose_checks)},
               {"max-bias", OptionGroup::judgement, "SECONDS", "Seconds by which RTTs may be wrong",
                time(request.plan.limits.bias, tolerance_most)},
               {"max-lateness-p99", OptionGroup::judgement, "SECONDS",
                "Allowed lateness of 99 % of the queries on arrival, in seconds",
                time(request.plan.limits.lateness_p99, tolerance_most)},
               record_option(request.record_file, "certificate"),
           });
    append(options, tester_options(request.plan.trial));
    // --timeout has a default of its own here.
    for (Option &option : options)
        if (option.name == "timeout")
            option.usual = "";
    options.push_back(json_option(request.json));
    return options;
}

void complete_range(CalibrateArguments &request)
{
    SearchRange &range = request.range;
    if (range.min > range.max)
        throw OptionError({"min-rate", "max-rate"}, "--min-rate {} must not be above --max-rate {}",
                          range.min.per_second, range.max.per_second);
    range.resolution = std::max<std::uint64_t>(range.max.per_second / steps, 1);
    request.plan.limit.range = range;
    request.plan.limit.confirm = request.plan.attempts - 1;
}

void complete_trial(TrialPlan &trial, Rate lowest)
{
    complete(trial);
    if (trial.timeout < calibration_timeout_least)
        throw OptionError({"timeout"},
                          "--timeout {:g}: must be at least 0.05 s, so "
                          "that shorter delays can differ from it",
                          seconds(trial.timeout));
    trial.rate = lowest;
    static_cast<void>(count_queries(trial));
}

// Leaves out impossible checks. Throws OptionError if the user wants one of them.
void choose_parts(CalibrationPlan &plan, bool user_chose)
{
    if (!user_chose && plan.trial.transport != Transport::udp)
        plan.parts.pacing = false;
    if (plan.trial.testers && plan.parts.pacing)
        throw OptionError({"checks"}, "--checks pacing: the clock at the other end of a link "
                                      "belongs to one Tester: use dnsgauge calibrate on each host");
    if (plan.trial.transport != Transport::udp && plan.parts.pacing)
        throw OptionError({"checks", "transport"},
                          "--checks pacing: the clock at the other end of a link knows queries "
                          "over UDP alone: leave pacing out, or give --transport udp");
}

// Returns whether the plan has all checks that are possible for these Testers and this transport.
bool is_whole(const CalibrationPlan &plan)
{
    return plan.parts.counting && plan.parts.rtt &&
           (plan.parts.pacing || plan.trial.testers || plan.trial.transport != Transport::udp);
}

void complete(CalibrateArguments &request)
{
    CalibrationPlan &plan = request.plan;
    complete_range(request);
    complete_trial(plan.trial, request.range.min);
    plan.limits.lateness = plan.trial.tolerances.lateness;
    plan.limits.overrun = plan.trial.tolerances.overrun_least;
    request.setup = describe_setup(plan.trial);
    plan.fakedns = plan_fakedns(request.fakedns, plan.trial, request.setup.sender_cpus);
    choose_parts(plan, request.chose_checks);
    if (request.record_file && !is_whole(plan))
        throw OptionError({"record", "checks"},
                          "--record is for certificates of all checks: leave out --checks");
    if (is_whole(plan))
        request.record = request.record_file.value_or(certificate_path(request.setup));
}

ExitStatus run(CalibrateArguments &request, const std::vector<std::string> &words)
{
    check_files({{"--json", request.json}, {"--record", request.record_file}});
    complete(request);
    require_trial_capabilities("dnsgauge calibrate");
    ResultFiles files(request.json, request.record_file, request.record, request.print);

    std::optional<CalibrationResult> result =
        calibrate(request.plan, catch_interruption(),
                  [](const std::string &what) { say("dnsgauge: calibrating: {}\n", what); });
    if (!result) {
        say("dnsgauge: interrupted: the record stays as it was\n");
        return ExitStatus::nothing_learned;
    }
    result->server = join(servers_of(request.plan.trial), ", ");
    result->setup = request.setup;
    result->finished = machine_circumstances().started;
    result->command = words;
    result->record = request.record;
    files.write(to_text(*result), to_json(*result), to_json(*result));
    return result->doubts.empty() ? ExitStatus::criterion_met : ExitStatus::criterion_not_met;
}

} // namespace

Command calibrate_command(std::shared_ptr<Testers> testers, Printer print)
{
    CalibrateArguments given;
    given.print = std::move(print);
    // Several Testers leave this check out: the clock at the other end of a link belongs to one.
    given.plan.parts.pacing = testers == nullptr;
    given.plan.trial.testers = std::move(testers);
    return with_arguments(
        {.name = "calibrate",
         .summary = "Show which figures of this Tester are right on this set-up, by known faults "
                    "and delays of FakeDNS and by a clock at the link's other end",
         .examples = {"dnsgauge calibrate --interface g0 --server 198.18.0.2 \\",
                      "    --fakedns-interface d0 --fakedns-netns dut",
                      "dnsgauge calibrate --interface g0 --server 198.18.0.2 \\",
                      "    --fakedns-interface d0 --fakedns-netns dut --max-rate 50k --checks rtt"},
         .statuses = {{ExitStatus::criterion_met, "no doubt is left about any figure"},
                      {ExitStatus::criterion_not_met, "there are doubts, which the result names"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned, "the calibration was interrupted"}}},
        std::move(given));
}

} // namespace dnsgauge
