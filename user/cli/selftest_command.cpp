// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/selftest_command.h"

#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/trial_arguments.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/selftest_json.h"
#include "record/selftest_record.h"
#include "selftest/selftest_run.h"
#include "text/selftest_text.h"

#include <nlohmann/json.hpp>

#include <memory>

namespace dnsgauge
{

namespace
{

void add_options(CLI::App &app, SelftestOptions &options)
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

ExitStatus status_of(const SelftestOutcome &outcome)
{
    if (!is_decided(outcome))
        return ExitStatus::nothing_learned;
    return outcome.allowed ? ExitStatus::criterion_met : ExitStatus::criterion_not_met;
}

ExitStatus run(const SelftestOptions &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    check_files_differ("--json", options.trial.json, "--record", options.record);
    const SelftestRequest request = understand(options);
    ResultFiles files(options.trial.json, options.record, request.record);

    const SelftestOutcome outcome = make_selftest(request, catch_interruption());
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
    auto options = std::make_shared<SelftestOptions>();
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
