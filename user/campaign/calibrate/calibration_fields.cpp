// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/calibration_result.h"

#include "record/machine_fields.h"
#include "record/trial_fields.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

constexpr FieldForm class_names{.pattern = "^[a-z_]+$"};
constexpr FieldForm part_of_each{.presence = Presence::sometimes, .least = 2};
constexpr const char *part_text = "if several Testers made the check together (dnsgauge-mpi), the "
                                  "part of each, ascending by rank";

// The rows of what a check found of each class of queries or packets.
void class_rows(Fields &row, const CountingCheck &check)
{
    NamedCounts counted;
    NamedCounts predicted;
    for (const CountedClass &one : check.classes) {
        counted.emplace_back(one.name, one.counted);
        predicted.emplace_back(one.name, one.predicted);
    }
    row.made("counted", counted, "what was counted, by class of queries or packets", class_names);
    row.made("predicted", predicted,
             "what FakeDNS' rule predicts for these names, by class of queries or packets",
             class_names);
}

void bias_row(Fields &row, const DelayCheck &check)
{
    row.made("bias_ns", check.bias,
             "nanoseconds: the smallest RTT less the delay and the baseline, which is the smallest "
             "RTT less the delay in the first of delays; of several Testers the largest bias; "
             "null: replies were not held",
             {.is_null = !check.is_held});
}

template <class Check>
void tester_rows(Fields &row, OfTester<Check> &tester)
{
    row("rank", tester.rank, "the Tester's number, from 0");
    row("host", tester.host, "the name of its host");
}

} // namespace

static void fields(Fields &row, Doubt &doubt)
{
    row("figure", doubt.figure, "the name of the figure in dnsgauge/trial/1, or counts");
    row("why", doubt.why, "why the figure is not to be trusted, in words");
    row("testers", doubt.testers,
        "the numbers of the Testers whose figure is not to be trusted, if it is not all of several",
        {.presence = Presence::sometimes, .least = 1});
}

static void fields(Fields &row, OfTester<CountingCheck> &tester)
{
    tester_rows(row, tester);
    class_rows(row, tester.found);
}

static void fields(Fields &row, CountingCheck &check)
{
    row.made("rate", check.rate, "the rate of the trial, queries per second");
    row("attempts", check.attempts, "how often the check was made");
    class_rows(row, check);
    row.list("testers", check.testers, part_text, part_of_each);
}

static void rtt_rows(Fields &row, RttSummary &rtt)
{
    row("min", rtt.min, "the smallest");
    row("mean", rtt.mean, "the mean");
    row("stddev", rtt.stddev, "the standard deviation of the population");
    row("p99", rtt.p99, "the 99th percentile");
    row("max", rtt.max, "the largest");
}

static void fields(Fields &row, OfTester<DelayCheck> &tester)
{
    DelayCheck &check = tester.found;
    tester_rows(row, tester);
    row("sent", check.sent, "queries that its kernel has sent");
    row("valid", check.valid, "its queries that were answered right and in time");
    row("late", check.late, "its queries that were answered right and late");
    row("rtt_min_ns", check.rtt.min,
        "the smallest RTT of its valid replies, nanoseconds; 0: there is none");
    bias_row(row, check);
}

static void fields(Fields &row, DelayCheck &check)
{
    row.made("rate", check.rate, "the rate of the trial, queries per second", newer);
    row("delay_s", check.delay, "seconds that FakeDNS holds each reply; null: it holds none",
        {.is_null = !check.is_held});
    row("attempts", check.attempts, "how often the check was made");
    row("sent", check.sent, "queries that the kernel has sent");
    row("valid", check.valid, "queries that were answered right and in time");
    row("late", check.late, "queries that were answered right and late");
    row.group<rtt_rows>("rtt_ns", check.rtt, "RTT of the valid replies, nanoseconds");
    bias_row(row, check);
    row.object("error_ns", check.error,
               "percentiles of the RTT less the delay and less added_ns, exact, nanoseconds; null: "
               "replies were not held, or several Testers made the check",
               newer);
    row.list("testers", check.testers, part_text, part_of_each);
}

static void fields(Fields &row, RttExcess &excess)
{
    row.made("p50", excess.p50, "of the median");
    row.made("p99", excess.p99, "of the 99th percentile");
}

static void rtt_check_rows(Fields &row, CalibrationResult &result)
{
    const std::optional<RttFloor> found = result.rtt_floor();
    const RttFloor floor = found.value_or(RttFloor{});
    const FieldForm of_floor{.presence = Presence::newer, .is_null = !found};
    row.made("floor_ns", floor.least,
             "the smallest RTT of all checks in at_once, nanoseconds; null: no reply was valid",
             of_floor);
    row.made("bound_ns", floor.bound(),
             "the RTT below which no trial of the set-up sees one, nanoseconds: half of floor_ns; "
             "null: no reply was valid",
             of_floor);
    row.list("at_once", result.at_once,
             "the checks with replies that FakeDNS sends at once, over UDP by XDP, as in trials; "
             "by ascending rates",
             newer);
    row.made("added_ns", result.rtt_added(),
             "by how much the median RTT exceeds the delay in the first of delays, nanoseconds: "
             "what the Tester's engine, the link and FakeDNS' sending add to each RTT; null: no "
             "reply was valid, or several Testers made the checks",
             newer);
    row.made(
        "tls_added_ns", result.tls_added(),
        "what TLS adds to the RTT: added_ns over TLS alone, less added_ns over TCP alone, by the "
        "same FakeDNS; null: queries were sent over neither TLS nor HTTPS, or added_ns is null",
        newer);
    row.made("http_added_ns", result.http_added(),
             "what HTTP adds to it: added_ns less the same over TLS alone, by the same FakeDNS; "
             "null: queries were not sent over HTTPS, or added_ns is null",
             newer);
    row.made("quic_added_ns", result.quic_added(),
             "how much more QUIC adds than TCP: added_ns, less added_ns over TCP by the same "
             "FakeDNS; null: queries were not sent over QUIC, or added_ns is null",
             newer);
    row.only_if(false);
    DelayCheck older;
    row.object("floor", older,
               "in certificates of earlier versions: the one check with replies sent at once, at "
               "1,000 queries per second; its smallest RTT is not floor_ns");
    row.always();
    row.list("delays", result.delays,
             "the checks with replies that FakeDNS holds, by ascending times: over UDP by AF_XDP, "
             "from none on; over connections by sockets. In the first one the smallest RTT "
             "less the delay is the baseline of every bias_ns");
    row.object("before_timeout", result.before_edge,
               "the check with replies that are due shortly before the timeout");
    row.object("behind_timeout", result.behind_edge,
               "the check with replies that are due shortly after the timeout");
}

static void gap_rows(Fields &row, PacingFigures &seen)
{
    row("min", seen.gap_min, "the smallest");
    row("p1", seen.gap_p1, "the 1st percentile");
    row("p50", seen.gap_p50, "the median");
    row("p99", seen.gap_p99, "the 99th percentile");
    row("max", seen.gap_max, "the largest");
}

static void fields(Fields &row, PacingCheck &check)
{
    PacingFigures &seen = check.seen;
    row.made("rate", check.rate, "the rate of the trial, queries per second");
    row("attempts", check.attempts, "how often the check was made");
    row("planned", check.planned, "queries that the rate and the duration ask for");
    row("sent", check.sent, "queries that the Tester says it sent");
    row("arrived", seen.arrived, "queries that arrived");
    row("repeated", check.repeated, "packets that arrived again");
    row("disordered", seen.disordered, "queries that arrived before one that was due earlier");
    row("rate_error", seen.rate_error,
        "by how much the rate was wrong, as a share of it: 0.01 is one percent too fast over the "
        "whole trial",
        {.is_signed = true});
    row.made("span_error_ns", seen.span_error,
             "nanoseconds from the arrival of the first query to the arrival of the last, less "
             "the time that the rate asks for");
    row.object("lateness_ns", seen.lateness,
               "nanoseconds behind the schedule of the most punctual query");
    row("told_lateness_p99_ns", check.told_lateness_p99,
        "the 99th percentile of the lateness that the Tester itself reports, nanoseconds");
    row.group<gap_rows>("gap_ns", seen, "nanoseconds from one query to the next");
    row("burst_share", seen.burst_share,
        "share of the gaps that are shorter than a tenth of the gap that the rate asks for",
        {.most = 1});
}

void fields(Fields &row, CalibrationResult &result)
{
    row.form("calibration", "A calibration of the Tester: whether its figures are right. dnsgauge "
                            "calibrate --json writes it, and the record file of a set-up holds "
                            "it.");
    row.made("trusted", result.doubts.empty(), "whether nothing is in doubt");
    row.list("doubts", result.doubts, "the figures that are not to be trusted");
    row("server", result.server,
        "FakeDNS' address, or the addresses that several Testers asked, with commas");
    fields(row, result.terms);
    row.made("lax", lax_terms(result.terms),
             "the terms in which the calibration was easier than by default: limits or attempts "
             "above their defaults, timeout_s or duration_s below them");
    row.made("allowed_rate", result.allowed,
             "the highest rate that the Tester may be used at, by the self-test's rule, queries "
             "per second; null: no rate, or the limit was not checked");
    row.made("kept_rate", result.kept,
             "the highest rate at which nothing was lost, queries per second; null: no rate, or "
             "the limit was not checked");
    row.object("stopped_by", result.stopped_by,
               "the trial that failed right above kept_rate; null: none");
    row.list("counting", result.counting, "checks of the counts, against FakeDNS' rule");
    row.group<rtt_check_rows>(
        "rtt", result,
        "checks of RTTs, with replies that FakeDNS holds back for a known time; null: RTTs "
        "were not checked",
        {.is_null = result.delays.empty()});
    row.list("pacing", result.pacing,
             "checks of the sending, by a clock at the other end of the link, which knows queries "
             "over UDP alone");
    row("finished", result.finished, "when the calibration finished: UTC, ISO 8601", utc_moment);
    row.object("setup", result.setup, "");
    row.object("circumstances", result.circumstances, "");
    row("command", result.command, "the command line of the run that wrote this");
    row("record", result.record,
        "the record's file; empty: nothing was recorded, because not everything was checked");
}

nlohmann::ordered_json to_json(const CalibrationResult &result)
{
    return written(result);
}

} // namespace dnsgauge
