// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_json.h"

#include "options/options_json.h"
#include "record/calibration_json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/trial_fields.h"
#include "stats/selftest_rule.h"
#include "stats/summary.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr const char *settings_text_of =
    "settings of dnsgauge placement apply, by their names; empty: the machine as it was";

// Returns the value of an option that belongs to a set-up.
OptionValue value_of(const Json &json)
{
    if (json.is_null())
        return {};
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_number_unsigned())
        return json.get<std::uint64_t>();
    if (json.is_number())
        return json.get<double>();
    if (json.is_array())
        return json.get<std::vector<unsigned>>();
    return json.get<std::string>();
}

} // namespace

static void fields(Fields &row, WalkedPlacement &placement)
{
    const std::vector<double> rates(placement.rates.begin(), placement.rates.end());
    const Band spread = band_of(rates).value_or(Band{});
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
             "another found more than all of the usual one's, by the resolution at least",
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
        "the best CPU of the sender, which later trials use where nobody names one");
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
    row.made("deviations", result.caveats.deviations,
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
    row.made("rate", trial.rate,
             "the rate of the trial, which the rule for r asks for, queries per second");
    row.word("verdict", trial.verdict, verdict_words,
             "the verdict on the trial; fail also where the Tester itself was too slow");
    row("sent", trial.sent, "queries that the kernel has sent");
    row("valid", trial.valid, "queries that were answered right and in time");
    row("why", trial.why, "the reason of the verdict, in words");
}

void fields(Fields &row, SelftestResult &result)
{
    const SelftestRule rule(result.delta);
    std::optional<Rate> passed;
    if (result.allowed)
        passed = rule.rate_for(*result.allowed);
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
    row.made("confirm", result.confirm,
             "times that a failed trial is tried again before it counts");
    row.made("delta", rule.delta(),
             "delta of the rule 2*r*(1+delta), rounded up, which gives the rate that the Tester "
             "must keep");
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
    row.made("allowed_rate", result.allowed,
             "the highest r that the Tester may be used at, queries per second; null: none");
    row.made("passed_rate", passed,
             "the rate that the Tester kept for allowed_rate, queries per second; null: none");
    row.object("stopped_by", result.stopped_by,
               "the trial that failed right above allowed_rate, or that ended the self-test; null: "
               "none");
    row.list("trials", result.trials, "all trials in their order");
    row.object("certificate", result.caveats.certificate, "");
    row("finished", result.finished, "when the self-test finished: UTC, ISO 8601", utc_moment);
    row.apart("setup", setup_json(result.setup), "setup", "");
    row.object("circumstances", result.circumstances, "");
    row.list("other_circumstances", result.other_circumstances,
             "where several Testers made the self-test together (dnsgauge-mpi), the circumstances "
             "of the Testers beside the one of rank 0, ascending by rank: each must use the same "
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

Json setup_json(const TesterSetup &setup)
{
    Json json = {{"version", setup.version},
                 {"kernel", setup.kernel},
                 {"host", setup.host},
                 {"cpu_model", setup.cpu_model},
                 {"cpus", setup.cpus},
                 {"interface", setup.interface},
                 {"driver", setup.driver},
                 {"mtu", setup.mtu},
                 {"link_mbps", setup.link_mbps != 0 ? Json(setup.link_mbps) : Json()},
                 {"receive_queues", setup.receive_queues},
                 {"transmit_queues", setup.transmit_queues},
                 {"sender_cpus", setup.sender_cpus}};
    for (const auto &[key, value] : setup.options)
        json[key] = json_of(value);
    json["ip_version"] = setup.is_ipv6 ? 6 : 4;
    for (const TesterSetup &other : setup.others)
        json["other_testers"].push_back(setup_json(other));
    return json;
}

TesterSetup read_setup(const Json &json)
{
    TesterSetup setup;
    setup.version = plain_text(json.at("version"));
    setup.kernel = plain_text(json.at("kernel"));
    setup.host = plain_text(json.at("host"));
    setup.cpu_model = plain_text(json.at("cpu_model"));
    setup.cpus = json.at("cpus").get<unsigned>();
    setup.interface = plain_text(json.at("interface"));
    setup.driver = plain_text(json.at("driver"));
    setup.mtu = json.at("mtu").get<std::uint32_t>();
    const Json &link = json.at("link_mbps");
    setup.link_mbps = link.is_null() ? 0 : whole_number(link);
    setup.receive_queues = json.at("receive_queues").get<unsigned>();
    setup.transmit_queues = json.at("transmit_queues").get<unsigned>();
    setup.sender_cpus = json.at("sender_cpus").get<std::vector<unsigned>>();
    // The options stand between these two members.
    bool is_option = false;
    for (const auto &[key, value] : json.items()) {
        is_option = is_option && key != "ip_version";
        if (is_option)
            setup.options.emplace_back(key, value_of(value));
        is_option = is_option || key == "sender_cpus";
    }
    setup.is_ipv6 = json.at("ip_version") == 6;
    for (const Json &other : json.value("other_testers", Json::array()))
        setup.others.push_back(read_setup(other));
    return setup;
}

nlohmann::ordered_json to_json(const SelftestResult &result)
{
    return written(result);
}

} // namespace dnsgauge
