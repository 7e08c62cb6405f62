// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/tables.h"

#include "report/accept_label.h"
#include "report/search_text.h"
#include "report/shares_grid.h"
#include "report/tester_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace dnsgauge
{

namespace
{

// As the papers call them.
const std::map<std::string, std::string> head_names = {{"accept", "Accepted (%)"},
                                                       {"aaaa-share", "AAAA record rate (%)"},
                                                       {"cached-share", "Cache hit rate (%)"},
                                                       {"cores", "Num. CPU cores"},
                                                       {"duration", "Test duration (s)"},
                                                       {"names", "Zone size"},
                                                       {"server", "Server"},
                                                       {"timeout", "Timeout (s)"}};

std::string head_of(const std::string &key)
{
    const auto found = head_names.find(key);
    return found == head_names.end() ? key : found->second;
}

struct Member {
    const Cell *cell;
    const CellOutcome *outcome;
};

class TableMaker
{
public:
    explicit TableMaker(const Experiment &experiment) : experiment_(experiment)
    {
        for (const std::string &key : varying_keys(experiment))
            if (!contains(experiment.layout.tables, key) && key != experiment.layout.rows)
                columns_.push_back(key);
        if (!experiment.layout.columns.empty())
            columns_ = experiment.layout.columns;
        if (columns_.empty())
            columns_ = {"server"};
    }

    [[nodiscard]] Table make(const std::vector<Member> &members) const;

private:
    static bool contains(const std::vector<std::string> &keys, const std::string &key)
    {
        return std::find(keys.begin(), keys.end(), key) != keys.end();
    }
    [[nodiscard]] std::string shown(const Cell &cell, const std::string &key) const;
    [[nodiscard]] std::string caption(const std::vector<Member> &members) const;
    [[nodiscard]] Table by_columns(const std::vector<Member> &members) const;
    [[nodiscard]] Table grid(const std::vector<Member> &members) const;
    [[nodiscard]] Table shares(const std::vector<Member> &members) const;
    void add_calculated(Table &table, const std::vector<Member> &members) const;
    void add_labels(Table &table, const std::vector<Member> &members) const;

    const Experiment &experiment_;
    std::vector<std::string> columns_;
};

std::string TableMaker::shown(const Cell &cell, const std::string &key) const
{
    const std::string value = cell.value(key);
    if (key == "names")
        return value.substr(std::min(value.find('/'), value.size()));
    if (key == "server" && experiment_.servers.contains(value))
        return experiment_.servers.at(value).label;
    return value;
}

bool is_beyond_selftest(const CellOutcome &outcome)
{
    return outcome.result.selftest && !outcome.result.selftest->covers();
}

bool deviates(const Member &member)
{
    return !member.outcome->deviations.empty();
}

std::string TableMaker::caption(const std::vector<Member> &members) const
{
    const Layout &layout = experiment_.layout;
    std::string text = layout.caption.empty() ? experiment_.title : layout.caption;
    for (const std::string &key : layout.tables)
        text += fmt::format(", {} {}", head_of(key), shown(*members.front().cell, key));
    if (!experiment_.scaled_down.empty())
        text += " [SCALED DOWN]";
    if (std::any_of(members.begin(), members.end(), deviates))
        text += fmt::format(" [{}]", not_compliant);
    return text;
}

std::vector<std::string> notes_of(const CellOutcome &outcome)
{
    std::vector<std::string> notes;
    if (!outcome.failure.empty())
        notes.push_back(outcome.failure);
    if (const std::string limit = tester_limit(outcome.result); !limit.empty())
        notes.push_back(limit);
    const auto &repetitions = outcome.result.repetitions;
    const auto capped = std::count_if(repetitions.begin(), repetitions.end(),
                                      [](const Repetition &one) { return one.cap.has_value(); });
    if (capped != 0)
        notes.push_back(fmt::format("{} of {} searches perhaps capped by one unlucky trial", capped,
                                    outcome.result.rates().size()));
    return notes;
}

Table TableMaker::by_columns(const std::vector<Member> &members) const
{
    std::vector<std::string> heads;
    for (const std::string &key : columns_)
        heads.push_back(head_of(key));
    std::vector<StatisticsColumn> columns;
    for (const Member &member : members) {
        StatisticsColumn column;
        for (const std::string &key : columns_)
            column.settings.push_back(shown(*member.cell, key));
        column.rates = summarize(member.outcome->result.rates());
        column.accept_percent = member.outcome->accept_percent;
        column.deviations = member.outcome->deviations;
        column.is_beyond_selftest = is_beyond_selftest(*member.outcome);
        column.tester_limited = !tester_limit(member.outcome->result).empty();
        column.notes = notes_of(*member.outcome);
        columns.push_back(std::move(column));
    }
    Table table = statistics_table(caption(members), heads, columns, experiment_.layout.statistics);
    if (experiment_.layout.calculated_rate)
        add_calculated(table, members);
    return table;
}

// They need every column, and tell something of one timeout alone.
void TableMaker::add_calculated(Table &table, const std::vector<Member> &members) const
{
    std::vector<RateAtDuration> rates;
    const Nanoseconds timeout = members.front().outcome->timeout;
    for (const Member &member : members) {
        const Summary summary = summarize(member.outcome->result.rates());
        if (summary.count == 0 || member.outcome->timeout != timeout) {
            table.notes.emplace_back(
                "Calculated rates need a result in every column, all with the same timeout.");
            return;
        }
        rates.push_back({member.outcome->duration, summary.median});
    }
    add_calculated_rates(table, judge_sustainability(rates, timeout));
}

Table TableMaker::grid(const std::vector<Member> &members) const
{
    const std::string &rows = experiment_.layout.rows;
    if (rows == "cached-share" && columns_.front() == "aaaa-share")
        return shares(members);
    std::vector<GridCell> cells;
    for (const Member &member : members)
        cells.push_back({shown(*member.cell, rows), shown(*member.cell, columns_.front()),
                         summarize(member.outcome->result.rates()),
                         !tester_limit(member.outcome->result).empty()});
    Table table = grid_table(caption(members), head_of(rows), head_of(columns_.front()), cells,
                             experiment_.layout.statistics);
    for (const Member &member : members) {
        const std::string name =
            shown(*member.cell, rows) + ", " + shown(*member.cell, columns_.front());
        for (const std::string &note : notes_of(*member.outcome))
            table.notes.push_back(fmt::format("{}: {}", name, note));
    }
    return table;
}

// RFC 8219's own grid, of what has been measured so far.
Table TableMaker::shares(const std::vector<Member> &members) const
{
    std::vector<SearchResult> searches;
    for (const Member &member : members)
        if (member.outcome->result.dns64 && !member.outcome->result.rates().empty())
            searches.push_back(member.outcome->result);
    return shares_grid(caption(members), searches);
}

// In rows as well as in notes, as CSV has no place for notes.
void TableMaker::add_labels(Table &table, const std::vector<Member> &members) const
{
    const bool is_grid = !experiment_.layout.rows.empty();
    if (is_grid && std::any_of(members.begin(), members.end(), deviates)) {
        table.rows.push_back({"Compliance"});
        table.rows.back().resize(table.heads.front().size(), not_compliant);
    }
    if (!experiment_.scaled_down.empty()) {
        table.rows.push_back({"Scaled down"});
        table.rows.back().resize(table.heads.front().size(), "yes");
    }
    std::vector<CellOutcome> outcomes;
    for (const Member &member : members)
        outcomes.push_back(*member.outcome);
    for (const std::string &label : labels_of(experiment_, outcomes))
        table.notes.push_back(label + ".");
}

Table TableMaker::make(const std::vector<Member> &members) const
{
    Table table = experiment_.layout.rows.empty() ? by_columns(members) : grid(members);
    add_labels(table, members);
    return table;
}

// What the self-test lacked that covers it.
std::string lax_selftest(const CellOutcome &outcome)
{
    const std::optional<SelftestCover> &cover = outcome.result.selftest;
    if (!cover || !cover->covers() || cover->deviations.empty())
        return {};
    return "The Tester's self-test is itself " + compliance_label(cover->deviations);
}

} // namespace

std::vector<std::string> labels_of(const Experiment &experiment,
                                   const std::vector<CellOutcome> &outcomes)
{
    std::vector<std::string> labels;
    if (!experiment.scaled_down.empty())
        labels.push_back("Scaled down, not the conditions of the publication: " +
                         experiment.scaled_down);
    std::set<std::string> seen;
    for (const CellOutcome &outcome : outcomes)
        if (const std::string label = compliance_label(outcome.deviations);
            !label.empty() && seen.insert(label).second)
            labels.push_back(label);
    for (const CellOutcome &outcome : outcomes)
        if (const std::string label = lax_selftest(outcome);
            !label.empty() && seen.insert(label).second)
            labels.push_back(label);
    if (std::any_of(outcomes.begin(), outcomes.end(), is_beyond_selftest))
        labels.emplace_back("Beyond the Tester's self-test: it may be what limits these results");
    if (experiment.dut.cpu_method == CpuMethod::cpuset)
        labels.emplace_back("CPU cores by cpuset, not by maxcpus= and a cold start");
    return labels;
}

std::vector<Table> tables_of(const Experiment &experiment, const std::vector<Cell> &cells,
                             const std::vector<CellOutcome> &outcomes)
{
    std::vector<std::vector<std::string>> order;
    std::map<std::vector<std::string>, std::vector<Member>> groups;
    for (std::size_t i = 0; i < cells.size(); i++) {
        std::vector<std::string> group;
        for (const std::string &key : experiment.layout.tables)
            group.push_back(cells[i].value(key));
        if (!groups.contains(group))
            order.push_back(group);
        groups[group].push_back({&cells[i], &outcomes.at(i)});
    }
    const TableMaker maker(experiment);
    std::vector<Table> tables;
    for (const std::vector<std::string> &group : order)
        tables.push_back(maker.make(groups.at(group)));
    return tables;
}

} // namespace dnsgauge
