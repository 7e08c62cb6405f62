// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/tables.h"

#include "experiment/members.h"
#include "experiment/shares_tables.h"
#include "result/labels.h"
#include "series/search/search.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

using Keys = std::vector<std::string>;

class TableMaker
{
public:
    TableMaker(const Experiment &experiment, const CellResults &results)
        : experiment_(experiment), text_(experiment, results), columns_(column_keys(experiment))
    {
    }

    [[nodiscard]] Table make(const CellResults &members) const;
    [[nodiscard]] std::vector<Table> models(const CellResults &members) const;

private:
    [[nodiscard]] std::string caption(const CellResults &members, const Keys &tables,
                                      const std::string &what) const;
    [[nodiscard]] Table by_columns(const std::string &caption, const CellResults &members,
                                   const Keys &keys) const;
    [[nodiscard]] Table grid(const std::string &caption, const CellResults &members) const;
    [[nodiscard]] Table cells(const std::string &caption, const CellResults &members) const;
    [[nodiscard]] Table shares(const std::string &caption, const CellResults &members) const;
    void add_calculated(Table &table, const CellResults &members) const;
    void add_labels(Table &table, const CellResults &members, bool for_all) const;

    const Experiment &experiment_;
    CellText text_;
    Keys columns_;
};

bool is_scaled_down(const CellOutcome &outcome)
{
    return !outcome.result.caveats.scaled_down.empty();
}

bool any_of(const CellResults &members, bool (*is_so)(const CellOutcome &))
{
    return std::any_of(members.begin(), members.end(),
                       [is_so](const CellResult &member) { return is_so(member.outcome); });
}

bool is_beyond_selftest(const CellOutcome &outcome)
{
    return outcome.result.caveats.is_beyond_selftest();
}

bool is_displaced(const CellOutcome &outcome)
{
    return outcome.is_displaced;
}

bool deviates(const CellOutcome &outcome)
{
    return !outcome.result.caveats.is_compliant();
}

CellResults of_group(const CellResults &members, const Group &group)
{
    CellResults found;
    for (const std::size_t i : group)
        found.push_back(members.at(i));
    return found;
}

std::size_t capped_of(const CellResults &members)
{
    std::size_t count = 0;
    for (const CellResult &member : members)
        count += member.outcome.result.caveats.capped;
    return count;
}

// `tables` are the keys that set this table apart from others.
std::string TableMaker::caption(const CellResults &members, const Keys &tables,
                                const std::string &what) const
{
    const Layout &layout = experiment_.layout;
    std::string text = layout.caption.empty() ? experiment_.title : layout.caption;
    for (const std::string &key : tables)
        text += fmt::format(", {} {}", head_of(key), text_.shown(members.front().cell, key));
    text += what;
    if (any_of(members, is_scaled_down))
        text += " [SCALED DOWN]";
    if (any_of(members, deviates))
        text += fmt::format(" [{}]", not_compliant);
    return text;
}

Table TableMaker::by_columns(const std::string &caption, const CellResults &members,
                             const Keys &keys) const
{
    std::vector<std::string> heads;
    for (const std::string &key : keys)
        heads.push_back(head_of(key));
    std::vector<StatisticsColumn> columns;
    for (const CellResult &member : members) {
        StatisticsColumn column;
        for (const std::string &key : keys)
            column.settings.push_back(text_.shown(member.cell, key));
        column.rates = summarize(member.outcome.result.rates());
        column.accept_percent = member.outcome.accept_percent;
        column.caveats = member.outcome.result.caveats;
        column.notes = notes_of(member.outcome);
        column.bound = bound_text(member.outcome.result);
        columns.push_back(std::move(column));
    }
    Table table = statistics_table(caption, heads, columns, experiment_.layout.statistics);
    if (experiment_.layout.calculated_rate)
        add_calculated(table, members);
    return table;
}

// Adds rates calculated from columns that differ only in the duration. Every column must have a
// result.
void TableMaker::add_calculated(Table &table, const CellResults &members) const
{
    const Keys others = all_but(experiment_, {"duration"});
    const Keys names = differing(members, others);
    std::vector<SustainableGroup> judged;
    for (const Group &group : groups_by(members, others)) {
        SustainableGroup one;
        one.name = text_.shown(members.at(group.front()).cell, names);
        one.columns = group;
        std::vector<RateAtDuration> rates;
        for (const CellResult &member : of_group(members, group))
            if (const Summary summary = summarize(member.outcome.result.rates());
                summary.count != 0)
                rates.push_back({member.outcome.duration, summary.median});
        if (rates.size() < group.size()) {
            table.notes.push_back(fmt::format("Calculated rates{} need a result in every column.",
                                              one.name.empty() ? "" : " of " + one.name));
            continue;
        }
        one.rates = judge_sustainability(rates, members.at(group.front()).outcome.timeout);
        judged.push_back(std::move(one));
    }
    add_calculated_rates(table, judged);
}

Table TableMaker::cells(const std::string &caption, const CellResults &members) const
{
    const std::string &rows = experiment_.layout.rows;
    const std::string &column = columns_.front();
    std::vector<GridCell> cells;
    for (const CellResult &member : members)
        cells.push_back({.row = text_.shown(member.cell, rows),
                         .column = text_.shown(member.cell, column),
                         .rates = summarize(member.outcome.result.rates()),
                         .accept_percent = member.outcome.accept_percent,
                         .caveats = member.outcome.result.caveats,
                         .bound = bound_text(member.outcome.result)});
    Table table =
        grid_table(caption, head_of(rows), head_of(column), cells, experiment_.layout.statistics);
    for (const CellResult &member : members)
        for (const std::string &note : notes_of(member.outcome))
            table.notes.push_back(
                fmt::format("{}: {}", text_.shown(member.cell, Keys{rows, column}), note));
    return table;
}

// Makes RFC 8219's own grid of the cells measured so far.
Table TableMaker::shares(const std::string &caption, const CellResults &members) const
{
    std::vector<SearchResult> searches;
    std::vector<std::string> missing;
    for (const CellResult &member : members) {
        if (member.outcome.result.dns64 && !member.outcome.result.rates().empty())
            searches.push_back(member.outcome.result);
        else if (!notes_of(member.outcome).empty())
            missing.push_back(fmt::format(
                "{} % cached, {} % with AAAA records: {}", member.cell.value("cached-share"),
                member.cell.value("aaaa-share"), join(notes_of(member.outcome), "; ")));
    }
    Table table = shares_grid(caption, searches);
    table.notes.insert(table.notes.end(), missing.begin(), missing.end());
    return table;
}

Table TableMaker::grid(const std::string &caption, const CellResults &members) const
{
    const bool is_shares =
        experiment_.layout.rows == "cached-share" && columns_.front() == "aaaa-share";
    return is_shares ? shares(caption, members) : cells(caption, members);
}

// Adds labels in rows as well as in notes, because CSV has no place for notes. With `for_all` a
// row says of all results together that they are not compliant.
void TableMaker::add_labels(Table &table, const CellResults &members, bool for_all) const
{
    const auto add_row = [&table](const char *name, const char *label) {
        table.rows.push_back({name});
        table.rows.back().resize(table.heads.front().size(), label);
    };
    if (for_all && any_of(members, deviates))
        add_row("Compliance", not_compliant);
    if (any_of(members, is_scaled_down))
        add_row("Scaled down", "yes");
    if (any_of(members, is_displaced))
        add_row("Placement", "not kept in all");
    if (experiment_.dut.cpu_method == CpuMethod::cpuset)
        add_row("CPU cores by", "cpuset");
    for (const std::string &label : labels_of(experiment_, members))
        table.notes.push_back(label + ".");
    for (const std::string &warning : flat_curves(experiment_, members))
        table.notes.push_back(warning + ".");
}

// Returns a table of what was measured, even if the table that the file asks for is impossible.
Table TableMaker::make(const CellResults &members) const
{
    const bool is_grid = !experiment_.layout.rows.empty();
    const std::string heading = caption(members, experiment_.layout.tables, "");
    Table table;
    try {
        table = is_grid ? grid(heading, members) : by_columns(heading, members, columns_);
    } catch (const std::invalid_argument &error) {
        table = by_columns(heading, members, varying_keys(experiment_));
        table.notes.push_back(fmt::format("No grid can be made of this: {}.", error.what()));
    }
    add_labels(table, members, false);
    return table;
}

std::vector<Table> TableMaker::models(const CellResults &members) const
{
    const Keys others = all_but(experiment_, {"aaaa-share", "cached-share"});
    const Keys names = differing(members, others);
    std::vector<Table> tables;
    for (const Group &group : groups_by(members, others)) {
        const CellResults fitted = of_group(members, group);
        const auto heading = [&](const char *what) { return caption(fitted, names, what); };
        for (Table &table : model_tables(heading, fitted)) {
            if (any_of(fitted, is_beyond_selftest))
                table.rows.push_back({"Self-test", beyond_selftest});
            if (const std::size_t capped = capped_of(fitted); capped != 0)
                table.rows.push_back({"Capped searches", std::to_string(capped)});
            add_labels(table, fitted, true);
            tables.push_back(std::move(table));
        }
    }
    return tables;
}

} // namespace

std::vector<std::string> labels_of(const Experiment &experiment, const CellResults &results)
{
    std::vector<Caveats> caveats;
    for (const CellResult &result : results)
        caveats.push_back(result.outcome.result.caveats);
    std::vector<std::string> labels = caveat_sentences(caveats);
    if (any_of(results, is_displaced))
        labels.emplace_back("In some cells the server's machine did not stay as placed");
    if (experiment.dut.cpu_method == CpuMethod::cpuset)
        labels.emplace_back("CPU cores by cpuset, not by maxcpus= and a cold start");
    return labels;
}

std::vector<Table> tables_of(const Experiment &experiment, const CellResults &results)
{
    const TableMaker maker(experiment, results);
    std::vector<Table> tables;
    for (const Group &group : groups_by(results, experiment.layout.tables))
        tables.push_back(maker.make(of_group(results, group)));
    if (experiment.layout.model)
        for (Table &table : maker.models(results))
            tables.push_back(std::move(table));
    return tables;
}

} // namespace dnsgauge
