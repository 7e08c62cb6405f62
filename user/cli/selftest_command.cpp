// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge selftest
#include "cli/command.h"
#include "record/selftest_record.h"
#include "record/selftest_result.h"
#include "selftest/selftest_run.h"
#include "series/interruption.h"
#include "series/result_files.h"
#include "system/privileges.h"
#include "system/standard_output.h"

#include <nlohmann/json.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

struct SelftestArguments {
    SelftestRequest selftest = usual_selftest();
    std::optional<std::string> json;
    Printer print;
};

ExitStatus status_of(const SelftestOutcome &outcome)
{
    if (!is_decided(outcome))
        return ExitStatus::nothing_learned;
    return outcome.allowed ? ExitStatus::criterion_met : ExitStatus::criterion_not_met;
}

SelftestOutcome walk_and_take(SelftestRequest &request, std::optional<PlacementWalk> &walk,
                              const std::atomic<bool> &stop)
{
    WalkOutcome walked = walk_placements(request, stop);
    walk = std::move(walked.walk);
    return std::move(walked.selftest);
}

Options options_of(SelftestArguments &given)
{
    return together({selftest_options(given.selftest), {json_option(given.json)}});
}

ExitStatus run(SelftestArguments &given, const std::vector<std::string> &words)
{
    SelftestRequest &request = given.selftest;
    check_files({{"--json", given.json}, {"--record", request.record_file}});
    complete(request);
    require_trial_capabilities("dnsgauge selftest");
    ResultFiles files(given.json, request.record_file, request.record, given.print);

    const std::atomic<bool> &stop = catch_interruption();
    std::optional<PlacementWalk> walk;
    const SelftestOutcome outcome =
        request.placements ? walk_and_take(request, walk, stop) : make_selftest(request, stop);
    // The record belongs to the CPU that was found best.
    if (walk)
        files.set_record(request.record_file, request.record);
    SelftestResult result = describe(request, outcome);
    if (is_decided(outcome))
        result.placements = std::move(walk);
    result.command = words;
    if (outcome.end == TrialsEnd::interrupted)
        say("dnsgauge: interrupted: the record stays as it was\n");
    if (outcome.trials.empty())
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

Command selftest_command(std::shared_ptr<Testers> testers, Printer print)
{
    SelftestArguments given{.print = std::move(print)};
    given.selftest.trial.testers = std::move(testers);
    return with_arguments(
        {.name = "selftest",
         .summary = "Find the rates that this Tester may be used for, against FakeDNS in place of "
                    "the server (RFC 8219 section 9.2.1)",
         .examples = {"dnsgauge selftest --interface eth1 --server 192.0.2.53 --rate 100k",
                      "dnsgauge selftest --interface eth1 --server 192.0.2.53 --max-rate 1M \\",
                      "    --resolution 10k",
                      "dnsgauge selftest --interface eth1 --server 192.0.2.53 --placements \\",
                      "    --cpus 0-7 --max-rate 4M --resolution 50k --duration 5"},
         .statuses = {{ExitStatus::criterion_met,
                       "the Tester is fit for a rate, which is recorded"},
                      {ExitStatus::criterion_not_met,
                       "the Tester is fit for no rate, which is recorded, too"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned,
                       "the self-test was interrupted, or a trial was invalid"}}},
        std::move(given));
}

} // namespace dnsgauge
