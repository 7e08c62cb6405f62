// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/replay.h"

#include "record/json.h"
#include "series/columns.h"
#include "system/listed.h"
#include "text/trial_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>

namespace dnsgauge
{

namespace
{

nlohmann::ordered_json figure_or_null(const std::optional<std::uint64_t> &figure)
{
    return figure ? nlohmann::ordered_json(*figure) : nlohmann::ordered_json();
}

// Returns the columns of what a probe saw; none if no run had one.
Columns<TrialSummary> probe_columns(const std::vector<TrialSummary> &runs)
{
    using Row = TrialSummary;
    Columns<Row> columns;
    if (std::ranges::none_of(runs, [](const Row &run) { return run.probe.has_value(); }))
        return columns;
    for (const Stage &stage : stages)
        columns.push_back({fmt::format("probe_p50_{}", stage.key),
                           fmt::format("{}, median", stage.label),
                           [times = stage.times](const Row &run) {
                               return figure_or_null(run.probe && ((*run.probe).*times).count != 0
                                                         ? std::optional(((*run.probe).*times).p50)
                                                         : std::nullopt);
                           }});
    columns.push_back({"probe_asked", "asked others", [](const Row &run) {
                           return figure_or_null(run.probe ? std::optional(run.probe->asked)
                                                           : std::nullopt);
                       }});
    return columns;
}

// Returns the columns of a run. In text a note has the reasons of invalid queries instead.
Columns<TrialSummary> run_columns(const std::vector<TrialSummary> &runs, TableForm form)
{
    using Row = TrialSummary;
    Columns<Row> columns = chosen(
        trial_columns(), {"sent", "answered", "answered_percent", "late", "invalid", "lost"});
    const Columns<Row> more = {
        {"later_rtt_p50_ns", "RTT median",
         [](const Row &run) { return figure_or_null(run.later.rtt_p50); }},
        {"later_rtt_p99_ns", "RTT p99",
         [](const Row &run) { return figure_or_null(run.later.rtt_p99); }},
        {"later_slower_than_1ms_percent", "% > 1 ms",
         [](const Row &run) { return 100 * run.later.curve.slower_than_1ms; }},
        {"later_slower_than_10ms_percent", "% > 10 ms",
         [](const Row &run) { return 100 * run.later.curve.slower_than_10ms; }},
        {"later_slower_than_100ms_percent", "% > 100 ms",
         [](const Row &run) { return 100 * run.later.curve.slower_than_100ms; }},
        {"later_slower_than_1s_percent", "% > 1 s",
         [](const Row &run) { return 100 * run.later.curve.slower_than_1s; }},
        {"later_unanswered_percent", "% unanswered",
         [](const Row &run) { return 100 - share_of(100, run.later.answered, run.later.sent); }},
        {"lateness_p99_ns", "sent late, p99", &Row::lateness_p99},
        {"lateness_max_ns", "sent late, max", &Row::lateness_max}};
    columns.insert(columns.end(), more.begin(), more.end());
    std::ranges::copy(probe_columns(runs), std::back_inserter(columns));
    if (form == TableForm::csv)
        for (const InvalidClass &each : invalid_classes)
            columns.push_back(
                {std::string("invalid_") + each.key, each.label,
                 [count = each.count](const Row &run) { return run.reasons.*count; }});
    return columns;
}

constexpr std::array band_rows{BandRow{"min", &Band::min}, BandRow{"median", &Band::median},
                               BandRow{"mean", &Band::mean}, BandRow{"max", &Band::max}};

// Returns what was not played of the captures; an empty text if all was played.
std::string left_out_note(const ReplayResult &result)
{
    std::string text = left_out_text(result.left_out);
    if (text.empty())
        return text;
    return fmt::format(
        "not played{}: {}",
        result.packets == 0 ? "" : fmt::format(" of the captures' {} packets", result.packets),
        text);
}

// Adds a column to CSV, which has no place for notes. Its first row says what the figures are good
// for, and what was not played of the captures.
void add_caveat(Table &table, const ReplayResult &result)
{
    table.heads.front().emplace_back("caveat");
    if (table.rows.empty())
        return;
    const std::string left_out = left_out_note(result);
    table.rows.front().push_back(left_out.empty()
                                     ? for_comparison_alone
                                     : fmt::format("{}; {}", for_comparison_alone, left_out));
}

std::string caption_of(const ReplayResult &result)
{
    const std::string often =
        result.speed == 1 ? "" : fmt::format(", {:g} times as fast", result.speed);
    return fmt::format(
        "Replay of {} to {}: {} played at once{}{}, {} queries of {} clients in {:g} "
        "s, timeout {:g} s; {} of {} runs; latency from {:g} s on",
        join(result.files, ", "), result.server, result.played, often,
        result.slices <= result.played
            ? ""
            : fmt::format(" of {} slices, others in each run", result.slices),
        result.queries, result.clients, seconds(result.duration), seconds(result.timeout),
        result.rows.size(), result.runs_wanted, seconds(result.since));
}

std::string rcodes_text(const ReplayBands &bands)
{
    const std::string text = joined(bands.rcode_percent, [](const auto &one) {
        const auto &[rcode, band] = one;
        return fmt::format("{} {} ({} to {})", rcode, percent_text(band.mean),
                           percent_text(band.min), percent_text(band.max));
    });
    return text.empty()
               ? "no replies"
               : "RCODEs, percent of the replies, mean (least to greatest of a run): " + text;
}

// Says why queries of all runs together were invalid. Returns an empty text if none was.
std::string reasons_text(const std::vector<TrialSummary> &runs)
{
    const std::string text = joined(invalid_classes, [&runs](const InvalidClass &each) {
        std::uint64_t count = 0;
        for (const TrialSummary &run : runs)
            count += run.reasons.*each.count;
        return count == 0 ? "" : fmt::format("{} {}", count, each.reason);
    });
    return text.empty() ? "" : "Invalid, of all runs: answered " + text;
}

// An interval of a run.
struct LowestInterval {
    std::size_t run = 0; // from 1
    const TrialInterval *interval = nullptr;
};

// Returns the interval with the lowest response rate of all runs; nothing if no query was sent.
std::optional<LowestInterval> lowest_interval(const std::vector<TrialSummary> &runs)
{
    std::optional<LowestInterval> lowest;
    double least = 0;
    for (std::size_t run = 0; run < runs.size(); run++)
        for (const TrialInterval &interval : runs[run].intervals) {
            const double share = share_of(1, interval.answered, interval.sent);
            if (interval.sent == 0 || (lowest && share >= least))
                continue;
            lowest = LowestInterval{run + 1, &interval};
            least = share;
        }
    return lowest;
}

// Says by how many the replies with RCODEs exceed the answered queries.
std::string more_replies_text(const ReplayResult &result)
{
    std::uint64_t replies = 0;
    std::uint64_t answered = 0;
    for (const TrialSummary &run : result.rows) {
        answered += run.valid;
        for (const auto &[rcode, count] : run.rcodes)
            replies += count;
    }
    if (replies <= answered)
        return {};
    return fmt::format("The RCODEs are of {} replies, {} more than there are answered queries: "
                       "replies that were late or invalid have an RCODE, too",
                       replies, replies - answered);
}

// Names the interval with the lowest average response rate of all runs, and the interval with the
// lowest response rate of a single run.
std::string worst_intervals_text(const ReplayResult &result)
{
    const IntervalBand *worst = nullptr;
    for (const IntervalBand &interval : result.bands.intervals)
        if (interval.answered_percent &&
            (worst == nullptr || interval.answered_percent->mean < worst->answered_percent->mean))
            worst = &interval;
    if (worst == nullptr)
        return "no query was sent";
    const std::optional<LowestInterval> lowest = lowest_interval(result.rows);
    return fmt::format("Lowest response rate of an interval of {:g} s: on average of the runs {} % "
                       "from {:g} s on (least {}, greatest {}); of a single run {} % in run {} "
                       "from {:g} s on ({} of {} queries)",
                       seconds(result.interval), percent_text(worst->answered_percent->mean),
                       seconds(worst->since), percent_text(worst->answered_percent->min),
                       percent_text(worst->answered_percent->max),
                       percent_text(lowest->interval->answered, lowest->interval->sent),
                       lowest->run, seconds(lowest->interval->since), lowest->interval->answered,
                       lowest->interval->sent);
}

std::vector<std::string> notes_of(const ReplayResult &result)
{
    std::vector<std::string> notes = {rcodes_text(result.bands), reasons_text(result.rows),
                                      more_replies_text(result), worst_intervals_text(result),
                                      left_out_note(result),     for_comparison_alone};
    std::erase(notes, "");
    std::ranges::copy(series_notes(result), std::back_inserter(notes));
    return notes;
}

// Returns all RCODEs of the intervals, in their order.
std::set<std::string> rcodes_of(const ReplayBands &bands)
{
    std::set<std::string> rcodes;
    for (const IntervalBand &interval : bands.intervals)
        for (const auto &[rcode, band] : interval.rcodes)
            rcodes.insert(rcode);
    return rcodes;
}

// Returns the row, followed by the count of each RCODE. `count_of` takes the count from an entry.
template <class Counts, class CountOf>
Table::Row with_rcodes(Table::Row row, const std::set<std::string> &rcodes, const Counts &counts,
                       CountOf count_of)
{
    for (const std::string &rcode : rcodes) {
        const auto found = counts.find(rcode);
        row.push_back(found == counts.end() ? "0" : plain_figure("", count_of(found->second)));
    }
    return row;
}

} // namespace

std::string to_text(const ReplayResult &result, TableForm form)
{
    const Columns<TrialSummary> columns = run_columns(result.rows, form);
    Table table = rows_table(result.rows, columns, form);
    number_rows(table, "run");
    add_bands<TrialSummary>(table, result.rows, columns, band_rows, form);
    if (form == TableForm::csv)
        add_caveat(table, result);
    table.caption = caption_of(result);
    table.notes = notes_of(result);
    return render(table, form);
}

std::string replay_intervals_csv(const ReplayResult &result)
{
    const std::set<std::string> rcodes = rcodes_of(result.bands);
    Table table;
    table.heads = {{"run", "since_s", "sent", "answered", "answered_percent"}};
    for (const std::string &rcode : rcodes)
        table.heads.front().push_back("rcode_" + rcode);
    for (std::size_t i = 0; i < result.rows.size(); i++)
        for (const TrialInterval &interval : result.rows[i].intervals)
            table.rows.push_back(with_rcodes(
                {std::to_string(i + 1), fmt::format("{}", seconds(interval.since)),
                 std::to_string(interval.sent), std::to_string(interval.answered),
                 interval.sent == 0 ? "" : percent_text(interval.answered, interval.sent)},
                rcodes, interval.rcodes, std::identity()));
    for (const BandRow &band : band_rows)
        for (const IntervalBand &interval : result.bands.intervals)
            table.rows.push_back(with_rcodes(
                {band.name, fmt::format("{}", seconds(interval.since)), "", "",
                 interval.answered_percent ? percent_text((*interval.answered_percent).*band.figure)
                                           : ""},
                rcodes, interval.rcodes,
                [&band](const Band &count) { return count.*band.figure; }));
    add_caveat(table, result);
    return render(table, TableForm::csv);
}

std::string replay_curve_csv(const ReplayResult &result)
{
    Table table;
    table.heads = {{"run", "slowest_share", "rtt_ns"}};
    for (std::size_t i = 0; i < result.rows.size(); i++)
        for (const RttCurve::Point &point : result.rows[i].later.curve.points)
            table.rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.8g}", point.share),
                                  fmt::format("{}", point.rtt)});
    for (const BandRow &band : band_rows)
        for (const CurveBand &point : result.bands.curve)
            table.rows.push_back({band.name, fmt::format("{:.8g}", point.share),
                                  plain_figure("rtt_ns", point.rtt.*band.figure)});
    add_caveat(table, result);
    return render(table, TableForm::csv);
}

} // namespace dnsgauge
