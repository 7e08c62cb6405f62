// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge trial
#include "cli/command.h"
#include "cli/interruption.h"
#include "cli/result_files.h"
#include "common/privileges.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "host/skeleton.h"
#include "options/access.h"
#include "options/option_error.h"
#include "record/dns_metrics.h"
#include "record/json.h"
#include "record/json_text.h"
#include "search/cover.h"
#include "search/search_progress.h"
#include "text/intervals_csv.h"
#include "text/trial_text.h"
#include "trial/trial_options.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <deque>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct Request {
    TrialPlan plan = usual_plan();
    std::optional<Rate> rate; // of captures none
    CoverOptions selftest;
    OutputOptions output;
    std::optional<std::string> dns_metrics;
    std::optional<std::string> intervals;
};

Options options_of(Request &request)
{
    Options options = {{.name = "rate",
                        .group = OptionGroup::rates,
                        .type = "QPS",
                        .help = "Queries per second",
                        .access = rate(request.rate),
                        .usual = "required, but with --capture or --pace steps"},
                       {.name = "per-query",
                        .group = OptionGroup::files,
                        .type = "FILE",
                        .help = "Write every query's fate to this file, as CSV",
                        .access = text(request.plan.per_query_file)},
                       {.name = "dns-metrics",
                        .group = OptionGroup::files,
                        .type = "FILE",
                        .help = "Write the result to this file, as DNS-OARC dns-metrics JSON lines",
                        .access = text(request.dns_metrics)},
                       {.name = "intervals",
                        .group = OptionGroup::files,
                        .type = "FILE",
                        .help = "Write the counts and RTTs of each --interval to this file, as CSV",
                        .access = text(request.intervals)}};
    append(options, trial_options(request.plan));
    append(options, interval_options(request.plan));
    append(options, replay_options(request.plan));
    append(options, cover_options(request.selftest));
    append(options, output_options(request.output));
    return options;
}

void check_files(const Request &request)
{
    const std::vector<std::pair<const char *, std::optional<std::string>>> files = {
        {"--json", request.output.json},
        {"--per-query", request.plan.per_query_file},
        {"--dns-metrics", request.dns_metrics},
        {"--intervals", request.intervals}};
    for (auto one = files.begin(); one != files.end(); ++one)
        for (auto other = one + 1; other != files.end(); ++other)
            check_files_differ(one->first, one->second, other->first, other->second);
    if (request.intervals && request.plan.interval == Nanoseconds{})
        throw SetupError("--intervals has nothing to write with --interval 0: leave one out");
}

// Shows progress in one line that is updated: the sums, and what came in the last second.
class ProgressLine
{
public:
    explicit ProgressLine(const TrialPlan &plan) : duration_(plan.duration) {}

    void show(const TrialProgress &now)
    {
        const std::uint64_t settled = now.valid + now.wrong;
        say("\r{:6.1f} s of {:g} s   sent {}   valid {}   wrong {}   open or lost {}   "
            "last second: {} sent, {} valid, {} wrong \033[K",
            now.elapsed_s, seconds(duration_), now.sent, now.valid, now.wrong,
            now.sent > settled ? now.sent - settled : 0, now.sent - before_.sent,
            now.valid - before_.valid, now.wrong - before_.wrong);
        past_.push_back(now);
        while (now.elapsed_s - past_.front().elapsed_s >= 1) {
            before_ = past_.front();
            past_.pop_front();
        }
    }

private:
    Nanoseconds duration_;
    TrialProgress before_;           // a second ago
    std::deque<TrialProgress> past_; // since then
};

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
    if (!plan.interval)
        plan.interval = usual_interval(plan.duration);
    const bool is_stepped = plan.pace.kind == Pace::Kind::steps;
    if (!request.rate && !plan.replay.is_wanted() && !is_stepped)
        throw OptionError({"rate"}, "--rate is required");
    if (request.rate && is_stepped)
        throw OptionError({"rate", "pace"}, "--pace steps has rates of its own: leave --rate out");
    plan.rate = request.rate.value_or(Rate{});
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
    std::optional<WholeFile> intervals;
    if (request.intervals)
        intervals.emplace(*request.intervals, "--intervals");
    const std::atomic<bool> &stop = catch_interruption();
    const bool live = isatty(STDERR_FILENO) != 0;

    say_notes(notes_on(plan));
    Trial trial(plan);
    if (plan.selftest)
        check_same_modes(*plan.selftest, trial.circumstances());
    std::vector<unsigned> needed = trial.capabilities();
    if (json || dns_metrics || intervals)
        needed.insert(needed.end(), writing_capabilities.begin(), writing_capabilities.end());
    drop_privileges(needed);
    ProgressLine line(plan);
    TrialResult result = trial.run(stop, [&](const TrialProgress &progress) {
        if (live)
            line.show(progress);
    });
    if (live)
        say("\r\033[K");
    result.circumstances.command = words;
    print_result(to_text(result));
    if (json)
        json->commit(json_text(to_json(result)));
    if (dns_metrics)
        dns_metrics->commit(to_dns_metrics(result));
    if (intervals)
        intervals->commit(intervals_csv(result));
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
                     "    --rate 20000 --json result.json --per-query queries.csv",
                     "dnsgauge trial --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                     "    --capture-server 198.51.100.7 --clients 10.128.0.0/12 --timeout 2"},
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
