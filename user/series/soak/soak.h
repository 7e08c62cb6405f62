// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A soak, the same load for hours: its options, its rows, the server's memory behind each, and the
// forms of its result.
#pragma once

#include "series/series_request.h"
#include "series/series_run.h"
#include "text/table.h"
#include "units/rate.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct FoundRate {
    Rate rate;
    std::string server; // the search's
};

// Returns the median of a search's results, or the least that the rate is where the search passed
// all of its range. Of a search for several loss ratios, returns the lower bound for the least loss
// that the server kept. `file` has the JSON of the search. Throws SetupError where the file is no
// result of a search, or the search found no rate.
[[nodiscard]] FoundRate read_found_rate(const std::string &file);

struct SoakPlan {
    Rate rate{};
    std::uint64_t rows = 0;        // that are not invalid
    unsigned invalid_retries = 10; // invalid rows in turn that end the soak if one more follows
};

struct SoakRequest : SeriesRequest {
    SoakPlan soak;                   // its rate and number of rows follow from the options
    std::optional<Rate> rate;        // as it was given
    std::optional<std::string> from; // the result of the search that the rate is a part of
    std::optional<double> percent;   // of the rate that the search found, as it was given
    double hours = 8;                // for which queries are sent

    static constexpr double usual_percent = 80;
    [[nodiscard]] double part_percent() const { return percent.value_or(usual_percent); }
};

// Its rows have the trials, invalid ones included.
struct SoakResult : SeriesResult {
    SoakPlan plan;
    std::string rate_from; // what the rate is a part of; empty: it was given
};

// Returns a request with the defaults of all options.
[[nodiscard]] SoakRequest usual_soak();

// Returns the options that decide the soak.
[[nodiscard]] Options soak_options(SoakRequest &request);

// Fills in what follows from the options that were read into the request. Throws SetupError if
// options contradict each other, or if the search's result has no rate for this server.
void complete(SoakRequest &request);

// Returns the first line of the soak's journal. Throws SetupError if there is no such interface, or
// if it is down.
[[nodiscard]] nlohmann::ordered_json journal_header(const SoakRequest &request);

// Returns the memory of the server's processes as it is now.
using ReadMemory = std::function<std::vector<ProcessMemory>()>;

// Makes the soak by `run`: run_series(). Records the server's memory behind each row. An invalid
// row stays in the result, and another is made besides.
[[nodiscard]] SoakResult run_soak(const SoakPlan &plan, Journal &journal, const TrialRunner &run,
                                  const ReadMemory &memory);

// Makes the rows that the journal lacks, until `stop` is set, and shows how far the soak is. Throws
// SetupError.
[[nodiscard]] SoakResult make_series(const SoakRequest &request, Journal &journal,
                                     const std::atomic<bool> &stop);

// Returns the sums of all rows that are not invalid, with the verdict fail if one row failed, and
// invalid if there is no such row.
[[nodiscard]] TrialSummary total_of(const SoakResult &result);

// Returns the numbers, from 1, of the rows at whose end the server had other processes than at the
// end of the row before, as after a restart.
[[nodiscard]] std::vector<std::uint64_t> rows_with_new_processes(const SoakResult &result);

// Returns the object that schemas/series.schema.json describes. `header` is the header of the
// soak's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const SoakResult &result,
                                             const nlohmann::ordered_json &header);

// Returns a row for each row of the soak, and the sums of those that are not invalid. In CSV, which
// has no sums, the columns have the names of the members of a row in JSON.
[[nodiscard]] std::string to_text(const SoakResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
