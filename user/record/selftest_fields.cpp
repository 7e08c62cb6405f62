// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_result.h"

#include "record/certificate.h"
#include "record/machine_fields.h"
#include "record/trial_fields.h"
#include "stats/selftest_rule.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

constexpr const char *settings_text_of =
    "settings of dnsgauge placement apply, by their names; empty: the machine as it was";

} // namespace

static void fields(Fields &row, WalkedPlacement &placement)
{
    const Band spread = placement.spread();
    row("sender_cpu", placement.sender_cpu, "the sender's CPU");
    row("sender_queue", placement.sender_queue, "the sender's transmit queue; null: the usual one");
    row.made("settings", placement.settings, settings_text_of);
    row.made("rates", placement.rates,
             "the highest r that each search found, queries per second; 0: none passed");
    row.made("lowest", spread.min, "the lowest of rates");
    row.made("median", spread.median,
             "their median; of an even number the mean of the two central ones");
    row.made("highest", spread.max, "the highest of rates");
}

static void fields(Fields &row, PlacementStage &stage)
{
    row("part", stage.part, "sender, transmit queue, or receiving queues");
    row.list("walked", stage.walked, "the placements, the usual one first, which took turns");
    row.made("best", std::uint64_t{stage.best + 1},
             "the place of the best one in walked, from 1: the usual one, unless each search of "
             "another found more than every search of the usual one, by at least the resolution",
             {.least = 1});
    row.made("gain_percent", stage.gain_percent,
             "the best one's median above the usual one's, percent; null: the usual one is best, "
             "or kept no rate",
             {.is_signed = true});
    row("found", stage.found, "the same in words");
}

void fields(Fields &row, PlacementWalk &walk)
{
    WalkedPlacement best = walk.stages.empty() ? WalkedPlacement{} : walk.best();
    row("finished", walk.finished, "when the walk finished: UTC, ISO 8601", utc_moment);
    row("repeat", walk.repeat, "searches of each placement");
    row("sender_cpu", best.sender_cpu,
        "the best CPU of the sender, which later trials use unless --cpus names one");
    row("sender_queue", best.sender_queue,
        "the best transmit queue with that CPU, which later trials take with it where nobody "
        "names either; null: the usual one");
    row.made("settings", best.settings,
             "the best settings of dnsgauge placement apply with that CPU, by their names; empty: "
             "the machine as it was. They are put back: whoever wants them applies them");
    row.list("stages", walk.stages,
             "the parts of the Tester that were placed, one after the other: the sender, its "
             "transmit queue, then the receiving queues, each with the best of the parts before, "
             "and only where there is a choice");
    row("not_walked", walk.not_walked, "parts that cannot be placed here, and why");
}

// How a self-test deviates from RFC 8219.
static void compliance_rows(Fields &row, SelftestResult &result)
{
    std::optional<double> printed;
    if (result.allowed)
        printed = SelftestRule(result.delta).printed_rate_for(*result.allowed);
    row.made("compliant", result.caveats.is_compliant(),
             "whether nothing deviates from RFC 8219 section 9");
    row("deviations", result.caveats.deviations,
        "each deviation of the trials, and of --confirm, in words");
    row.made("printed_rate", printed,
             "the rate that the RFC's own formula, 2*(r+delta), gives for allowed_rate, queries "
             "per second; null: no rate is allowed");
}

void fields(Fields &row, SelftestTrial &tried)
{
    TrialSummary &trial = tried.trial;
    row.shared("selftest_trial", "a trial of a self-test; null: there is none", true);
    row.made("r", tried.r, "the rate that the Tester is to be used at, queries per second");
    row("rate", trial.rate,
        "the rate of the trial, which the rule for r asks for, queries per second");
    row.word("verdict", trial.verdict, verdict_words,
             "the verdict on the trial; fail also where the Tester itself was too slow");
    row("sent", trial.sent, "queries that the kernel has sent");
    row("valid", trial.valid, "queries that were answered right and in time");
    row("why", trial.why, "the reason of the verdict, in words");
}

void fields(Fields &row, SelftestResult &result)
{
    row.form("selftest", "A self-test of the Tester. dnsgauge selftest --json writes it, and the "
                         "record file of a set-up holds it.");
    row("server", result.server,
        "FakeDNS' address, or the addresses that several Testers asked, with commas");
    row("zone", result.zone, "the zone that the names are in");
    row("answer", result.answer, "the data of a right answer, as in dnsgauge/trial/1");
    row.made("min_rate", result.min_rate,
             "the lowest r that was asked for, queries per second: r is the rate that the Tester "
             "is to be used at");
    row.made("max_rate", result.max_rate,
             "the highest r that was asked for, queries per second; with --rate the same as "
             "min_rate");
    row.made("resolution", result.resolution,
             "the result is at most this far below an r that failed, queries per second",
             {.least = 1});
    row("confirm", result.confirm, "times that a failed trial is tried again before it counts");
    row("delta", result.delta,
        "delta of the rule 2*r*(1+delta), rounded up, which gives the rate that the Tester must "
        "keep");
    row("timeout_s", result.timeout,
        "t, the timeout of the trials that the self-test allows, seconds");
    row.made("selftest_timeout_s", SelftestRule::timeout_for(result.timeout),
             "a quarter of t, within which all answers must come, seconds");
    row("duration_s", result.duration, "the duration of each trial, seconds");
    row("max_lateness_s", result.max_lateness,
        "the most that any query of a trial may be late, seconds");
    row("max_overrun_s", result.max_overrun,
        "the most that the last query of a trial may be late, seconds");
    row.group<compliance_rows>("rfc8219", result,
                               "whether the self-test is what RFC 8219 section 9 demands");
    row.made("end", std::string(trials_ends.text_of(result.end)),
             "complete: a rate passed and one above it failed; above range: the highest passed; "
             "below range: the lowest failed; interrupted, invalid trial: nothing is decided or "
             "recorded",
             {.pattern = "^(complete|interrupted|invalid trial|below range|above range)$"});
    row("allowed_rate", result.allowed,
        "the highest r that the Tester may be used at, queries per second; null: none");
    row.made("passed_rate", result.kept(),
             "the rate that the Tester kept for allowed_rate, queries per second; null: none");
    row.object("stopped_by", result.stopped_by,
               "the trial that failed right above allowed_rate, or that ended the self-test; null: "
               "none");
    row.list("trials", result.trials, "all trials in their order");
    row.object("certificate", result.caveats.certificate, "");
    row("finished", result.finished, "when the self-test finished: UTC, ISO 8601", utc_moment);
    row.object("setup", result.setup, "");
    row.object("circumstances", result.circumstances, "");
    row.list("other_circumstances", result.other_circumstances,
             "where several Testers made the self-test together (dnsgauge-mpi), the circumstances "
             "of all Testers but rank 0, ascending by rank: each must use the same "
             "modes in a trial that the self-test covers",
             {.presence = Presence::sometimes, .least = 1});
    row("command", result.command, "the command line of the run that wrote this");
    row("record", result.record, "the record's file; empty: nothing was recorded");
    row("record_notes", result.record_notes,
        "what became of earlier self-tests in that file, and why");
    row.object("placements", result.placements,
               "what --placements found: which CPU and transmit queue of the sender, and which "
               "settings of the machine, are best; in a record file, what the last self-test found "
               "that walked placements",
               sometimes);
    row.only_if(false);
    std::vector<SelftestResult> others;
    row.list("others", others,
             "self-tests of the same set-up that cover trials which this one does not; only in a "
             "record file");
}

nlohmann::ordered_json to_json(const SelftestResult &result)
{
    return written(result);
}

} // namespace dnsgauge
