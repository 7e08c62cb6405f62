// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/tables.h"

#include "experiment/members.h"
#include "experiment/shares_tables.h"
#include "result/labels.h"
#include "series/search/search.h"
#include "userland/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
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
    [[nodiscard]] std::vector<StatisticsColumn> columns_of(const CellResults &members,
                                                           const Keys &keys) const;
    [[nodiscard]] Table by_columns(const std::string &caption, const CellResults &members,
                                   const Keys &keys) const;
    [[nodiscard]] Table grid(const std::string &caption, const CellResults &members) const;
    [[nodiscard]] Table shares(const std::string &caption, const CellResults &members) const;
    void add_calculated(Table &table, const CellResults &members) const;
    void add_labels(Table &table, const CellResults &members, bool for_all) const;

    const Experiment &experiment_;
    CellText text_;
    Keys columns_;
};

bool is_scaled_down(const Caveats &caveats)
{
    return !caveats.scaled_down.empty();
}

const Caveats &caveats_in(const CellResult &member)
{
    return member.outcome.result.caveats;
}

// Returns whether some of the results have such caveats.
template <class Is>
bool any_of(const CellResults &members, Is is)
{
    return std::ranges::any_of(members, is, caveats_in);
}

bool are_displaced(const CellResults &members)
{
    return std::ranges::any_of(members, &CellOutcome::is_displaced, &CellResult::outcome);
}

CellResults of_group(const CellResults &members, const Group &group)
{
    CellResults found;
    for (const std::size_t i : group)
        found.push_back(members.at(i));
    return found;
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
    if (any_of(members, std::not_fn(&Caveats::is_compliant)))
        text += fmt::format(" [{}]", not_compliant);
    return text;
}

// Returns the results with their texts of these settings.
std::vector<StatisticsColumn> TableMaker::columns_of(const CellResults &members,
                                                     const Keys &keys) const
{
    std::vector<StatisticsColumn> columns;
    for (const auto &[cell, outcome, header] : members) {
        columns.push_back(column_of(outcome.result, {}));
        columns.back().notes = notes_of(outcome);
        for (const std::string &key : keys)
            columns.back().settings.push_back(text_.shown(cell, key));
    }
    return columns;
}

Table TableMaker::by_columns(const std::string &caption, const CellResults &members,
                             const Keys &keys) const
{
    std::vector<std::string> heads;
    std::ranges::transform(keys, std::back_inserter(heads), head_of);
    Table table =
        statistics_table(caption, heads, columns_of(members, keys), experiment_.layout.statistics);
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
                rates.push_back({member.outcome.result.duration, summary.median});
        if (rates.size() < group.size()) {
            table.notes.push_back(fmt::format("Calculated rates{} need a result in every column.",
                                              one.name.empty() ? "" : " of " + one.name));
            continue;
        }
        one.rates = judge_sustainability(rates, members.at(group.front()).outcome.result.timeout);
        judged.push_back(std::move(one));
    }
    add_calculated_rates(table, judged);
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
    const std::string &rows = experiment_.layout.rows;
    const std::string &column = columns_.front();
    if (rows == "cached-share" && column == "aaaa-share")
        return shares(caption, members);
    return grid_table(caption, head_of(rows), head_of(column), columns_of(members, {rows, column}),
                      experiment_.layout.statistics);
}

// Adds labels in rows as well as in notes, because CSV has no place for notes. With `for_all` a
// row says of all results together that they are not compliant.
void TableMaker::add_labels(Table &table, const CellResults &members, bool for_all) const
{
    const auto add_row = [&table](const char *name, const char *label) {
        table.rows.push_back({name});
        table.rows.back().resize(table.heads.front().size(), label);
    };
    if (for_all && any_of(members, std::not_fn(&Caveats::is_compliant)))
        add_row("Compliance", not_compliant);
    if (any_of(members, is_scaled_down))
        add_row("Scaled down", "yes");
    if (are_displaced(members))
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
            if (any_of(fitted, &Caveats::is_beyond_selftest))
                table.rows.push_back({"Self-test", beyond_selftest});
            std::size_t capped = 0;
            for (const CellResult &member : fitted)
                capped += caveats_in(member).capped;
            if (capped != 0)
                table.rows.push_back({"Capped searches", std::to_string(capped)});
            add_labels(table, fitted, true);
            tables.push_back(std::move(table));
        }
    }
    return tables;
}

bool contains(const std::vector<std::string> &keys, const std::string &key)
{
    return std::ranges::find(keys, key) != keys.end();
}

// Returns the place in the file where the varying key gets its values.
Place place_of(const Experiment &experiment, const std::string &key)
{
    for (const Axis &axis : experiment.axes)
        if (axis.key == key && axis.values.size() > 1)
            return axis.place;
    const auto extra = std::ranges::find_if(
        experiment.extras, [&key](const Settings &settings) { return settings.contains(key); });
    return extra->at(key).place;
}

} // namespace

std::vector<std::string> labels_of(const Experiment &experiment, const CellResults &results)
{
    std::vector<Caveats> caveats;
    std::ranges::transform(results, std::back_inserter(caveats), caveats_in);
    std::vector<std::string> labels = caveat_sentences(caveats);
    if (are_displaced(results))
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

std::vector<std::string> column_keys(const Experiment &experiment)
{
    const Layout &layout = experiment.layout;
    if (!layout.columns.empty())
        return layout.columns;
    std::vector<std::string> keys = varying_keys(experiment);
    std::erase_if(keys, [&layout](const std::string &key) {
        return contains(layout.tables, key) || key == layout.rows;
    });
    if (keys.empty())
        keys = {"server"};
    return keys;
}

void check_layout(const Experiment &experiment)
{
    const Layout &layout = experiment.layout;
    const std::vector<std::string> varying = varying_keys(experiment);
    const std::vector<std::string> columns = column_keys(experiment);
    for (const std::string &key : varying)
        if (!contains(layout.tables, key) && !contains(columns, key) && key != layout.rows)
            refuse(place_of(experiment, key),
                   "{0}: it varies, but is in none of tables, columns and rows of "
                   "[table], so cells would share a place: add \"{0}\" to tables",
                   key);
    if (layout.model && !contains(varying, "aaaa-share") && !contains(varying, "cached-share"))
        refuse(layout.place, "model: neither aaaa-share nor cached-share varies, so it cannot be "
                             "fitted: remove model, or give one of them several values");
}

} // namespace dnsgauge
