// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/calibration.h"

#include "record/certificate.h"
#include "result/labels.h"
#include "system/listed.h"
#include "text/columns.h"
#include "text/lines.h"
#include "units/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

std::string limit_text(const CalibrationResult &result)
{
    std::string text = "Limit: ";
    if (result.kept)
        text += fmt::format("nothing lost at {} queries/s, which allows {} (RFC 8219 section "
                            "9.2.1); ",
                            result.kept->per_second, result.allowed->per_second);
    if (result.stopped_by)
        text += fmt::format("stopped at {} queries/s: {}\n",
                            result.stopped_by->trial.rate.per_second, result.stopped_by->trial.why);
    else
        text += "no higher rate was asked for\n";
    return text;
}

std::string counting_text(const CalibrationResult &result)
{
    Table table{.caption = "Counted, and in brackets predicted where that differs",
                .heads = {{"queries/s"}}};
    for (const CountingCheck &check : result.counting) {
        table.heads.front().push_back(std::to_string(check.rate.per_second));
        table.rows.resize(std::max(table.rows.size(), check.classes.size() + 1));
        for (std::size_t i = 0; i < check.classes.size(); i++) {
            const CountedClass &one = check.classes[i];
            if (table.rows[i].empty())
                table.rows[i].push_back(one.name);
            table.rows[i].push_back(one.counted == one.predicted
                                        ? std::to_string(one.counted)
                                        : fmt::format("{} ({})", one.counted, one.predicted));
        }
        Table::Row &attempts = table.rows.back();
        if (attempts.empty())
            attempts.emplace_back("attempts");
        attempts.push_back(std::to_string(check.attempts));
    }
    return render(table, TableForm::text);
}

// Returns the table of checks with replies that FakeDNS sends at once or holds. `rtt` is the part
// of the result in JSON.
Table rtt_table(const CalibrationResult &result, const Json &rtt)
{
    std::vector<Json> rows;
    const auto add = [&rows](const std::string &name, Json check) {
        check["name"] = name;
        // Without a valid reply there is no RTT.
        if (check.at("valid") == 0)
            check["rtt_ns"] = check["bias_ns"] = check["error_ns"] = nullptr;
        rows.push_back(std::move(check));
    };
    for (std::size_t i = 0; i < result.at_once.size(); i++)
        add(fmt::format("at once, {} queries/s", result.at_once[i].rate.per_second),
            rtt.at("at_once").at(i));
    for (std::size_t i = 0; i < result.delays.size(); i++)
        add("held for " + duration(result.delays[i].delay.count()), rtt.at("delays").at(i));
    for (const auto &[edge, key] : {std::pair(&result.before_edge, "before_timeout"),
                                    std::pair(&result.behind_edge, "behind_timeout")}) {
        Json check = rtt.at(key);
        check["bias_ns"] = nullptr; // was not measured there
        add(fmt::format("held for {} (timeout {})", duration(edge->delay.count()),
                        duration(result.terms.timeout.count())),
            std::move(check));
    }
    return rows_table<Json>(
        rows, {field("/name", "FakeDNS' replies"), field("/valid", "valid"), field("/late", "late"),
               field("/rtt_ns/min", "min"), field("/rtt_ns/mean", "mean"),
               field("/rtt_ns/stddev", "stddev"), field("/rtt_ns/p99", "p99"),
               field("/rtt_ns/max", "max"), field("/bias_ns", "bias of min"),
               field("/error_ns/p50", "error of p50"), field("/error_ns/p99", "of p99"),
               field("/attempts", "attempts")});
}

std::string rtt_text(const CalibrationResult &result)
{
    Table table = rtt_table(result, to_json(result).at("rtt"));
    table.caption = "RTT, and its bias where FakeDNS holds replies back";
    if (const std::optional<RttFloor> floor = result.rtt_floor())
        table.notes.push_back(fmt::format(
            "The floor, which is the smallest RTT of replies sent at once, is {}. No trial on this "
            "set-up sees an RTT below {}.",
            duration(floor->least), duration(floor->bound())));
    if (!result.delays.empty() && result.delays.front().valid != 0)
        table.notes.push_back(
            fmt::format("The baseline is {}: the smallest RTT of replies held for {} is longer "
                        "than that time by this. Held replies take another path than replies in "
                        "trials, so the bias counts from the baseline.",
                        duration(static_cast<double>(result.delays.front().rtt.min) -
                                 static_cast<double>(result.delays.front().delay.count())),
                        duration(result.delays.front().delay.count())));
    if (const auto added = result.rtt_added())
        table.notes.push_back(
            fmt::format("Engine, link and FakeDNS' sending add {} to each RTT, by the median of "
                        "these replies: the errors of the median and of p99 count from there.",
                        duration(*added)));
    if (const auto added = result.tls_added()) {
        std::string text = fmt::format("TLS adds {}", duration(*added));
        if (const auto more = result.http_added())
            text += fmt::format(" and HTTP {}", duration(*more));
        table.notes.push_back(text + " of these: TCP alone adds the rest.");
    }
    if (const auto added = result.quic_added())
        table.notes.push_back(fmt::format("QUIC adds {} more than TCP.", duration(*added)));
    return render(table, TableForm::text);
}

// What all checks found about one of several Testers.
struct TesterRow {
    std::uint64_t counted = 0;            // queries
    std::uint64_t wrong = 0;              // classes, over all checks
    std::optional<std::uint64_t> least{}; // RTT of replies that are sent at once
    std::optional<std::int64_t> bias{};   // with the largest absolute value
    std::string before = "-";             // valid shortly before the timeout
    std::string behind = "-";
    std::vector<std::string> doubts{};
};

using TesterRows = std::map<std::pair<std::uint32_t, std::string>, TesterRow>; // by rank and host

// Returns a row for each of several Testers; none if one Tester was checked.
TesterRows tester_rows(const CalibrationResult &result)
{
    TesterRows rows;
    const auto for_each = [&rows](const auto &check, auto add) {
        for (const auto &tester : check.testers)
            add(rows[{tester.rank, tester.host}], tester.found);
    };
    for (const CountingCheck &check : result.counting)
        for_each(check, [](TesterRow &row, const CountingCheck &found) {
            for (const CountedClass &one : found.classes) {
                row.counted += one.name == "sent" ? one.counted : 0;
                row.wrong += one.counted == one.predicted ? 0 : 1;
            }
        });
    for (const DelayCheck &check : result.at_once)
        for_each(check, [](TesterRow &row, const DelayCheck &found) {
            if (found.valid != 0 && (!row.least || found.rtt.min < *row.least))
                row.least = found.rtt.min;
        });
    for (const DelayCheck &check : result.delays)
        for_each(check, [](TesterRow &row, const DelayCheck &found) {
            if (found.valid != 0 && (!row.bias || std::abs(found.bias) > std::abs(*row.bias)))
                row.bias = found.bias;
        });
    for_each(result.before_edge, [](TesterRow &row, const DelayCheck &found) {
        row.before = fmt::format("{} of {}", found.valid, found.sent);
    });
    for_each(result.behind_edge, [](TesterRow &row, const DelayCheck &found) {
        row.behind = fmt::format("{} of {}", found.late, found.sent);
    });
    for (const Doubt &doubt : result.doubts)
        for (auto &[tester, row] : rows)
            if (std::ranges::find(doubt.testers, tester.first) != doubt.testers.end() &&
                std::ranges::find(row.doubts, doubt.figure) == row.doubts.end())
                row.doubts.push_back(doubt.figure);
    return rows;
}

// Returns a table with what was found about each of several Testers; empty if there was one.
std::string testers_text(const CalibrationResult &result)
{
    const TesterRows rows = tester_rows(result);
    if (rows.empty())
        return {};
    Table table{.caption = "By Tester",
                .heads = {{"Tester", "queries counted", "classes wrong", "floor", "largest bias",
                           "valid before timeout", "late after it", "in doubt"}}};
    for (const auto &[tester, row] : rows)
        table.rows.push_back({fmt::format("{} ({})", tester.first, tester.second),
                              result.counting.empty() ? "-" : std::to_string(row.counted),
                              result.counting.empty() ? "-" : std::to_string(row.wrong),
                              row.least ? duration(*row.least) : "-",
                              row.bias ? duration(*row.bias) : "-", row.before, row.behind,
                              row.doubts.empty() ? "nothing" : join(row.doubts, ", ")});
    return render(table, TableForm::text) + "\n";
}

std::string pacing_text(const CalibrationResult &result)
{
    const auto percent = [](const char *form) {
        return [form](const Json &share) {
            return fmt::format(fmt::runtime(form), share.get<double>() * 100);
        };
    };
    Column<Json> rate_error = field("/rate_error", "rate error");
    rate_error.text = percent("{:.5f} %");
    Column<Json> bursts = field("/burst_share", "in bursts");
    bursts.text = percent("{:.2f} %");
    Table table = rows_table<Json>(to_json(result).at("pacing").get<std::vector<Json>>(),
                                   {field("/rate", "queries/s"),
                                    {"", "arrived",
                                     [](const Json &check) {
                                         return fmt::format("{} of {}", check.at("arrived").dump(),
                                                            check.at("sent").dump());
                                     }},
                                    rate_error,
                                    field("/lateness_ns/p50", "late p50"),
                                    field("/lateness_ns/p99", "p99"),
                                    field("/lateness_ns/max", "max"),
                                    field("/gap_ns/p1", "gap p1"),
                                    field("/gap_ns/p50", "p50"),
                                    field("/gap_ns/p99", "p99"),
                                    field("/gap_ns/max", "max"),
                                    bursts,
                                    field("/attempts", "attempts")});
    table.caption = "Sending, as seen at the other end of the link";
    return render(table, TableForm::text);
}

// Returns a line for each doubt, or the sentence that there is none.
std::string verdict_text(const CalibrationResult &result)
{
    const std::string lax = lax_text(lax_terms(result.terms));
    if (result.doubts.empty())
        return fmt::format("No doubt: what was checked is to be trusted on this set-up{}.\n", lax);
    std::string text;
    for (const Doubt &doubt : result.doubts)
        text += fmt::format("Not to be trusted: {}, {}\n", doubt.figure, doubt.why);
    return text;
}

} // namespace

std::string to_text(const CalibrationResult &result)
{
    const Circumstances &with = result.circumstances;
    return fmt::format("Calibration against FakeDNS at {} through {} ({}), {}; timeout {}\n\n",
                       result.server, with.interface, with.driver, carrier_text(result.setup, with),
                       duration(result.terms.timeout.count())) +
           limit_text(result) + "\n" +
           (result.counting.empty() ? "" : counting_text(result) + "\n") +
           (result.delays.empty() ? "" : rtt_text(result) + "\n") +
           (result.pacing.empty() ? "" : pacing_text(result) + "\n") + testers_text(result) +
           verdict_text(result) + (result.record.empty() ? "" : "Record: " + result.record + "\n");
}

} // namespace dnsgauge
