// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/columns.h"

#include "record/certificate.h"
#include "record/machine_fields.h"
#include "record/probe_fields.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

std::string rate_text(const Json &rate)
{
    return fmt::format("{:.1f}", rate.get<double>());
}

// A loss above zero is never shown as zero.
std::string loss_text(const Json &percent)
{
    constexpr double least = 0.0001;
    const auto loss = percent.get<double>();
    return loss > 0 && loss < least ? "<0.0001" : fmt::format("{:.4f}", loss);
}

std::string plain_loss(const Json &percent)
{
    return fmt::format("{:.8g}", percent.get<double>());
}

std::string through_text(const TrialLog &log)
{
    const Circumstances &with = *log.circumstances;
    const std::string link =
        with.link_mbps == 0 ? std::string() : fmt::format(", {} Mbit/s", with.link_mbps);
    // Each client of a capture has a connection.
    const std::string connections =
        log.connections == 0 ? "a connection of each client"
                             : fmt::format("{} at once", counted(log.connections, "connection"));
    const std::string means =
        with.modes.empty()
            ? fmt::format("{}, {}", transport_names.text_of(log.transport), connections)
            : fmt::format("{}, {}", counted(with.queues, "queue"), modes_text(with.modes));
    return fmt::format("through {} ({}, MTU {}{}), {}, from CPU {}", with.interface, with.driver,
                       with.mtu, link, means, join(with.sender_cpus, ","));
}

std::string teams_text(const TrialLog &log)
{
    std::vector<std::string> teams;
    for (const TesterTeam &team : log.teams) {
        std::string text =
            fmt::format("{} ({})", counted(team.hosts.size(), "Tester"), join(team.hosts, ", "));
        if (log.teams.size() > 1)
            text += fmt::format(" made {}", counted(team.trials, "trial"));
        if (const auto asked = each_once(team.servers); asked != log.servers())
            text += fmt::format(" of {}", join(asked, ", "));
        teams.push_back(std::move(text));
    }
    return join(teams, ", then ");
}

void rate_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    fields.apart(key, trial.rate.per_second, {{"type", "number"}, {"exclusiveMinimum", 0}},
                 meaning);
}

void verdict_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    Verdict verdict = trial.verdict;
    fields.word(key, verdict, verdict_words, meaning);
}

void probe_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &trial)
{
    auto probe = trial.probe;
    fields.object(key, probe, meaning, sometimes);
}

struct RowOfTrial {
    TrialSummary trial{};
    Columns<TrialSummary> columns{};
};

} // namespace

Columns<TrialSummary> trial_columns(const Columns<TrialSummary> &more)
{
    using Row = TrialSummary;
    Columns<Row> columns = {
        {"rate", "queries/s", "queries sent per second", rate_row},
        {"repetition", "repetition",
         "the search, the run through all rates, or the run of a replay that the trial belongs to, "
         "from 1",
         value_of<&Row::repetition>},
        {"duration_s", "", "the duration of the trial, seconds", value_of<&Row::duration>},
        {"started", "started (UTC)", "when the trial began, UTC, ISO 8601",
         value_of<&Row::started>},
        {"verdict", "verdict",
         "pass: accept_percent of the queries or more were answered; invalid: the trial tells "
         "nothing about the server, and another was made besides",
         verdict_row},
        {"why", "", "the reason of the verdict", value_of<&Row::why>},
        {"sent", "sent", "queries sent", value_of<&Row::sent>},
        {"answered", "answered",
         "queries answered right, at or before the timeout; in a replay the answers that --expect "
         "accepts, by default with any RCODE",
         value_of<&Row::valid>},
        {"answered_percent", "answered %", "answered queries, percent of those sent",
         percent_of<&Row::answered_percent>},
        {"answered_rate", "answered/s",
         "queries answered per second: the rate times the answered share; of a window, answers "
         "divided by the time of sending",
         value_of<&Row::answered_rate>, rate_text, rate_text},
        {"loss_percent", "loss %",
         "queries that were not answered right and in time, percent of those sent",
         percent_of<&Row::loss_percent>, loss_text, plain_loss},
        {"late", "late", "queries answered right, after the timeout", value_of<&Row::late>},
        {"invalid", "invalid", "queries with a reply that is no right answer",
         value_of<&Row::invalid>},
        {"lost", "lost", "queries without a reply", value_of<&Row::lost>},
        {"rtt_p50_ns", "RTT median",
         "median RTT of the answered queries, nanoseconds; null: none was answered",
         value_of<&Row::rtt_p50>},
        {"rtt_p99_ns", "RTT p99", "99th percentile of these RTTs, nanoseconds",
         value_of<&Row::rtt_p99>},
        {"rtt_mean_ns", "", "mean of these RTTs, nanoseconds", value_of<&Row::rtt_mean>},
        {"probe", "", "", probe_row},
    };
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
}

std::string answered_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return "invalid: " + trial.why;
    return fmt::format("{} sent, {} answered, {} %", trial.queries.sent, trial.queries.valid,
                       percent_text(trial.queries.valid, trial.queries.sent));
}

std::vector<std::string> through_lines(const TrialLog &log)
{
    std::vector<std::string> lines;
    const std::string whose = log.is_of_several() ? "Tester 0: " : "";
    if (log.is_of_several())
        lines.push_back(teams_text(log));
    if (log.circumstances)
        lines.push_back(whose + through_text(log));
    if (log.circumstances && !log.circumstances->sender_cpus_why.empty())
        lines.push_back(whose + "sender's CPU: " + log.circumstances->sender_cpus_why);
    if (log.placement)
        lines.insert(lines.end(), log.placement->notes.begin(), log.placement->notes.end());
    return lines;
}

static void fields(Fields &row, TesterTeam &team)
{
    row("hosts", team.hosts,
        "the name of each Tester's host, by rank; two Testers of one host name it twice",
        {.least = 1});
    row("servers", team.servers,
        "the address that each Tester asked, by rank; empty: that Tester sent no part of any of "
        "these trials",
        {.least = 1});
    row("trials", team.trials, "the trials that they made, with invalid ones");
}

static void fields(Fields &row, RowOfTrial &of)
{
    for (const Column<TrialSummary> &column : of.columns)
        column.told(row, of.trial);
}

void begin_rows(Fields &row, const char *kind, const char *chosen_by, SeriesResult &result)
{
    row.form("series",
             "Trials that one command chose and made, finished or cut short, and what they say "
             "together. The command writes it with --json; dnsgauge-report model and compare read "
             "sweeps from whoever made them.");
    row.constant("kind", kind, chosen_by);
    row("server", result.server,
        "the server's address, or a name for it; of several Testers the addresses that they "
        "asked, with commas");
}

void range_rows(Fields &row, Rate &min, Rate &max, const FieldForm &form)
{
    row.made("min_rate", min, "the lowest rate of the range, queries per second", form);
    row.made("max_rate", max, "the highest rate of the range, queries per second", form);
}

void common_rows(Fields &row, SeriesResult &result, const CommonForms &forms)
{
    row("duration_s", result.duration,
        "the duration of a trial, seconds; in a search for several loss ratios the duration of a "
        "trial that decides",
        forms.duration);
    row("timeout_s", result.timeout, "the timeout of a query, seconds", forms.timeout);
    FieldForm accept = forms.accept;
    accept.most = 100;
    row("accept_percent", result.accept_percent,
        "percent of a trial's queries that must be answered right and in time for the trial to "
        "pass",
        accept);
    Compliance compliance{result.caveats.deviations};
    row.object("rfc8219", compliance,
               "whether the series is what RFC 8219 section 9 demands. Deviations of a search are "
               "fewer than 20 searches, failed trials tried again (--confirm), invalid trials "
               "made again, and the deviations of its trials",
               newer);
    row.object("selftest", result.caveats.selftest,
               "whether a self-test of the Tester covers the trials; null: nobody looked for a "
               "self-test",
               newer);
    row.object("certificate", result.caveats.certificate, "", newer);
    row("doubts", result.caveats.doubts, "what else may have had a part in the figures", newer);
    row.word("end", result.end, trials_ends,
             "complete: every trial was made; above range: the highest rate of a search passed "
             "(at_least); not offered: all passed that the Tester can offer (at_least, "
             "not_offered); below range: a later search came down to the lowest rate, and the "
             "object holds the results before it; invalid trial: the last trial taught nothing "
             "about the server; interrupted: somebody stopped the series, or no further trial "
             "could be made (why)",
             forms.end);
    const std::string why =
        result.error.empty() && result.last_trial ? result.last_trial->why : result.error;
    row.made("why", why,
             "the reason of the last trial's verdict, or why no further trial could be made; "
             "null: there was no trial",
             {.presence = Presence::newer, .is_null = result.error.empty() && !result.last_trial});
}

void end_rows(Fields &row, SeriesResult &result, const Columns<TrialSummary> &columns,
              const std::vector<const char *> &needed)
{
    auto trials = Json::array();
    for (const TrialSummary &trial : result.rows)
        trials.push_back(written(RowOfTrial{trial, columns}));
    Json schema;
    if (row.describes()) {
        SharedSchemas none;
        RowOfTrial of{{}, columns};
        schema = described_by(Fields::rows_of<RowOfTrial>, &of, none);
        schema["description"] = "a trial: sent = answered + late + invalid + lost";
        schema["required"] = Json::array({"sent", "answered"});
        for (const char *key : needed)
            schema["required"].push_back(key);
    }
    row.apart("trials", trials, {{"type", "array"}, {"items", schema}},
              "the trials in the order in which they were made: the steps of a sweep, the rows of "
              "a soak, the runs of a replay. Only a soak has invalid ones among them");
    row("trials_made", result.trials, "trials that were made, invalid ones included", newer);
    row("invalid_trials", result.invalid_trials, "trials that were invalid", newer);
    row("invalid_retries", result.invalid_retries,
        "how often in a row an invalid trial was to be made again (--invalid-retries)", newer);
    std::vector<TesterTeam> teams;
    if (result.is_of_several())
        teams = result.teams;
    row.list("teams", teams,
             "where several Testers made trials together (dnsgauge-mpi), which Testers made them "
             "and which servers they asked, in the order of the trials; more than one item: other "
             "Testers went on, or asked other servers",
             {.presence = Presence::sometimes, .least = 1});
    row("resumed", result.resumed, "times that the journal was gone on with (--resume)", newer);
    row("command", result.command, "the command line of the run that wrote this", newer);
    row("journal", result.journal, "the journal's file", newer);
    row.object("circumstances", result.circumstances,
               "the conditions of the last trial; null: there was none", newer);
    row.object("placement", result.placement, "", newer);
    if (row.describes()) {
        row.apart("setup", {}, reference("common.schema.json#/$defs/setup"), "", newer);
        row.apart("options", {}, reference("common.schema.json#/$defs/options"), "", newer);
    }
}

std::string invalid_trials_text(const TrialLog &log)
{
    std::string text =
        fmt::format("{} of {} {} invalid; such a trial is made again, up to {} in a row",
                    log.invalid_trials, counted(log.trials, "trial"),
                    log.invalid_trials == 1 ? "was" : "were", counted(log.invalid_retries, "time"));
    if (log.gone_below != 0)
        text += fmt::format(". The Tester could not offer {}", counted(log.gone_below, "rate"));
    return text;
}

std::vector<std::string> series_notes(const SeriesResult &result, bool counts_invalid)
{
    std::vector<std::string> notes;
    for (const CaveatLine &line : caveat_lines(result.caveats))
        notes.push_back(line.text);
    std::ranges::copy(through_lines(result), std::back_inserter(notes));
    if (counts_invalid && result.invalid_trials != 0)
        notes.push_back(invalid_trials_text(result));
    return notes;
}

} // namespace dnsgauge
