// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge trial
#include "cli/command.h"
#include "engine/run_progress.h"
#include "options/option_error.h"
#include "record/json.h"
#include "record/json_text.h"
#include "series/interruption.h"
#include "series/progress.h"
#include "series/result_files.h"
#include "series/search/search.h"
#include "series/tester_setup.h"
#include "series/trial_series.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/system_calls.h"
#include "text/trial_text.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "workload/captured_queries.h"
#include "workload/played_queries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct TrialArguments {
    TrialPlan plan = usual_plan();
    std::optional<Rate> rate; // missing with captures and with steps
    std::uint64_t repeat = 1;
    Nanoseconds pause = usual_pause;
    bool fresh_names = false;
    CoverOptions selftest;
    std::optional<std::string> json;
    std::optional<std::string> dns_metrics;
    std::optional<std::string> intervals;
};

Options options_of(TrialArguments &request)
{
    const Options options = {
        Option("rate", OptionGroup::rates, "QPS",
               "Queries per second, at every pace but steps, ramp and window", rate(request.rate),
               {.is_required = true, .stand_ins = {"capture", "pace"}}),
        {"repeat", OptionGroup::rates, "COUNT",
         "Make this many trials, one after the other, and tell their spread",
         whole(request.repeat, 1, 10000)},
        pause_option(request.pause),
        fresh_names_option(request.fresh_names),
        {"per-query", OptionGroup::files, "FILE", "Write every query's fate to this file, as CSV",
         text(request.plan.per_query_file)},
        {"dns-metrics", OptionGroup::files, "FILE",
         "Write the result to this file, as DNS-OARC dns-metrics JSON lines",
         text(request.dns_metrics)},
        {"intervals", OptionGroup::files, "FILE",
         "Write the counts and RTTs of each --interval to this file, as CSV",
         text(request.intervals)}};
    return together({options,
                     trial_options(request.plan),
                     interval_options(request.plan),
                     replay_options(request.plan),
                     cover_options(request.selftest),
                     {json_option(request.json)}});
}

void check_outputs(const TrialArguments &request)
{
    check_files({{"--json", request.json},
                 {"--per-query", request.plan.per_query_file},
                 {"--dns-metrics", request.dns_metrics},
                 {"--intervals", request.intervals}},
                request.plan.workload);
    if (request.intervals && request.plan.interval == Nanoseconds{})
        throw SetupError("--intervals has nothing to write with --interval 0: leave one of them "
                         "out");
}

// Returns what happens between the trials. Throws SetupError if the options contradict each other.
BetweenTrials between_trials(const TrialArguments &request)
{
    BetweenTrials between{.pause = request.pause};
    if (request.repeat == 1)
        return between;
    const TrialPlan &plan = request.plan;
    if (plan.per_query_file)
        throw OptionError({"per-query", "repeat"},
                          "--per-query is the file of one trial: leave --repeat out");
    if (request.intervals)
        throw OptionError({"intervals", "repeat"},
                          "--intervals is the file of one trial: leave --repeat out");
    if (request.fresh_names)
        between.fresh_names.emplace(part_of<ZoneNames>(plan.workload)->names, count_names(plan),
                                    request.repeat);
    else if (needs_fresh_names(plan))
        throw OptionError({"repeat", "dut", "fresh-names"},
                          "a DNS64 server has the names of one trial in its cache in the next: "
                          "give --fresh-names");
    return between;
}

// Shows progress in one line that is written over: the sums, and the counts of the last second.
class ProgressLine
{
public:
    ProgressLine(const TrialPlan &plan, std::string place)
        : duration_(plan.duration), place_(std::move(place))
    {
    }

    void show(const TrialProgress &now)
    {
        const TrialProgress lately = last_second_.look(now);
        const std::uint64_t settled = now.valid + now.wrong;
        write_line_over(
            fmt::format("{}{:6.1f} s of {:g} s   sent {}   valid {}   wrong {}   open or lost {}   "
                        "last second: {} sent, {} valid, {} wrong ",
                        place_, std::min(now.elapsed_s, seconds(duration_)), seconds(duration_),
                        now.sent, now.valid, now.wrong, now.sent > settled ? now.sent - settled : 0,
                        lately.sent, lately.valid, lately.wrong));
    }

private:
    Nanoseconds duration_;
    std::string place_; // begins the line
    LastSecond last_second_;
};

ExitStatus status_of(Verdict verdict)
{
    return verdict == Verdict::pass   ? ExitStatus::criterion_met
           : verdict == Verdict::fail ? ExitStatus::criterion_not_met
                                      : ExitStatus::nothing_learned;
}

// Makes the trials that were asked for, at least one. Ends early if a trial is cut short, or if a
// trial after the first cannot be made. Before the last trial the thread gives up the right to run
// other programs, and all capabilities that nothing needs any more.
class TrialRun
{
public:
    TrialRun(const TrialArguments &request, std::vector<unsigned> needed,
             const std::atomic<bool> &stop)
        : request_(request), needed_(std::move(needed)), stop_(stop),
          series_(
              request.plan, between_trials(request), stop,
              [this](const TrialProgress &progress) {
                  if (line_)
                      line_->show(progress);
              },
              [this](const Trial &trial) { prepare(trial); })
    {
    }

    // Adds the trials to `made`, and the error that ended them early. Throws SetupError if the
    // first trial cannot be made.
    void run(RepeatedTrials &made, const std::vector<std::string> &words)
    {
        while (number_ < request_.repeat && (number_ == 0 || !stop_)) {
            number_++;
            try {
                std::optional<TrialResult> trial = run_one();
                if (!trial)
                    return;
                trial->circumstances.command = words;
                if (const auto *capture = part_of<CaptureWorkload>(request_.plan.workload))
                    for (std::string &doubt : capture->queries->doubts())
                        trial->caveats.doubts.push_back(std::move(doubt));
                made.trials.push_back(std::move(*trial));
            } catch (const std::exception &error) {
                // What was measured is kept, whatever happened to the machine since.
                if (made.trials.empty())
                    throw;
                made.error = error.what();
                return;
            }
        }
    }

private:
    [[nodiscard]] std::optional<TrialResult> run_one()
    {
        std::string place;
        if (request_.repeat > 1)
            place = fmt::format("trial {} of {}: ", number_, request_.repeat);
        if (live_)
            line_.emplace(request_.plan, place);
        std::optional<TrialResult> trial = series_.run(request_.plan.rate, number_ - 1);
        if (live_)
            write_line_over("");
        if (trial && request_.repeat > 1)
            say("{}{}: {}\n", place, to_string(trial->verdict), trial->why);
        return trial;
    }

    void prepare(const Trial &trial)
    {
        if (number_ < request_.repeat)
            return;
        std::vector<unsigned> needed = trial.capabilities();
        needed.insert(needed.end(), needed_.begin(), needed_.end());
        drop_privileges(needed);
        static_cast<void>(refuse_programs());
    }

    const TrialArguments &request_;
    std::vector<unsigned> needed_; // capabilities, after the last trial
    const std::atomic<bool> &stop_;
    const bool live_ = isatty(STDERR_FILENO) != 0;
    std::uint64_t number_ = 0;         // of the trial at hand, from 1
    std::optional<ProgressLine> line_; // of the trial at hand, on a terminal
    TrialSeries series_;
};

Rate highest_rate(const TrialPlan &plan)
{
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload))
        return PlayedQueries(capture->queries).peak_rate(std::chrono::seconds(1));
    const Pace pace = pace_of(plan);
    return pace.has_rates() ? std::max(pace.from, pace.to) : plan.rate;
}

// Returns the self-test that covers the trial, or what is missing. TCP hides a Tester's slowness,
// which lengthens RTTs and loses nothing: so each trial over TCP tells.
SelftestCover find_cover(TrialPlan plan, CoverOptions options)
{
    plan.rate = highest_rate(plan);
    options.beyond = true;
    return require_cover(options, plan);
}

ExitStatus run(TrialArguments &request, const std::vector<std::string> &words)
{
    TrialPlan &plan = request.plan;
    if (!plan.interval)
        plan.interval = usual_interval(plan.duration, pace_of(plan));
    plan.rate = checked_rate(request.rate, plan);
    complete(plan);
    check_outputs(request);
    // AuthDNS is part of a DNS64 server's Tester, so even a single trial needs a self-test.
    if (plan.dut == Dut::dns64)
        plan.same_modes_as = plan.selftest = require_cover(request.selftest, plan);
    ResultFile json(request.json, "--json");
    ResultFile dns_metrics(request.dns_metrics, "--dns-metrics");
    ResultFile intervals(request.intervals, "--intervals");
    require_trial_capabilities("dnsgauge trial");
    const std::atomic<bool> &stop = catch_interruption();
    // Captures have a rate and a duration of their own, which the trial takes over.
    load_list(plan);
    plan.certificate = certificate_of(plan);
    // The rate of a window is known afterwards, and its open queries tell whether the Tester is
    // slow.
    if (plan.transport != Transport::udp && !plan.selftest &&
        pace_of(plan).kind != Pace::Kind::window)
        plan.selftest = find_cover(plan, request.selftest);

    say_notes(notes_on(plan));
    std::vector<unsigned> needed;
    if (json || dns_metrics || intervals || plan.per_query_file)
        needed.assign(writing_capabilities.begin(), writing_capabilities.end());
    RepeatedTrials made{
        .repeat = request.repeat, .pause = request.pause, .fresh_names = request.fresh_names};
    choose_sender(plan);
    TrialRun(request, needed, stop).run(made, words);
    made = sum_up(std::move(made));
    const bool is_one = request.repeat == 1;
    const auto write = [&] {
        json.commit(json_text(is_one ? to_json(made.trials.front()) : to_json(made)));
        std::string lines;
        for (const TrialResult &trial : made.trials)
            lines += to_dns_metrics(trial);
        dns_metrics.commit(lines);
        intervals.commit(intervals_csv(made.trials.front()));
    };
    write_and_print(write, is_one ? to_text(made.trials.front()) : to_text(made));
    if (made.error.empty())
        return status_of(made.verdict);
    say("dnsgauge: trial {} of {}: {}\n", made.trials.size() + 1, made.repeat, made.error);
    return ExitStatus::wrong_input;
}

} // namespace

Command trial_command(std::shared_ptr<Testers> testers)
{
    TrialArguments given;
    given.plan.testers = std::move(testers);
    return with_arguments(
        {.name = "trial",
         .summary = "Send queries at a constant rate and judge every reply",
         .examples = {"dnsgauge trial --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --rate 100k --duration 10",
                      "dnsgauge trial --interface eth1 --server 2001:db8::53 --names 10.0.0.0/8 \\",
                      "    --rate 20000 --json result.json --per-query queries.csv",
                      "dnsgauge trial --interface eth1 --server 192.0.2.53 --capture day.pcap \\",
                      "    --capture-server 198.51.100.7 --clients 10.128.0.0/12 --timeout 2",
                      "dnsgauge trial --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --rate 100k --duration 10 --repeat 5"},
         .statuses = {{ExitStatus::criterion_met,
                       "enough queries were answered right, and in time"},
                      {ExitStatus::criterion_not_met,
                       "too few queries were answered right, and in time"},
                      {ExitStatus::wrong_input,
                       "the command or the environment is wrong; the result has the trials of "
                       "--repeat that were made before"},
                      {ExitStatus::nothing_learned,
                       "the trial is invalid, or was interrupted: nothing was learned about the "
                       "server"}}},
        std::move(given));
}

} // namespace dnsgauge
