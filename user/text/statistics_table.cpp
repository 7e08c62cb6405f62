// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/statistics_table.h"

#include "result/labels.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr double dispersion_consistent = 5; // percent; paper 000 section IV
constexpr std::uint64_t repetitions_least = 20;
constexpr const char *no_figure = "-"; // the figure is not defined for this sample
constexpr int as_rate = -1;            // digits: the figure is written like a rate
constexpr const char *limited_by = "Limited by";
constexpr const char *in_parentheses_limited =
    "In parentheses: limited by the Tester, or not known to be limited by the server, because the "
    "rate is beyond those that the Tester's self-test allows";

// Rates are whole numbers; a median may lie between two of them.
std::string rate_text(double rate)
{
    if (std::isnan(rate))
        return no_figure;
    return rate == std::floor(rate) ? fmt::format("{:.0f}", rate) : fmt::format("{:.1f}", rate);
}

std::string decimals(double value, int digits)
{
    return std::isnan(value) ? no_figure : fmt::format("{:.{}f}", value, digits);
}

std::string share_text(double share)
{
    return fmt::format("{:g}", share * 100);
}

struct RateFigure {
    StatisticsRow row;
    const char *name;
    double Summary::*value;
    int digits = as_rate; // after the point
};

const RateFigure &figure(StatisticsRow row)
{
    static constexpr std::array figures{
        RateFigure{StatisticsRow::median, "Median (qps)", &Summary::median},
        RateFigure{StatisticsRow::p1, "1st percentile (qps)", &Summary::p1},
        RateFigure{StatisticsRow::p99, "99th percentile (qps)", &Summary::p99},
        RateFigure{StatisticsRow::dispersion, "Dispersion (%)", &Summary::dispersion, 2},
        RateFigure{StatisticsRow::mean, "Average (qps)", &Summary::mean, 1},
        RateFigure{StatisticsRow::stddev, "Std. dev. (qps)", &Summary::stddev, 2},
        RateFigure{StatisticsRow::moe_999, "MoE 99.9 % (qps)", &Summary::moe_999, 2},
        RateFigure{StatisticsRow::mad, "MAD (qps)", &Summary::mad, 2},
        RateFigure{StatisticsRow::min, "Minimum (qps)", &Summary::min},
        RateFigure{StatisticsRow::max, "Maximum (qps)", &Summary::max}};
    return *std::ranges::find(figures, row, &RateFigure::row);
}

// A search that passed all of its range, or was cut short, has a bound in place of a median.
std::string figure_text(StatisticsRow row, const StatisticsColumn &result)
{
    if (row == StatisticsRow::median && result.rates.count == 0 && !result.bound.empty())
        return result.bound;
    const RateFigure &its = figure(row);
    const double value = result.rates.*its.value;
    return its.digits == as_rate ? rate_text(value) : decimals(value, its.digits);
}

std::string name_of(const StatisticsColumn &column)
{
    return join(column.settings, ", ");
}

std::string in_parentheses(const StatisticsColumn &result, const std::string &text)
{
    return result.caveats.is_tester_limited() ? "(" + text + ")" : text;
}

bool any_limited(std::span<const StatisticsColumn> results)
{
    return std::ranges::any_of(results, &Caveats::is_tester_limited, &StatisticsColumn::caveats);
}

std::string limit_text(const StatisticsColumn &result)
{
    const Caveats &caveats = result.caveats;
    if (!caveats.is_tester_limited())
        return "";
    return caveats.selftest && caveats.selftest->was_asked_no_more
               ? fmt::format("Tester, asked up to {}", caveats.selftest->allowed->per_second)
               : "Tester";
}

std::string capped_text(const StatisticsColumn &result)
{
    return result.caveats.capped == 0 ? "" : std::to_string(result.caveats.capped);
}

// Adds the note that explains parentheses, if there are any, and the notes of the results.
void add_results_notes(Table &table, std::span<const StatisticsColumn> results)
{
    if (any_limited(results))
        table.notes.push_back(fmt::format("{}.", in_parentheses_limited));
    for (const StatisticsColumn &result : results)
        for (const std::string &note : result.notes)
            table.notes.push_back(name_of(result) + ": " + note);
}

void add_acceptance(Table &table, std::span<const StatisticsColumn> columns)
{
    Table::Row accepted = {"Accepted (%)"};
    Table::Row labels = {"Compliance"};
    Table::Row covers = {"Self-test"};
    Table::Row limits = {limited_by};
    Table::Row capped = {"Capped searches"};
    for (const StatisticsColumn &column : columns) {
        accepted.push_back(fmt::format("{:.9g}", column.accept_percent));
        labels.emplace_back(column.caveats.is_compliant() ? "" : not_compliant);
        covers.emplace_back(column.caveats.is_beyond_selftest() ? beyond_selftest : "");
        limits.push_back(limit_text(column));
        capped.push_back(capped_text(column));
    }
    table.rows.push_back(std::move(accepted));
    for (Table::Row *row : {&labels, &covers, &limits, &capped})
        if (!std::all_of(row->begin() + 1, row->end(), std::mem_fn(&std::string::empty)))
            table.rows.push_back(std::move(*row));
}

void add_notes(Table &table, std::span<const StatisticsColumn> columns)
{
    std::vector<std::string> scattered;
    for (const StatisticsColumn &column : columns)
        if (column.rates.dispersion > dispersion_consistent)
            scattered.push_back(name_of(column));
    if (!scattered.empty())
        table.notes.push_back(fmt::format("Scattered results, dispersion above {:g} %: {}.",
                                          dispersion_consistent, join(scattered, "; ")));
    if (std::ranges::any_of(
            columns, [](const auto &column) { return column.rates.count < repetitions_least; }))
        table.notes.push_back(fmt::format("Fewer than the {} repetitions that RFC 8219 asks for.",
                                          repetitions_least));
    add_results_notes(table, columns);
}

} // namespace

Table statistics_table(std::string caption, const std::vector<std::string> &heads,
                       std::span<const StatisticsColumn> columns,
                       const std::vector<StatisticsRow> &rows)
{
    Table table{.caption = std::move(caption)};
    for (std::size_t i = 0; i < heads.size(); i++) {
        table.heads.push_back({heads[i]});
        for (const StatisticsColumn &column : columns)
            table.heads.back().push_back(in_parentheses(column, column.settings.at(i)));
    }
    for (const StatisticsRow row : rows) {
        table.rows.push_back({figure(row).name});
        for (const StatisticsColumn &column : columns)
            table.rows.back().push_back(in_parentheses(column, figure_text(row, column)));
    }
    table.rows.push_back({"N"});
    for (const StatisticsColumn &column : columns)
        table.rows.back().push_back(std::to_string(column.rates.count));
    add_acceptance(table, columns);
    add_notes(table, columns);
    return table;
}

void add_calculated_rates(Table &table, std::span<const SustainableGroup> groups)
{
    const auto add_row = [&](const char *name, std::optional<Sustainability> verdict, auto figures,
                             int digits) {
        Table::Row row(table.heads.front().size());
        for (const SustainableGroup &group : groups)
            for (std::size_t i = 0; i < group.columns.size(); i++)
                if (group.rates.verdict == verdict.value_or(group.rates.verdict))
                    row.at(1 + group.columns[i]) = decimals((group.rates.*figures).at(i), digits);
        if (std::ranges::all_of(row, &std::string::empty))
            return;
        row.front() = name;
        table.rows.push_back(std::move(row));
    };
    for (const auto &[wanted, name] :
         {std::pair(Sustainability::applies, "Calculated rate (qps)"),
          std::pair(Sustainability::wrong, "Calc. rate (wrong)"),
          std::pair(Sustainability::undecided, "Calc. rate (undecided)")})
        add_row(name, wanted, &SustainableRates::calculated, 1);
    add_row("Timeout gain max. (%)", {}, &SustainableRates::gain_most, 2);
    for (const SustainableGroup &group : groups)
        table.notes.push_back(fmt::format("Sustainable rate{}: {}.",
                                          group.name.empty() ? "" : ", " + group.name,
                                          group.rates.why));
}

Table grid_table(std::string caption, const std::string &row_head, const std::string &column_head,
                 std::span<const StatisticsColumn> cells, const std::vector<StatisticsRow> &rows,
                 GridOrder order)
{
    std::vector<std::string> down;
    std::vector<std::string> across;
    std::map<std::pair<std::string, std::string>, const StatisticsColumn *> found;
    const auto note = [](std::vector<std::string> &values, const std::string &value) {
        if (std::ranges::find(values, value) == values.end())
            values.push_back(value);
    };
    for (const StatisticsColumn &cell : cells) {
        note(down, cell.settings.at(0));
        note(across, cell.settings.at(1));
        if (!found.emplace(std::pair(cell.settings[0], cell.settings[1]), &cell).second)
            throw std::invalid_argument("two cells are of " + name_of(cell));
    }
    if (order == GridOrder::ascending)
        for (auto *values : {&down, &across})
            std::ranges::sort(*values, {}, [](const std::string &text) { return std::stod(text); });
    Table table{.caption = std::move(caption), .heads = {{row_head + " \\ " + column_head}}};
    table.heads.back().insert(table.heads.back().end(), across.begin(), across.end());
    for (const std::string &value : down) {
        const auto add_row = [&](const char *name, auto text) {
            table.rows.push_back({value + ": " + name});
            for (const std::string &column : across) {
                const auto cell = found.find({value, column});
                table.rows.back().push_back(cell == found.end() ? "" : text(*cell->second));
            }
        };
        for (const StatisticsRow row : rows)
            add_row(figure(row).name, [row](const StatisticsColumn &cell) {
                return in_parentheses(cell, figure_text(row, cell));
            });
        add_row("N", [](const auto &cell) { return std::to_string(cell.rates.count); });
        if (any_limited(cells))
            add_row(limited_by, limit_text);
        add_row("accepted (%)", [](const StatisticsColumn &cell) {
            std::string text = fmt::format("{:.9g}", cell.accept_percent);
            if (!cell.caveats.is_compliant())
                text += fmt::format(", {}", not_compliant);
            if (cell.caveats.is_beyond_selftest())
                text += fmt::format(", {}", beyond_selftest);
            return text;
        });
        if (std::ranges::any_of(cells, [](const auto &cell) { return cell.caveats.capped != 0; }))
            add_row("capped searches", capped_text);
    }
    add_results_notes(table, cells);
    return table;
}

Table model_table(std::string caption, const Dns64Model &model)
{
    Table table{.caption = std::move(caption),
                .heads = {{"Time", "Seconds", "95 % margin", "Not identified"}},
                .notes = model.notes};
    for (const ModelTime &time : model.times)
        table.rows.push_back({time.name, time.seconds ? fmt::format("{:.4g}", *time.seconds) : "",
                              time.margin ? fmt::format("{:.2g}", *time.margin) : "",
                              time.why_not});
    return table;
}

// Returns the error of the model in percent. Zero has a plus.
static std::string off_text(double fitted, double measured)
{
    constexpr double hundredths = 10'000;
    return fmt::format("{:+.2f}", std::round((fitted / measured - 1) * hundredths) / 100 + 0.0);
}

Table model_fit_table(std::string caption, std::span<const RateAtShares> points,
                      const Dns64Model &model, std::span<const RateAtShares> limited)
{
    Table table{
        .caption = std::move(caption),
        .heads = {{"Cached (%)", "AAAA (%)", "Measured (qps)", "Model (qps)", "Off by (%)"}}};
    for (std::size_t i = 0; i < points.size(); i++)
        table.rows.push_back({share_text(points[i].cached), share_text(points[i].aaaa),
                              rate_text(points[i].rate), fmt::format("{:.0f}", model.fitted.at(i)),
                              off_text(model.fitted[i], points[i].rate)});
    for (const RateAtShares &point : limited)
        table.rows.push_back({share_text(point.cached), share_text(point.aaaa),
                              "(" + rate_text(point.rate) + ")", "", ""});
    if (!limited.empty())
        table.notes.push_back(
            fmt::format("{}: the model is not fitted to these.", in_parentheses_limited));
    return table;
}

} // namespace dnsgauge
