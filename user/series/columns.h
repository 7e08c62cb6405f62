// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The columns in which a series tells of its trials: each is said once, for JSON, for CSV and for
// people.
#pragma once

#include "result/series_result.h"
#include "text/table.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct Column {
    using Json = nlohmann::ordered_json;

    const char *key;  // in JSON and in CSV
    const char *head; // for people
    Json (*value)(const TrialSummary &trial);
    // In CSV, which wants figures without units. Null: as in JSON, where nothing stands for null.
    std::string (*plain)(const TrialSummary &trial) = nullptr;
    // For people. Null: as in CSV.
    std::string (*text)(const TrialSummary &trial) = nullptr;

    [[nodiscard]] std::string plain_cell(const TrialSummary &trial) const;
    [[nodiscard]] std::string cell(const TrialSummary &trial) const;
};

using Columns = std::vector<Column>;

// Returns the columns that all series have in JSON, and behind them `more`, which the kind adds.
[[nodiscard]] Columns trial_columns(Columns more = {});

// Returns the share in percent, to a ten-thousandth and never rounded up: 100 means all.
[[nodiscard]] std::string answered_percent_text(std::uint64_t answered, std::uint64_t sent);

// Returns how many queries of a trial were answered, or why the trial is invalid.
[[nodiscard]] std::string answered_text(const TrialResult &trial);

// Returns an array with an object for each trial.
[[nodiscard]] nlohmann::ordered_json rows_json(const std::vector<TrialSummary> &rows,
                                               const Columns &columns);

// Returns the heads, and a row for each trial, as CSV has them.
[[nodiscard]] std::string rows_csv(const std::vector<TrialSummary> &rows, const Columns &columns);

// Returns the columns with these keys, in this order.
[[nodiscard]] Columns chosen(const Columns &columns, std::initializer_list<std::string_view> keys);

// Returns the table's heads, and a row for each trial, for people.
[[nodiscard]] Table rows_table(const std::vector<TrialSummary> &rows, const Columns &columns);

// Returns the notes that stand below the table of any series: its caveats, through which interface
// its trials went, and, if `counts_invalid`, how many trials were invalid.
[[nodiscard]] std::vector<std::string> series_notes(const SeriesResult &result,
                                                    bool counts_invalid = true);

} // namespace dnsgauge
