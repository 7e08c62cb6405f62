// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/tables.h"

#include "experiment/shares_tables.h"
#include "result/labels.h"
#include "series/search/search.h"
#include "stats/summary.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

const std::map<std::string, std::string> head_names = {{"accept", "Accepted (%)"},
                                                       {"aaaa-share", "AAAA record rate (%)"},
                                                       {"cached-share", "Cache hit rate (%)"},
                                                       {"cores", "Num. CPU cores"},
                                                       {"duration", "Test duration (s)"},
                                                       {"names", "Zone size"},
                                                       {"irq-cpus", "Interrupts on CPUs"},
                                                       {"processes", "Server processes"},
                                                       {"server-cpus", "Server on CPUs"},
                                                       {"server", "Server"},
                                                       {"timeout", "Timeout (s)"}};

// Returns the papers' name for the setting.
std::string head_of(const std::string &key)
{
    const auto found = head_names.find(key);
    return found == head_names.end() ? key : found->second;
}

class CellText
{
public:
    // `results` are of all cells of the experiment. The experiment must outlive the object.
    CellText(const Experiment &experiment, const CellResults &results) : experiment_(experiment)
    {
        for (const std::string key : {"names", "server"}) {
            std::map<std::string, std::string> values; // by brief text
            for (const CellResult &result : results) {
                const std::string value = result.cell.value(key);
                if (values.emplace(brief(key, value), value).first->second != value)
                    whole_.insert(key);
            }
        }
    }

    // Returns the text for a cell's value. For a zone or a server it is the size or the label, if
    // these differ for all values. Otherwise it is the value itself.
    [[nodiscard]] std::string shown(const Cell &cell, const std::string &key) const
    {
        const std::string value = cell.value(key);
        return whole_.contains(key) ? value : brief(key, value);
    }

    // Returns the texts of the keys that are set.
    [[nodiscard]] std::string shown(const Cell &cell, const std::vector<std::string> &keys) const
    {
        return joined(keys, [&](const std::string &key) { return shown(cell, key); });
    }

private:
    [[nodiscard]] std::string brief(const std::string &key, const std::string &value) const
    {
        if (key == "names" && value.find('/') != std::string::npos)
            return value.substr(value.find('/'));
        if (key == "server" && experiment_.servers.contains(value))
            return experiment_.servers.at(value).label;
        return value;
    }

    const Experiment &experiment_;
    std::set<std::string> whole_; // keys for which brief texts would look alike
};

// Returns the notes on one cell.
std::vector<std::string> notes_of(const CellOutcome &outcome)
{
    std::vector<std::string> notes;
    if (!outcome.failure.empty())
        notes.push_back(outcome.failure);
    for (const std::string &note : search_notes(outcome.result))
        notes.push_back(note);
    if (outcome.placement)
        notes.insert(notes.end(), outcome.placement->notes.begin(), outcome.placement->notes.end());
    const Caveats &caveats = outcome.result.caveats;
    if (caveats.is_tester_limited())
        notes.push_back(caveats.tester_limit);
    if (const std::size_t capped = caveats.capped; capped != 0)
        notes.push_back(fmt::format("{} of {} perhaps capped by one unlucky trial", capped,
                                    counted(outcome.result.rates().size(), "search", "searches")));
    return notes;
}

// Places in a list of members.
using Group = std::vector<std::size_t>;

// Returns groups of members that are alike in these settings, in the order of their first members.
std::vector<Group> groups_by(const CellResults &members, const std::vector<std::string> &keys)
{
    std::vector<Group> groups;
    std::map<std::vector<std::string>, std::size_t> found;
    for (std::size_t i = 0; i < members.size(); i++) {
        std::vector<std::string> values;
        for (const std::string &key : keys)
            values.push_back(members[i].cell.value(key));
        const auto [place, is_new] = found.emplace(std::move(values), groups.size());
        if (is_new)
            groups.emplace_back();
        groups[place->second].push_back(i);
    }
    return groups;
}

// Returns the keys that must have equal values in cells that are compared by `keys`. These are all
// other keys that vary, and the settings of rules on which a rate depends.
std::vector<std::string> all_but(const Experiment &experiment, const std::set<std::string> &keys)
{
    std::vector<std::string> rest = varying_keys(experiment);
    for (const std::string key : {"accept", "duration", "timeout"})
        if (std::find(rest.begin(), rest.end(), key) == rest.end())
            rest.push_back(key);
    std::erase_if(rest, [&keys](const std::string &key) { return keys.contains(key); });
    return rest;
}

// Returns the members of `keys` in which the members differ.
std::vector<std::string> differing(const CellResults &members, const std::vector<std::string> &keys)
{
    std::vector<std::string> found;
    for (const std::string &key : keys)
        if (groups_by(members, {key}).size() > 1)
            found.push_back(key);
    return found;
}

// Returns a warning for each flat curve over server processes, because the Tester may limit such a
// curve (paper 001). A curve has three or more cells with rates that differ only in the key
// "processes". It is flat if the medians differ by at most a twentieth.
std::vector<std::string> flat_curves(const Experiment &experiment, const CellResults &members)
{
    constexpr std::size_t points_least = 3;
    constexpr double flat = 1.05; // the highest rate over the lowest one
    std::vector<std::string> warnings;
    const std::vector<std::string> others = all_but(experiment, {"processes"});
    for (const Group &group : groups_by(members, others)) {
        std::vector<double> medians;
        std::set<std::string> numbers;
        for (const std::size_t i : group)
            if (const Summary rates = summarize(members[i].outcome.result.rates());
                rates.count != 0 && numbers.insert(members[i].cell.value("processes")).second)
                medians.push_back(rates.median);
        if (medians.size() < points_least)
            continue;
        const auto [low, high] = std::minmax_element(medians.begin(), medians.end());
        if (*high > *low * flat)
            continue;
        std::string alike;
        for (const std::string &key : differing(members, others))
            alike += fmt::format(" {} {}", key, members[group.front()].cell.value(key));
        warnings.push_back(fmt::format("The rates of {} numbers of server processes{} differ by no "
                                       "more than 5 %: the Tester may be the limit",
                                       medians.size(), alike.empty() ? "" : "," + alike));
    }
    return warnings;
}

using Keys = std::vector<std::string>;

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

class TableMaker
{
public:
    TableMaker(const Experiment &experiment, const CellResults &results)
        : experiment_(experiment), text_(experiment, results), columns_(column_keys(experiment))
    {
    }

    // Returns the table that the file asks for. If that is impossible, returns a table of what was
    // measured.
    [[nodiscard]] Table make(const CellResults &members) const
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

    [[nodiscard]] std::vector<Table> models(const CellResults &members) const
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

private:
    // `tables` are the keys by which this table differs from others.
    [[nodiscard]] std::string caption(const CellResults &members, const Keys &tables,
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
    [[nodiscard]] std::vector<StatisticsColumn> columns_of(const CellResults &members,
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

    [[nodiscard]] Table by_columns(const std::string &caption, const CellResults &members,
                                   const Keys &keys) const
    {
        std::vector<std::string> heads;
        std::ranges::transform(keys, std::back_inserter(heads), head_of);
        Table table = statistics_table(caption, heads, columns_of(members, keys),
                                       experiment_.layout.statistics);
        if (experiment_.layout.calculated_rate)
            add_calculated(table, members);
        return table;
    }

    [[nodiscard]] Table grid(const std::string &caption, const CellResults &members) const
    {
        const std::string &rows = experiment_.layout.rows;
        const std::string &column = columns_.front();
        if (rows == "cached-share" && column == "aaaa-share")
            return shares(caption, members);
        return grid_table(caption, head_of(rows), head_of(column),
                          columns_of(members, {rows, column}), experiment_.layout.statistics);
    }

    // Makes RFC 8219's own grid of the cells measured so far.
    [[nodiscard]] Table shares(const std::string &caption, const CellResults &members) const
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

    // Adds rates calculated from columns that differ only in the duration. Every column must have a
    // result.
    void add_calculated(Table &table, const CellResults &members) const
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
                table.notes.push_back(
                    fmt::format("Calculated rates{} need a result in every column.",
                                one.name.empty() ? "" : " of " + one.name));
                continue;
            }
            one.rates =
                judge_sustainability(rates, members.at(group.front()).outcome.result.timeout);
            judged.push_back(std::move(one));
        }
        add_calculated_rates(table, judged);
    }

    // Adds labels in rows as well as in notes, because CSV has no place for notes. With `for_all`,
    // one row says for all results together that they are not compliant.
    void add_labels(Table &table, const CellResults &members, bool for_all) const
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

    const Experiment &experiment_;
    CellText text_;
    Keys columns_;
};

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
