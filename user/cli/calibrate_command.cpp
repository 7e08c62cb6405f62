// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/calibrate_command.h"

#include "calibrate/calibration.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/trial_arguments.h"
#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/calibration_json.h"
#include "record/certificate.h"
#include "search/tester_setup.h"
#include "text/calibration_text.h"
#include "trial/circumstances.h"
#include "units/quantity_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t steps = 16; // of the range of rates, to which the limit is found
constexpr double tolerance_most = 60;

struct Options {
    TrialOptions trial;
    std::string fakedns_interface;
    std::string fakedns_netns;
    std::optional<std::string> fakedns;
    std::optional<unsigned> fault_cpu;
    std::string min_rate = "1000";
    std::string max_rate = "200000";
    unsigned attempts = CalibrationTerms{}.attempts;
    std::vector<std::string> checks = {"counting", "rtt", "pacing"};
    std::string max_bias = seconds_text(CalibrationLimits{}.bias);
    std::string max_lateness_p99 = seconds_text(CalibrationLimits{}.lateness_p99);
    std::optional<std::string> record;
};

struct Request {
    CalibrationPlan plan;
    TesterSetup setup;
    std::string record; // empty: none
};

void add_options(CLI::App &app, Options &options)
{
    app.add_option("--fakedns-interface", options.fakedns_interface,
                   "Interface at the other end of the link, where fakedns is run, or the arrival "
                   "clock in its place; it has the address --server")
        ->required()
        ->type_name("IF");
    app.add_option("--fakedns-netns", options.fakedns_netns,
                   "Network namespace of that interface, as \"ip netns\" knows it: not the "
                   "Tester's, or the kernel would not use the link")
        ->required()
        ->type_name("NAME");
    app.add_option("--fakedns", options.fakedns, "The program, instead of the one beside this one")
        ->type_name("FILE");
    app.add_option("--fault-cpu", options.fault_cpu,
                   "CPU on which fakedns waits busily for the time of answers that it holds back "
                   "(see fakedns --help)")
        ->check(CLI::Range(0, 1023))
        ->type_name("CPU");
    app.add_option("--min-rate", options.min_rate, "Lowest rate that the Tester is to be used at")
        ->type_name("QPS")
        ->capture_default_str();
    app.add_option("--max-rate", options.max_rate,
                   "Highest rate that it is to be used at; a limit below is found by the "
                   "self-test's search")
        ->type_name("QPS")
        ->capture_default_str();
    app.add_option("--attempts", options.attempts,
                   "Times to make a check until there is no doubt; the last one counts")
        ->check(CLI::Range(1, 100))
        ->capture_default_str();
    app.add_option("--checks", options.checks,
                   "What to check beside the limit: counting, rtt, pacing; only all of them make "
                   "a certificate that is recorded")
        ->delimiter(',')
        ->check(CLI::IsMember({"counting", "rtt", "pacing"}))
        ->type_name("LIST")
        ->default_str("counting,rtt,pacing");
    app.add_option("--max-bias", options.max_bias, "Seconds by which RTTs may be wrong")
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--max-lateness-p99", options.max_lateness_p99,
                   "Seconds behind the schedule within which 99 % of the queries must arrive")
        ->type_name("SECONDS")
        ->capture_default_str();
    add_record_option(app, options.record, "certificate");
}

SearchRange plan_range(const Options &options)
{
    SearchRange range;
    range.min = parse_rate(options.min_rate, "--min-rate");
    range.max = parse_rate(options.max_rate, "--max-rate");
    if (range.min > range.max)
        throw SetupError(fmt::format("--min-rate {} must not be above --max-rate {}",
                                     options.min_rate, options.max_rate));
    range.resolution = std::max<std::uint64_t>(range.max.per_second / steps, 1);
    return range;
}

TrialPlan plan_trial(const Options &options)
{
    TrialOptions trial = options.trial;
    trial.names = "0.0.0.0/0";
    trial.allow_repeats = true;
    TrialPlan plan = make_plan(trial);
    if (plan.timeout < calibration_timeout_least)
        throw SetupError(
            fmt::format("--timeout {}: must be at least 0.05 s, for delays below it to "
                        "be told from it",
                        *trial.timeout));
    return plan;
}

std::string program_beside_us()
{
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fakedns").string();
}

FakednsPlan plan_fakedns(const Options &options, const TrialPlan &trial)
{
    if (options.fakedns_netns.find('/') != std::string::npos || options.fakedns_netns.empty())
        throw SetupError(fmt::format("--fakedns-netns {}: give a name that \"ip netns list\" shows",
                                     options.fakedns_netns));
    FakednsPlan plan;
    plan.program = options.fakedns.value_or(program_beside_us());
    plan.netns = options.fakedns_netns;
    plan.interface = options.fakedns_interface;
    plan.zone = trial.zone.text;
    plan.aaaa_prefix = to_string(trial.answer_prefix);
    plan.port = trial.server_port;
    plan.fault_cpu = options.fault_cpu;
    return plan;
}

CalibrationParts plan_parts(const std::vector<std::string> &checks)
{
    const auto has = [&](const char *part) {
        return std::ranges::find(checks, part) != checks.end();
    };
    return {.counting = has("counting"), .rtt = has("rtt"), .pacing = has("pacing")};
}

Request understand(const Options &options)
{
    Request request;
    CalibrationPlan &plan = request.plan;
    plan.limit.range = plan_range(options);
    plan.limit.confirm = options.attempts - 1;
    plan.trial = plan_trial(options);
    plan.fakedns = plan_fakedns(options, plan.trial);
    plan.attempts = options.attempts;
    plan.parts = plan_parts(options.checks);
    plan.limits.bias = parse_seconds(options.max_bias, "--max-bias", tolerance_most);
    plan.limits.lateness_p99 =
        parse_seconds(options.max_lateness_p99, "--max-lateness-p99", tolerance_most);
    plan.limits.lateness = plan.trial.tolerances.lateness;
    plan.limits.overrun = plan.trial.tolerances.overrun_least;
    plan.trial.rate = plan.limit.range.min;
    static_cast<void>(count_queries(plan.trial));
    request.setup = describe_setup(plan.trial);
    plan.fakedns.kept_free = request.setup.sender_cpus;
    if (options.record && !plan.parts.all())
        throw SetupError("--record: a certificate is of all checks: leave --checks away");
    if (plan.parts.all())
        request.record = options.record.value_or(certificate_path(request.setup));
    return request;
}

ExitStatus run(const Options &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    check_files_differ("--json", options.trial.json, "--record", options.record);
    const Request request = understand(options);
    ResultFiles files(options.trial.json, options.record, request.record);

    std::optional<CalibrationResult> result =
        calibrate(request.plan, catch_interruption(),
                  [](const std::string &what) { say("dnsgauge: calibrating: {}\n", what); });
    if (!result) {
        say("dnsgauge: interrupted: what was recorded before stays\n");
        return ExitStatus::nothing_learned;
    }
    result->server = to_string(request.plan.trial.server);
    result->setup = request.setup;
    result->finished = machine_circumstances().started;
    result->command = words;
    result->record = request.record;
    files.write(to_text(*result), to_json(*result), to_json(*result));
    return result->doubts.empty() ? ExitStatus::criterion_met : ExitStatus::criterion_not_met;
}

} // namespace

void add_calibrate_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen)
{
    auto options = std::make_shared<Options>();
    options->trial.duration = seconds_text(CalibrationTerms{}.duration);
    options->trial.timeout = seconds_text(CalibrationTerms{}.timeout);
    CLI::App *command = app.add_subcommand(
        "calibrate", "Show which figures of this Tester are right on this set-up, against FakeDNS "
                     "with known faults and delays and against a clock at the link's other end");
    add_options(*command, *options);
    add_tester_options(*command, options->trial);
    command->callback([options, &words, &chosen] {
        chosen = [options, &words] { return run(*options, words); };
    });
}

} // namespace dnsgauge
