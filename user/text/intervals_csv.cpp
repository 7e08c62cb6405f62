// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/intervals_csv.h"

#include "text/table.h"
#include "units/rate.h"
#include "units/rcode.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::array rtt_columns{
    std::pair{"rtt_min_ns", &RttSummary::min},     std::pair{"rtt_p50_ns", &RttSummary::p50},
    std::pair{"rtt_p90_ns", &RttSummary::p90},     std::pair{"rtt_p99_ns", &RttSummary::p99},
    std::pair{"rtt_p99_9_ns", &RttSummary::p99_9}, std::pair{"rtt_max_ns", &RttSummary::max}};

Table::Row heads()
{
    Table::Row row{"since_s", "sent", "valid", "late", "lost", "invalid"};
    for (const InvalidClass &each : invalid_classes)
        row.push_back(fmt::format("invalid_{}", each.key));
    for (unsigned rcode = 0; rcode < IntervalSummary{}.rcodes.size(); rcode++)
        row.push_back(fmt::format("rcode_{}", rcode_text(rcode)));
    for (const auto &[name, figure] : rtt_columns)
        row.emplace_back(name);
    row.emplace_back("rtt_mean_ns");
    return row;
}

Table::Row row_of(const IntervalSummary &interval)
{
    const QueryCounts &queries = interval.queries;
    Table::Row row{fmt::format("{}", seconds(interval.since))};
    for (const std::uint64_t count :
         {queries.sent, queries.valid, queries.late, queries.lost, queries.invalid.total()})
        row.push_back(std::to_string(count));
    for (const InvalidClass &each : invalid_classes)
        row.push_back(std::to_string(queries.invalid.*each.count));
    for (const std::uint64_t count : interval.rcodes)
        row.push_back(std::to_string(count));
    // Without a valid reply there is no figure.
    for (const auto &[name, figure] : rtt_columns)
        row.push_back(interval.rtt.count == 0 ? "" : std::to_string(interval.rtt.*figure));
    row.push_back(interval.rtt.count == 0 ? "" : fmt::format("{:.1f}", interval.rtt.mean));
    return row;
}

} // namespace

std::string intervals_csv(const TrialResult &result)
{
    Table table;
    table.heads = {heads()};
    for (const IntervalSummary &interval : result.intervals)
        table.rows.push_back(row_of(interval));
    return render(table, TableForm::csv);
}

} // namespace dnsgauge
