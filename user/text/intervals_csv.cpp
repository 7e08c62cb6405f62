// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/trial_text.h"

#include "text/columns.h"
#include "units/rate.h"
#include "units/rcode.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::array rtt_columns{
    std::pair{"rtt_min_ns", &RttSummary::min},     std::pair{"rtt_p50_ns", &RttSummary::p50},
    std::pair{"rtt_p90_ns", &RttSummary::p90},     std::pair{"rtt_p99_ns", &RttSummary::p99},
    std::pair{"rtt_p99_9_ns", &RttSummary::p99_9}, std::pair{"rtt_max_ns", &RttSummary::max}};

Columns<IntervalSummary> interval_columns()
{
    using Row = IntervalSummary;
    Columns<Row> columns = {
        {"since_s", "", [](const Row &row) { return seconds(row.since); }},
        {"sent", "", [](const Row &row) { return row.queries.sent; }},
        {"valid", "", [](const Row &row) { return row.queries.valid; }},
        {"late", "", [](const Row &row) { return row.queries.late; }},
        {"lost", "", [](const Row &row) { return row.queries.lost; }},
        {"invalid", "", [](const Row &row) { return row.queries.invalid.total(); }}};
    for (const InvalidClass &each : invalid_classes)
        columns.push_back(
            {fmt::format("invalid_{}", each.key), "",
             [count = each.count](const Row &row) { return row.queries.invalid.*count; }});
    for (unsigned rcode = 0; rcode < IntervalSummary{}.rcodes.size(); rcode++)
        columns.push_back({fmt::format("rcode_{}", rcode_text(rcode)), "",
                           [rcode](const Row &row) { return row.rcodes.at(rcode); }});
    // Without a valid reply there is no figure.
    for (const auto &[name, figure] : rtt_columns)
        columns.push_back({name, "", [its = figure](const Row &row) {
                               return row.rtt.count == 0 ? Json() : Json(row.rtt.*its);
                           }});
    const auto tenths = [](const Json &mean) {
        return mean.is_null() ? "" : fmt::format("{:.1f}", mean.get<double>());
    };
    columns.push_back(
        {"rtt_mean_ns",
         "",
         [](const Row &row) { return row.rtt.count == 0 ? Json() : Json(row.rtt.mean); },
         {},
         tenths});
    return columns;
}

} // namespace

std::string intervals_csv(const TrialResult &result)
{
    return render(rows_table(result.intervals, interval_columns(), TableForm::csv), TableForm::csv);
}

} // namespace dnsgauge
