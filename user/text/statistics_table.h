// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of repeated searches in the shape of papers 000 and 002: a column for each server or
// setting, a row for each figure.
#pragma once

#include "result/caveats.h"
#include "stats/dns64_model.h"
#include "stats/summary.h"
#include "stats/sustainable_rate.h"
#include "text/table.h"
#include "units/rate.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class StatisticsRow { median, p1, p99, dispersion, mean, stddev, moe_999, mad, min, max };

// All rows but the least and the greatest value, which below 100 values are the percentiles; the
// rows of paper 000's Tables 3 to 23; of paper 002's Tables 1 to 5; of its Tables 6 and 7.
inline const std::vector<StatisticsRow> all_rows = {
    StatisticsRow::median, StatisticsRow::p1,     StatisticsRow::p99,     StatisticsRow::dispersion,
    StatisticsRow::mean,   StatisticsRow::stddev, StatisticsRow::moe_999, StatisticsRow::mad};
inline const std::vector<StatisticsRow> paper_000_rows = {
    StatisticsRow::median, StatisticsRow::p1, StatisticsRow::p99, StatisticsRow::dispersion};
inline const std::vector<StatisticsRow> paper_002_rows = {
    StatisticsRow::mean,   StatisticsRow::median,  StatisticsRow::p1, StatisticsRow::p99,
    StatisticsRow::stddev, StatisticsRow::moe_999, StatisticsRow::mad};
inline const std::vector<StatisticsRow> percentile_rows = {StatisticsRow::median, StatisticsRow::p1,
                                                           StatisticsRow::p99};

// The searches of one setting: the statistics of their highest passing rates, in queries per
// second.
struct StatisticsColumn {
    std::vector<std::string> settings; // a cell for each head of the table
    Summary rates{};
    double accept_percent = 100;
    Caveats caveats{};
    std::vector<std::string> notes{}; // such as: one unlucky trial may have capped a search
    std::string bound{}; // what is known where there is no rate: ">= 50000"; empty: nothing
};

// Returns a table of the columns. `heads` name the settings: "Num. CPU cores", "Timeout (s)".
// Besides `rows` the table always has the sample's size and the share accepted. Every form of the
// table says `not_compliant` and `beyond_selftest` of the results that have these caveats; why they
// have them, the caller tells (caveat_sentences()). Figures that the Tester may have limited are in
// parentheses, as in paper 000, with a row and a note that say so. A note names dispersions above 5
// %.
[[nodiscard]] Table statistics_table(std::string caption, const std::vector<std::string> &heads,
                                     std::span<const StatisticsColumn> columns,
                                     const std::vector<StatisticsRow> &rows = all_rows);

// Columns that differ only in the duration of their trials, and are judged together.
struct SustainableGroup {
    std::string name;                 // empty: the table has no other group
    std::vector<std::size_t> columns; // of the table, from 0, in the order of `rates`
    SustainableRates rates;
};

// Adds paper 002's row of calculated rates (marked "(wrong)" as in the paper) or a row for each
// verdict. Adds the verdicts as notes. Adds a row with the largest share of a measured rate that
// storing requests can have gained the server (stats/sustainable_rate.h).
void add_calculated_rates(Table &table, std::span<const SustainableGroup> groups);

// One cell of RFC 8219 section 9.2's two-dimensional table.
struct SharesCell {
    double cached = 0; // shares of the names, 0..1
    double aaaa = 0;
    Summary rates{};
    double accept_percent = 100;
    Caveats caveats{};
};

// Returns a table with shares of cached names down and shares of names with an AAAA record across.
// Each cell has a median with its percentiles and sample size. Cells that were not measured are
// empty.
[[nodiscard]] Table shares_table(std::string caption, std::span<const SharesCell> cells);

// One cell of a table in which two settings vary.
struct GridCell {
    std::string row;
    std::string column;
    Summary rates{};
    double accept_percent = 100;
    Caveats caveats{};
    std::string bound{}; // as of a column
};

// Returns a table with values of one setting down and of another across, both in the order of
// `cells`. Each cell has `rows`, the sample's size and the share accepted. Cells that were not
// measured are empty. Throws std::invalid_argument if two cells have the same values.
[[nodiscard]] Table grid_table(std::string caption, const std::string &row_head,
                               const std::string &column_head, std::span<const GridCell> cells,
                               const std::vector<StatisticsRow> &rows);

// Returns the model's times, each with its margin, or with the reason why there is none.
[[nodiscard]] Table model_table(std::string caption, const Dns64Model &model);

// Returns the measured rates beside the model's. The model was fitted to `points`. It was not
// fitted to `limited`, the points that the Tester may have limited.
[[nodiscard]] Table model_fit_table(std::string caption, std::span<const RateAtShares> points,
                                    const Dns64Model &model,
                                    std::span<const RateAtShares> limited = {});

} // namespace dnsgauge
