// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge trial
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "common/privileges.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "record/dns_metrics.h"
#include "record/json.h"
#include "record/json_text.h"
#include "search/cover.h"
#include "search/search_progress.h"
#include "text/trial_text.h"
#include "trial/trial_options.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <memory>
#include <optional>

namespace dnsgauge
{

namespace
{

struct Request {
    TrialPlan plan = usual_plan();
    CoverOptions selftest;
    OutputOptions output;
    std::optional<std::string> dns_metrics;
};

Options options_of(Request &request)
{
    Options options = {{.name = "rate",
                        .group = OptionGroup::rates,
                        .type = "QPS",
                        .help = "Queries per second",
                        .access = rate(request.plan.rate),
                        .is_required = true},
                       {.name = "per-query",
                        .group = OptionGroup::files,
                        .type = "FILE",
                        .help = "Write every query's fate to this file, as CSV",
                        .access = text(request.plan.per_query_file)},
                       {.name = "dns-metrics",
                        .group = OptionGroup::files,
                        .type = "FILE",
                        .help = "Write the result to this file, as DNS-OARC dns-metrics JSON lines",
                        .access = text(request.dns_metrics)}};
    append(options, trial_options(request.plan));
    append(options, cover_options(request.selftest));
    append(options, output_options(request.output));
    return options;
}

void check_files(const Request &request)
{
    const std::optional<std::string> &json = request.output.json;
    const std::optional<std::string> &per_query = request.plan.per_query_file;
    check_files_differ("--json", json, "--per-query", per_query);
    check_files_differ("--json", json, "--dns-metrics", request.dns_metrics);
    check_files_differ("--per-query", per_query, "--dns-metrics", request.dns_metrics);
}

// Shows progress in one line that is updated. Shows nothing unless standard error is a terminal.
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

ExitStatus run_trial(Request &request, const std::vector<std::string> &words)
{
    set_libbpf_verbosity(request.output.verbose);
    TrialPlan &plan = request.plan;
    complete(plan);
    check_files(request);
    // AuthDNS is part of the Tester of a DNS64 server, so even a single trial needs a self-test.
    if (plan.dut == Dut::dns64)
        plan.selftest = require_cover(request.selftest, plan);
    std::optional<WholeFile> json;
    if (request.output.json)
        json.emplace(*request.output.json, "--json");
    std::optional<WholeFile> dns_metrics;
    if (request.dns_metrics)
        dns_metrics.emplace(*request.dns_metrics, "--dns-metrics");
    const std::atomic<bool> &stop = catch_interruption();
    const bool live = isatty(STDERR_FILENO) != 0;

    say_notes(notes_on(plan));
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

Command trial_command()
{
    auto request = std::make_shared<Request>();
    return {
        .name = "trial",
        .summary = "Send queries at a constant rate and judge every reply",
        .options = options_of(*request),
        .examples = {"dnsgauge trial --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                     "    --rate 100k --duration 10",
                     "dnsgauge trial --interface eth1 --server 2001:db8::53 --names 10.0.0.0/8 \\",
                     "    --rate 20000 --json result.json --per-query queries.csv"},
        .statuses = {{ExitStatus::criterion_met, "enough queries were answered right, and in time"},
                     {ExitStatus::criterion_not_met,
                      "too few queries were answered right, and in time"},
                     {ExitStatus::wrong_input, "the command or the environment is wrong"},
                     {ExitStatus::nothing_learned,
                      "the trial is invalid, or was interrupted: nothing was learned about the "
                      "server"}},
        .run = [request](const std::vector<std::string> &words) {
            return run_trial(*request, words);
        }};
}

} // namespace dnsgauge
