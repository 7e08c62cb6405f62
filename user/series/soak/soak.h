// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A soak, the same load for hours: its options, its rows, the server's memory after each row, and
// the forms of its result.
#pragma once

#include "series/kind.h"
#include "text/table.h"
#include "units/rate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct FoundRate {
    Rate rate;
    std::string server; // the search's
};

// Returns the rate that the search in the JSON `file` found: the median of its results, or the
// highest rate of the range if all of the range passed. For several loss ratios it is the lower
// bound of the lowest ratio that has one. Throws SetupError if the file is no result of a search,
// or if the search found no rate.
[[nodiscard]] FoundRate read_found_rate(const std::string &file);

struct SoakPlan {
    Rate rate{};
    std::uint64_t rows = 0;        // besides invalid ones
    unsigned invalid_retries = 10; // invalid rows that may follow each other
};

struct SoakRequest : SeriesRequest {
    static constexpr const char *kind = "soak";

    SoakRequest()
    {
        trial.duration = std::chrono::minutes(1);
        between.pause = {}; // the load is to last
    }

    SoakPlan soak;                   // its rate and number of rows follow from the options
    std::optional<Rate> rate;        // as it was given
    std::optional<std::string> from; // the result of the search that the rate is a part of
    std::optional<double> percent;   // of the rate that the search found, as it was given
    double hours = 8;                // for which queries are sent

    static constexpr double usual_percent = 80;
    [[nodiscard]] double part_percent() const { return percent.value_or(usual_percent); }
};

// Its rows are all trials, invalid ones included.
struct SoakResult : SeriesResult {
    SoakPlan plan;
    std::string rate_from; // what the rate is a part of; empty if the rate was given
};

// Returns the options that decide the soak.
[[nodiscard]] Options options_of(SoakRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other, or if the search's result has no rate for this server.
void complete(SoakRequest &request);

// Returns the present memory of the server's processes.
using ReadMemory = std::function<std::vector<ProcessMemory>()>;

// Makes the soak by `run`: see run_series(). Records the server's memory after each row. An invalid
// row stays in the result, and another row is made.
[[nodiscard]] SoakResult run_soak(const SoakPlan &plan, Journal &journal, const TrialRunner &run,
                                  const ReadMemory &memory);

[[nodiscard]] Command soak_command(std::shared_ptr<Testers> testers);

// Returns the sums of all rows that are not invalid. The verdict is fail if a row failed, and
// invalid if there are no other rows.
[[nodiscard]] TrialSummary total_of(const SoakResult &result);

// Returns the numbers, from 1, of the rows after which the server had other processes than after
// the previous row, as after a restart.
[[nodiscard]] std::vector<std::uint64_t> rows_with_new_processes(const SoakResult &result);

void fields(Fields &row, ProcessMemory &process);
void fields(Fields &row, SoakResult &result);

// Returns a table with a row for each row of the soak, and the sums of rows that are not invalid.
// CSV has no sums, and its heads are the names of the fields in JSON.
[[nodiscard]] std::string to_text(const SoakResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
