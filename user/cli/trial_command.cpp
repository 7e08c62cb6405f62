// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/trial_command.h"

#include "cli/interruption.h"
#include "cli/result_files.h"
#include "cli/trial_arguments.h"
#include "common/privileges.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "record/dns_metrics.h"
#include "record/json.h"
#include "record/json_text.h"
#include "text/trial_text.h"
#include "units/quantity_text.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

struct Options {
    TrialOptions trial;
    CoverOptions selftest;
    std::string rate;
    std::optional<std::string> per_query;
    std::optional<std::string> dns_metrics;
};

void add_options(CLI::App &app, Options &options)
{
    app.add_option("--rate", options.rate, "Queries per second")->required()->type_name("QPS");
    add_trial_options(app, options.trial);
    add_cover_options(app, options.selftest);
    app.add_option("--per-query", options.per_query,
                   "Write every query's fate to this file, as CSV")
        ->type_name("FILE");
    app.add_option("--dns-metrics", options.dns_metrics,
                   "Write the result to this file, as DNS-OARC dns-metrics JSON lines")
        ->type_name("FILE");
}

TrialPlan plan_trial(const Options &options)
{
    TrialPlan plan = make_plan(options.trial);
    plan.rate = parse_rate(options.rate, "--rate");
    check_files_differ("--json", options.trial.json, "--per-query", options.per_query);
    check_files_differ("--json", options.trial.json, "--dns-metrics", options.dns_metrics);
    check_files_differ("--per-query", options.per_query, "--dns-metrics", options.dns_metrics);
    plan.per_query_file = options.per_query;
    return plan;
}

// One line that is written over, on a terminal; nothing otherwise.
void show_progress(const TrialPlan &plan, const TrialProgress &progress)
{
    const double elapsed = std::max(progress.elapsed_s, 0.001);
    const std::uint64_t settled = progress.valid + progress.wrong;
    say("\r{:6.1f} s of {:g} s   sent {}   valid {}   wrong {}   open or lost {}   "
        "{:.0f} queries/s \033[K",
        progress.elapsed_s, seconds(plan.duration), progress.sent, progress.valid, progress.wrong,
        progress.sent > settled ? progress.sent - settled : 0,
        static_cast<double>(progress.sent) / elapsed);
}

ExitStatus status_of(Verdict verdict)
{
    switch (verdict) {
    case Verdict::pass:
        return ExitStatus::criterion_met;
    case Verdict::fail:
        return ExitStatus::criterion_not_met;
    case Verdict::invalid:
        break;
    }
    return ExitStatus::nothing_learned;
}

ExitStatus run_trial(const Options &options, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(options.trial.verbose);
    TrialPlan plan = plan_trial(options);
    // Where AuthDNS is part of the Tester, a single trial says nothing without a self-test.
    if (plan.dut == Dut::dns64)
        plan.selftest = require_cover(options.selftest, options.trial, plan);
    std::optional<WholeFile> json;
    if (options.trial.json)
        json.emplace(*options.trial.json, "--json");
    std::optional<WholeFile> dns_metrics;
    if (options.dns_metrics)
        dns_metrics.emplace(*options.dns_metrics, "--dns-metrics");
    const std::atomic<bool> &stop = catch_interruption();
    const bool live = isatty(STDERR_FILENO) != 0;

    print_notes(notes_on(plan));
    Trial trial(plan);
    if (plan.selftest)
        check_same_modes(*plan.selftest, trial.circumstances());
    std::vector<unsigned> needed = trial.capabilities();
    if (json || dns_metrics)
        needed.insert(needed.end(), writing_capabilities.begin(), writing_capabilities.end());
    drop_privileges(needed);
    TrialResult result = trial.run(stop, [&](const TrialProgress &progress) {
        if (live)
            show_progress(plan, progress);
    });
    if (live)
        say("\r\033[K");
    result.circumstances.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(to_json(result)));
    if (dns_metrics)
        dns_metrics->commit(to_dns_metrics(result));
    return status_of(result.verdict);
}

} // namespace

void add_trial_command(CLI::App &app, const std::vector<std::string> &words, Command &chosen)
{
    auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("trial", "Send queries at a constant rate and judge every reply");
    add_options(*command, *options);
    command->callback([options, &words, &chosen] {
        chosen = [options, &words] { return run_trial(*options, words); };
    });
}

} // namespace dnsgauge
