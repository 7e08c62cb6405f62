// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge gate
#include "cli/command.h"
#include "gate/gate.h"
#include "gate/gate_run.h"
#include "options/option_error.h"
#include "record/json_text.h"
#include "series/interruption.h"
#include "series/progress.h"
#include "series/result_files.h"
#include "series/series_request.h"
#include "series/tester_setup.h"
#include "system/listed.h"
#include "system/privileges.h"
#include "system/random.h"
#include "system/same_file.h"
#include "trial/circumstances.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr double rounds_time_most = 7 * 86400;

struct GateArguments {
    GateArguments()
    {
        gate.between.ready_limit = std::chrono::seconds(60);
        gate.between.ready_limit_name = "--ready-timeout";
        gate.between.after_mending.clear();
    }

    GateRequest gate;
    std::optional<Rate> rate;
    std::optional<std::uint64_t> seed;
    std::optional<std::string> json;
    std::optional<std::string> markdown;
    std::optional<std::string> junit;
};

// Returns the options of trials except --accept: see gate_plan().
Options options_of_trials(GateArguments &given)
{
    Options options = {Option("rate", OptionGroup::rates, "QPS",
                              "Queries per second, at every pace but steps, ramp and window",
                              rate(given.rate), {.is_required = true, .stand_ins = {"pace"}})};
    append(options, trial_options(given.gate.plan));
    std::erase_if(options, [](const Option &option) { return option.name == "accept"; });
    return options;
}

Options options_of(GateArguments &given)
{
    GateRequest &gate = given.gate;
    const OptionForm required{.is_required = true, .is_repeatable = true};
    Options options = {
        Option("baseline", OptionGroup::what_is_tested, "COMMAND",
               "Shell command that runs the old server in the foreground; or a file of trials, "
               "which --json wrote",
               texts(gate.baseline), required),
        Option("candidate", OptionGroup::what_is_tested, "COMMAND",
               "Shell command that runs the new server, at the same address; or a file of trials",
               texts(gate.candidate), required),
        {"judge", OptionGroup::judgement, "FIGURES",
         "Figures that decide, each with its margin: share (answered) in percentage points, by "
         "default 0.1; rate (answers per second, with --pace window) and min, p50, p90, p99, p99_9 "
         "and max (RTT) in percent, by default 5",
         parsed(gate.figures, parse_gate_figures)},
        {"error", OptionGroup::judgement, "PERCENT",
         "Highest probability of each wrong verdict, slower and not slower",
         number(gate.error_percent, 1e-6, 50)},
        {"time", OptionGroup::rates, "SECONDS", "Seconds for all rounds; then it cannot tell",
         time(gate.time, rounds_time_most)},
        {"rounds", OptionGroup::rates, "COUNT", "Most rounds; then it cannot tell",
         whole(gate.rounds_most, 1, 10000)},
        Option("seed", OptionGroup::rates, "NUMBER", "Seed of the order in each round",
               whole(given.seed, 0, 0xffffffff), {.usual = "another one each time"}),
        pause_option(gate.between.pause),
        {"ready-timeout", OptionGroup::between_trials, "SECONDS",
         "Seconds that a server may take to answer after its start",
         time(gate.between.ready_limit, duration_most)},
        invalid_retries_option(gate.invalid_retries),
        {"markdown", OptionGroup::files, "FILE", "Write the result to this file, as a comment",
         text(given.markdown)},
        {"junit", OptionGroup::files, "FILE",
         "Write the result to this file, as a JUnit suite with a test for each figure",
         text(given.junit)}};
    // With files no options of trials are required: see require_trial_options().
    Options trials = options_of_trials(given);
    for (Option &option : trials)
        if (std::exchange(option.is_required, false))
            option.usual = "none";
    append(options, std::move(trials));
    options.push_back(json_option(given.json));
    return options;
}

// Throws OptionError if options are missing that trials need.
void require_trial_options(GateArguments &given)
{
    const Options options = options_of_trials(given);
    GateArguments none;
    const Options usual = options_of_trials(none);
    const auto is_given = [&](const std::string &name) {
        const Option *option = find_option(options, name);
        return option != nullptr && option->access.get() != find_option(usual, name)->access.get();
    };
    const auto is_given_name = [&](const char *name) { return name != nullptr && is_given(name); };
    std::vector<std::string> missing;
    for (const Option &option : options)
        if (option.is_required && !is_given(option.name) &&
            std::ranges::none_of(option.stand_ins, is_given_name))
            missing.push_back("--" + option.name);
    if (!missing.empty())
        throw OptionError({missing.front().substr(2)},
                          "{} {} required if --baseline is a command, not a file of results",
                          listed(missing, "and"), missing.size() == 1 ? "is" : "are");
}

ExitStatus status_of(GateVerdict verdict)
{
    return verdict == GateVerdict::not_slower ? ExitStatus::criterion_met
           : verdict == GateVerdict::slower   ? ExitStatus::criterion_not_met
                                              : ExitStatus::nothing_learned;
}

GateResult make_trials(GateArguments &given)
{
    GateRequest &gate = given.gate;
    TrialPlan &plan = gate.plan;
    require_trial_options(given);
    plan.rate = checked_rate(given.rate, plan);
    if (std::ranges::any_of(gate.figures, is_rate) && pace_of(plan).kind != Pace::Kind::window)
        throw OptionError({"judge", "pace"},
                          "--judge rate: the answers per second say how fast a server is only if "
                          "it is asked as fast as it answers: give --pace window=N, too");
    complete(plan);
    require_trial_capabilities("dnsgauge gate");
    const std::atomic<bool> &stop = catch_interruption();
    load_list(plan);
    plan.certificate = certificate_of(plan);
    if (plan.transport != Transport::udp || plan.dut == Dut::dns64)
        plan.selftest = require_cover({.beyond = true, .record = {}}, plan);
    choose_sender(plan);
    say_notes(notes_on(plan));
    gate.seed = given.seed ? *given.seed : random_value<std::uint32_t>();
    return run_gate(gate, stop);
}

ExitStatus run(GateArguments &given, const std::vector<std::string> &words)
{
    const std::vector<NamedFile> files = {
        {"--json", given.json}, {"--markdown", given.markdown}, {"--junit", given.junit}};
    check_files(files, given.gate.plan.workload);
    const bool has_files = are_results(given.gate);
    if (has_files)
        for (const NamedFile &file : files)
            for (const auto *const results : {&given.gate.baseline, &given.gate.candidate})
                if (file.path)
                    check_is_no_input(*results, file.option, *file.path);
    ResultFile json(given.json, "--json");
    ResultFile markdown(given.markdown, "--markdown");
    ResultFile junit(given.junit, "--junit");
    GateResult result = has_files ? judge_files(given.gate) : make_trials(given);
    result.command = words;
    if (const std::string doubts = doubts_text(result); !doubts.empty())
        say_notes({doubts});
    const auto write = [&] {
        json.commit(json_text(written(result)));
        markdown.commit(to_markdown(result));
        junit.commit(to_junit(result, host_name(), std::chrono::system_clock::now()));
    };
    write_and_print(write, to_text(result) + '\n' + probe_text(result));
    return status_of(result.verdict);
}

} // namespace

Command gate_command()
{
    return with_arguments<GateArguments>(
        {.name = "gate",
         .summary = "Decide whether a server is slower than another one, with as few trials as "
                    "that takes",
         .examples = {"dnsgauge gate --interface eth1 --server 192.0.2.53 --names 10.0.0.0/8 \\",
                      "    --rate 100k --baseline old/server --candidate new/server \\",
                      "    --judge share,p50=3,p90=5 --markdown gate.md --junit gate.xml",
                      "dnsgauge gate --baseline old.json --candidate new.json"},
         .statuses = {{ExitStatus::criterion_met,
                       "no figure of the candidate is worse by more than its margin"},
                      {ExitStatus::criterion_not_met, "a figure is"},
                      {ExitStatus::wrong_input,
                       "the command or the environment is wrong, or a server ended by itself"},
                      {ExitStatus::nothing_learned,
                       "that cannot be told in the time given, or the gate was interrupted"}}});
}

} // namespace dnsgauge
