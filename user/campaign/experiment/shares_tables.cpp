// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/shares_tables.h"

#include "result/labels.h"
#include "series/search/search.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string shares_text(const SearchResult &search)
{
    return fmt::format("{} % cached, {} % with AAAA records", search.dns64->cached_share,
                       search.dns64->aaaa_share);
}

// Returns the remarks on one search.
std::vector<std::string> remarks(const SearchResult &search)
{
    std::vector<std::string> found;
    if (!search.caveats.is_compliant())
        found.push_back(compliance_label(search.caveats.deviations));
    if (search.end != TrialsEnd::complete)
        found.push_back(fmt::format("not finished, {} of {}", search.rates().size(),
                                    counted(search.repeat, "search", "searches")));
    if (search.caveats.is_tester_limited())
        found.push_back(search.caveats.tester_limit);
    if (search.caveats.capped != 0)
        found.push_back(fmt::format("{} of {} perhaps capped by one unlucky trial",
                                    search.caveats.capped,
                                    counted(search.repetitions.size(), "search", "searches")));
    return found;
}

// Adds each remark once, with all its cells.
void add_remarks(Table &table, std::span<const SearchResult> searches)
{
    std::map<std::string, std::vector<std::string>> cells;
    for (const SearchResult &search : searches)
        for (const std::string &remark : remarks(search))
            cells[remark].push_back(shares_text(search));
    for (const auto &[remark, where] : cells)
        table.notes.push_back(where.size() == searches.size() && where.size() > 1
                                  ? fmt::format("All: {}.", remark)
                                  : fmt::format("{}: {}.", join(where, "; "), remark));
}

// Throws std::invalid_argument if the search has no cell in the grid.
void check_cell(const SearchResult &search)
{
    if (!search.dns64)
        throw std::invalid_argument("a search of " + search.server +
                                    ", which is no DNS64 server, has no cell in the grid");
    if (search.rates().empty())
        throw std::invalid_argument("the search for " + shares_text(search) + " has no result");
}

} // namespace

Table shares_grid(std::string caption, std::span<const SearchResult> searches)
{
    std::vector<StatisticsColumn> cells;
    std::set<std::pair<unsigned, unsigned>> filled;
    bool is_all_cached = false;
    for (const SearchResult &search : searches) {
        check_cell(search);
        const unsigned cached = search.dns64->cached_share;
        const unsigned aaaa = search.dns64->aaaa_share;
        is_all_cached = is_all_cached || cached == 100;
        cells.push_back(column_of(search, {std::to_string(cached), std::to_string(aaaa)}));
        if (!filled.insert({cached, aaaa}).second)
            throw std::invalid_argument("two searches are of " + shares_text(search));
    }
    Table table = grid_table(std::move(caption), "Cached", "AAAA (%)", cells, percentile_rows,
                             GridOrder::ascending);
    if (is_all_cached)
        table.notes.emplace_back("With all names cached the share of AAAA records makes no "
                                 "difference: one measurement stands for all.");
    add_remarks(table, searches);
    if (!filled.contains({0, 0}))
        table.notes.emplace_back("RFC 8219 requires the combination 0 % + 0 %, which was not "
                                 "measured.");
    return table;
}

RateAtShares shares_point(const SearchResult &search)
{
    check_cell(search);
    return {.cached = search.dns64->cached_share / 100.0,
            .aaaa = search.dns64->aaaa_share / 100.0,
            .rate = summarize(search.rates()).median};
}

namespace
{

// The results so far. Rates that the Tester may limit are separate, because they tell nothing about
// the server's times.
struct Points {
    std::vector<RateAtShares> fitted;
    std::vector<RateAtShares> limited;
};

Points points_of(const CellResults &members)
{
    Points points;
    for (const CellResult &member : members)
        if (const SearchResult &search = member.outcome.result;
            search.dns64 && !search.rates().empty())
            (search.caveats.is_tester_limited() ? points.limited : points.fitted)
                .push_back(shares_point(search));
    return points;
}

Table unidentified(const std::string &caption, const Points &points, std::size_t cells,
                   const char *why)
{
    const std::string limited =
        points.limited.empty()
            ? ""
            : fmt::format(", {} more may be limited by the Tester", points.limited.size());
    return model_table(caption,
                       {.times = {{.name = "all",
                                   .seconds = {},
                                   .margin = {},
                                   .why_not = fmt::format("{}; {} of {} cells have one{}", why,
                                                          points.fitted.size(), cells, limited)}},
                        .fitted = {},
                        .notes = {}});
}

} // namespace

std::vector<Table> model_tables(const std::function<std::string(const char *)> &caption,
                                const CellResults &members)
{
    const std::string times = caption(": times of the DNS64 model");
    const Points points = points_of(members);
    try {
        const Dns64Model model = fit_dns64_model(points.fitted);
        Table first = model_table(times, model);
        const auto unfinished = std::ranges::count_if(members, [](const CellResult &member) {
            return member.outcome.result.end != TrialsEnd::complete ||
                   member.outcome.result.rates().empty();
        });
        if (unfinished != 0)
            first.notes.push_back(
                fmt::format("{} of {} cells are not finished.", unfinished, members.size()));
        return {first, model_fit_table(caption(": rates of the DNS64 model"), points.fitted, model,
                                       points.limited)};
    } catch (const std::invalid_argument &error) {
        return {unidentified(times, points, members.size(), error.what())};
    }
}

} // namespace dnsgauge
