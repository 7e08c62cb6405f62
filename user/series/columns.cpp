// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/columns.h"

#include "record/json.h"
#include "result/labels.h"
#include "text/duration_text.h"
#include "text/search_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = Column::Json;

// A loss that is not zero never shows as zero.
std::string loss_text(const TrialSummary &row)
{
    constexpr double least = 0.0001;
    const double loss = row.loss_percent();
    return loss > 0 && loss < least ? "<0.0001" : fmt::format("{:.4f}", loss);
}

} // namespace

Columns trial_columns(Columns more)
{
    using Row = TrialSummary;
    Columns columns = {
        {"rate", "queries/s", [](const Row &row) { return Json(row.rate.per_second); }},
        {"repetition", "repetition", [](const Row &row) { return Json(row.repetition); }},
        {"duration_s", "", [](const Row &row) { return Json(seconds(row.duration)); }},
        {"started", "started (UTC)", [](const Row &row) { return Json(row.started); }},
        {"verdict", "verdict", [](const Row &row) { return Json(to_string(row.verdict)); }},
        {"why", "", [](const Row &row) { return Json(row.why); }},
        {"sent", "sent", [](const Row &row) { return Json(row.sent); }},
        {"answered", "answered", [](const Row &row) { return Json(row.valid); }},
        {"answered_percent", "answered %",
         [](const Row &row) { return Json(row.answered_of(100)); },
         [](const Row &row) { return answered_percent_text(row.valid, row.sent); }},
        {"answered_rate", "answered/s", [](const Row &row) { return Json(row.answered_rate()); },
         [](const Row &row) { return fmt::format("{:.1f}", row.answered_rate()); }},
        {"loss_percent", "loss %", [](const Row &row) { return Json(row.loss_percent()); },
         [](const Row &row) { return fmt::format("{:.8g}", row.loss_percent()); }, loss_text},
        {"late", "late", [](const Row &row) { return Json(row.late); }},
        {"invalid", "invalid", [](const Row &row) { return Json(row.invalid); }},
        {"lost", "lost", [](const Row &row) { return Json(row.lost); }},
        {"rtt_p50_ns", "RTT median", [](const Row &row) { return figure_json(row.rtt_p50); },
         nullptr, [](const Row &row) { return known_duration_text(row.rtt_p50); }},
        {"rtt_p99_ns", "RTT p99", [](const Row &row) { return figure_json(row.rtt_p99); }, nullptr,
         [](const Row &row) { return known_duration_text(row.rtt_p99); }},
    };
    columns.insert(columns.end(), more.begin(), more.end());
    return columns;
}

std::string Column::plain_cell(const TrialSummary &trial) const
{
    if (plain != nullptr)
        return plain(trial);
    const Json json = value(trial);
    if (json.is_null())
        return {};
    return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string Column::cell(const TrialSummary &trial) const
{
    return text != nullptr ? text(trial) : plain_cell(trial);
}

std::string answered_percent_text(std::uint64_t answered, std::uint64_t sent)
{
    if (sent == 0)
        return "-";
    constexpr std::uint64_t all = 1'000'000; // ten-thousandths of a percent
    __extension__ using wide = unsigned __int128;
    const auto share = static_cast<std::uint64_t>(wide{answered} * all / sent);
    return fmt::format("{}.{:04}", share / 10'000, share % 10'000);
}

std::string answered_text(const TrialResult &trial)
{
    if (trial.verdict == Verdict::invalid)
        return "invalid: " + trial.why;
    return fmt::format("{} sent, {} answered, {} %", trial.queries.sent, trial.queries.valid,
                       answered_percent_text(trial.queries.valid, trial.queries.sent));
}

nlohmann::ordered_json rows_json(const std::vector<TrialSummary> &rows, const Columns &columns)
{
    auto json = Json::array();
    for (const TrialSummary &row : rows) {
        Json object;
        for (const Column &column : columns)
            object[column.key] = column.value(row);
        json.push_back(std::move(object));
    }
    return json;
}

std::string rows_csv(const std::vector<TrialSummary> &rows, const Columns &columns)
{
    Table table;
    table.heads.emplace_back();
    table.rows.resize(rows.size());
    for (const Column &column : columns) {
        table.heads.front().emplace_back(column.key);
        for (std::size_t i = 0; i < rows.size(); i++)
            table.rows[i].push_back(column.plain_cell(rows[i]));
    }
    return render(table, TableForm::csv);
}

Columns chosen(const Columns &columns, std::initializer_list<std::string_view> keys)
{
    Columns found;
    for (const std::string_view key : keys)
        found.push_back(*std::ranges::find(columns, key, &Column::key));
    return found;
}

Table rows_table(const std::vector<TrialSummary> &rows, const Columns &columns)
{
    Table table;
    table.heads.emplace_back();
    for (const Column &column : columns)
        table.heads.front().emplace_back(column.head);
    for (const TrialSummary &row : rows) {
        table.rows.emplace_back();
        for (const Column &column : columns)
            table.rows.back().push_back(column.cell(row));
    }
    return table;
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
