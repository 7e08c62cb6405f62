// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tables of repeated searches in the shape of papers 000 and 002, with a column for each server or
// setting and a row for each figure.
#pragma once

#include "result/caveats.h"
#include "stats/dns64_model.h"
#include "stats/summary.h"
#include "stats/sustainable_rate.h"
#include "text/table.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class StatisticsRow { median, p1, p99, dispersion, mean, stddev, moe_999, mad, min, max };

// The rows of tables:
// - all rows except the least and the greatest value, which equal the percentiles below 100 values;
// - the rows of paper 000's Tables 3 to 23;
// - the rows of paper 002's Tables 6 and 7.
inline const std::vector<StatisticsRow> all_rows = {
    StatisticsRow::median, StatisticsRow::p1,     StatisticsRow::p99,     StatisticsRow::dispersion,
    StatisticsRow::mean,   StatisticsRow::stddev, StatisticsRow::moe_999, StatisticsRow::mad};
inline const std::vector<StatisticsRow> paper_000_rows = {
    StatisticsRow::median, StatisticsRow::p1, StatisticsRow::p99, StatisticsRow::dispersion};
inline const std::vector<StatisticsRow> percentile_rows = {StatisticsRow::median, StatisticsRow::p1,
                                                           StatisticsRow::p99};

// The searches of one setting: the statistics of their highest passing rates, in queries per
// second.
struct StatisticsColumn {
    // A cell for each head of the table; in a grid row and column.
    std::vector<std::string> settings;
    Summary rates{};
    double accept_percent = 100;
    Caveats caveats{};
    std::vector<std::string> notes{}; // such as: one unlucky trial may have capped a search
    std::string bound{}; // in place of the median if there is no rate, such as ">= 50000"
};

// Returns a table of the columns. `heads` name the settings: "Num. CPU cores", "Timeout (s)".
// - The table has `rows`, and always the sample's size and the accepted share.
// - Every form of the table marks results with these caveats as `not_compliant` and
//   `beyond_selftest`. The caller adds why (caveat_sentences()).
// - Figures that the Tester may have limited are in parentheses, as in paper 000. A row and a note
//   say so.
// - A note names dispersions above 5 %.
[[nodiscard]] Table statistics_table(std::string caption, const std::vector<std::string> &heads,
                                     std::span<const StatisticsColumn> columns,
                                     const std::vector<StatisticsRow> &rows = all_rows);

// Columns that differ only in the duration of their trials, and are judged together.
struct SustainableGroup {
    std::string name;                 // empty if the table has no other group
    std::vector<std::size_t> columns; // of the table, from 0, in the order of `rates`
    SustainableRates rates;
};

// Adds paper 002's row of calculated rates for each verdict that occurs; wrong rates are marked
// "(wrong)", as in the paper. Adds the verdicts as notes. Adds a row with the largest share of a
// measured rate that the server can have gained by storing requests (stats/sustainable_rate.h).
void add_calculated_rates(Table &table, std::span<const SustainableGroup> groups);

// The order of a grid's values.
enum class GridOrder {
    given,    // as in the cells
    ascending // all values are numbers
};

// Returns a table with a row for each value of one setting and a column for each value of another.
// Each cell has `rows`, the sample's size and the accepted share; its notes are below the table.
// Cells without a measurement are empty. Throws std::invalid_argument if two cells have the same
// values.
[[nodiscard]] Table grid_table(std::string caption, const std::string &row_head,
                               const std::string &column_head,
                               std::span<const StatisticsColumn> cells,
                               const std::vector<StatisticsRow> &rows,
                               GridOrder order = GridOrder::given);

// Returns the model's times, each with its margin or the reason why it has none.
[[nodiscard]] Table model_table(std::string caption, const Dns64Model &model);

// Returns the measured rates beside the model's. The model was fitted to `points`, but not to
// `limited`, the points that the Tester may have limited.
[[nodiscard]] Table model_fit_table(std::string caption, std::span<const RateAtShares> points,
                                    const Dns64Model &model,
                                    std::span<const RateAtShares> limited = {});

} // namespace dnsgauge
