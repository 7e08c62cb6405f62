// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/shares_grid.h"

#include "result/labels.h"
#include "text/search_text.h"
#include "userland/counted.h"

#include <fmt/format.h>

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

// Adds each remark once, with all cells that it holds for.
void add_remarks(Table &table, std::span<const SearchResult> searches)
{
    std::map<std::string, std::vector<std::string>> cells;
    for (const SearchResult &search : searches)
        for (const std::string &remark : remarks(search))
            cells[remark].push_back(shares_text(search));
    for (const auto &[remark, where] : cells)
        table.notes.push_back(where.size() == searches.size() && where.size() > 1
                                  ? fmt::format("All: {}.", remark)
                                  : fmt::format("{}: {}.", fmt::join(where, "; "), remark));
}

} // namespace

SharesCell shares_cell(const SearchResult &search)
{
    if (!search.dns64)
        throw std::invalid_argument("a search of " + search.server +
                                    ", which is no DNS64 server, has no cell in the grid");
    if (search.rates().empty())
        throw std::invalid_argument("the search for " + shares_text(search) + " has no result");
    return {.cached = search.dns64->cached_share / 100.0,
            .aaaa = search.dns64->aaaa_share / 100.0,
            .rates = summarize(search.rates()),
            .accept_percent = search.accept_percent,
            .caveats = search.caveats};
}

Table shares_grid(std::string caption, std::span<const SearchResult> searches)
{
    std::vector<SharesCell> cells;
    std::set<std::pair<double, double>> filled;
    for (const SearchResult &search : searches) {
        cells.push_back(shares_cell(search));
        if (!filled.insert({cells.back().cached, cells.back().aaaa}).second)
            throw std::invalid_argument("two searches are of " + shares_text(search));
    }
    Table table = shares_table(std::move(caption), cells);
    add_remarks(table, searches);
    if (!filled.contains({0, 0}))
        table.notes.emplace_back("RFC 8219 requires the combination 0 % + 0 %, which was not "
                                 "measured.");
    return table;
}

std::vector<RateAtShares> shares_points(std::span<const SharesCell> cells)
{
    std::vector<RateAtShares> points;
    for (const SharesCell &cell : cells)
        points.push_back({.cached = cell.cached, .aaaa = cell.aaaa, .rate = cell.rates.median});
    return points;
}

} // namespace dnsgauge
