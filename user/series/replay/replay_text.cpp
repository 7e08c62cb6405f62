// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/replay.h"

#include "series/columns.h"
#include "text/duration_text.h"
#include "text/percent_text.h"
#include "text/trial_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

namespace dnsgauge
{

namespace
{

std::string share_text(double share)
{
    return percent_text(100 * share);
}

std::string count_text(double count)
{
    return fmt::format("{:.10g}", count);
}

std::string rtt_text(double nanoseconds)
{
    return duration_text(nanoseconds);
}

std::string plain_rtt_text(double nanoseconds)
{
    return fmt::format("{:.0f}", nanoseconds);
}

// A figure of a run.
struct Figure {
    const char *head;   // for people
    const char *column; // in CSV
    std::optional<double> (*of)(const TrialSummary &run);
    std::string (*text)(double value);
    std::string (*plain)(double value); // in CSV
};

std::optional<double> real(std::uint64_t count)
{
    return static_cast<double>(count);
}

std::optional<double> real(const std::optional<std::uint64_t> &figure)
{
    return figure ? real(*figure) : std::nullopt;
}

constexpr std::array figures{
    Figure{"sent", "sent", [](const TrialSummary &run) { return real(run.sent); }, count_text,
           count_text},
    Figure{"answered", "answered", [](const TrialSummary &run) { return real(run.valid); },
           count_text, count_text},
    Figure{"answered %", "answered_percent",
           [](const TrialSummary &run) { return std::optional(run.answered_of(100)); },
           percent_text, percent_text},
    Figure{"late", "late", [](const TrialSummary &run) { return real(run.late); }, count_text,
           count_text},
    Figure{"invalid", "invalid", [](const TrialSummary &run) { return real(run.invalid); },
           count_text, count_text},
    Figure{"lost", "lost", [](const TrialSummary &run) { return real(run.lost); }, count_text,
           count_text},
    Figure{"RTT median", "later_rtt_p50_ns",
           [](const TrialSummary &run) { return real(run.later.rtt_p50); }, rtt_text,
           plain_rtt_text},
    Figure{"RTT p99", "later_rtt_p99_ns",
           [](const TrialSummary &run) { return real(run.later.rtt_p99); }, rtt_text,
           plain_rtt_text},
    Figure{"% > 1 ms", "later_slower_than_1ms_percent",
           [](const TrialSummary &run) { return std::optional(run.later.curve.slower_than_1ms); },
           share_text, share_text},
    Figure{"% > 10 ms", "later_slower_than_10ms_percent",
           [](const TrialSummary &run) { return std::optional(run.later.curve.slower_than_10ms); },
           share_text, share_text},
    Figure{"% > 100 ms", "later_slower_than_100ms_percent",
           [](const TrialSummary &run) { return std::optional(run.later.curve.slower_than_100ms); },
           share_text, share_text},
    Figure{"% > 1 s", "later_slower_than_1s_percent",
           [](const TrialSummary &run) { return std::optional(run.later.curve.slower_than_1s); },
           share_text, share_text},
    Figure{"% unanswered", "later_unanswered_percent",
           [](const TrialSummary &run) {
               return std::optional(1 - share_of(1, run.later.answered, run.later.sent));
           },
           share_text, share_text},
    Figure{"sent late, p99", "lateness_p99_ns",
           [](const TrialSummary &run) { return real(run.lateness_p99); }, rtt_text,
           plain_rtt_text},
    Figure{"sent late, max", "lateness_max_ns",
           [](const TrialSummary &run) { return real(run.lateness_max); }, rtt_text,
           plain_rtt_text}};

// Why queries were invalid, in CSV.
#define REASON(NAME, key, label, reason, kind)                                                     \
    Figure{label, "invalid_" #key, [](const TrialSummary &run) { return real(run.reasons.key); },  \
           count_text, count_text},
constexpr std::array reasons{INVALID_CLASSES(REASON)};
#undef REASON

// Returns the figures that a table shows: people read the reasons in a note.
std::vector<Figure> figures_shown(bool is_plain)
{
    std::vector<Figure> shown(figures.begin(), figures.end());
    if (is_plain)
        shown.insert(shown.end(), reasons.begin(), reasons.end());
    return shown;
}

// A row of a band: its name, and its figure of all runs' values.
struct BandRow {
    const char *name;
    double Band::*figure;
};

constexpr std::array band_rows{BandRow{"min", &Band::min}, BandRow{"median", &Band::median},
                               BandRow{"mean", &Band::mean}, BandRow{"max", &Band::max}};

std::vector<double> values_of(const Figure &figure, const std::vector<TrialSummary> &runs)
{
    std::vector<double> values;
    for (const TrialSummary &run : runs)
        if (const std::optional<double> value = figure.of(run))
            values.push_back(*value);
    return values;
}

std::string cell(const Figure &figure, const std::optional<double> &value, bool is_plain)
{
    if (!value)
        return is_plain ? "" : "-";
    return (is_plain ? figure.plain : figure.text)(*value);
}

void add_runs(Table &table, const std::vector<TrialSummary> &runs, bool is_plain)
{
    for (std::size_t i = 0; i < runs.size(); i++) {
        Table::Row row = {fmt::format("{}", i + 1)};
        for (const Figure &figure : figures_shown(is_plain))
            row.push_back(cell(figure, figure.of(runs[i]), is_plain));
        table.rows.push_back(std::move(row));
    }
}

void add_bands(Table &table, const std::vector<TrialSummary> &runs, bool is_plain)
{
    for (const BandRow &band : band_rows) {
        Table::Row row = {band.name};
        for (const Figure &figure : figures_shown(is_plain)) {
            const std::optional<Band> found = band_of(values_of(figure, runs));
            row.push_back(cell(figure, found ? std::optional((*found).*band.figure) : std::nullopt,
                               is_plain));
        }
        table.rows.push_back(std::move(row));
    }
}

// Returns what of the captures was not played; nothing where all was.
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

// CSV has no place for notes: the first row says what the figures are good for, and what the
// captures have that was not played.
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
        fmt::join(result.files, ", "), result.server, result.played, often,
        result.slices <= result.played
            ? ""
            : fmt::format(" of {} slices, others in each run", result.slices),
        result.queries, result.clients, seconds(result.duration), seconds(result.timeout),
        result.rows.size(), result.runs_wanted, seconds(result.since));
}

std::string rcodes_text(const ReplayBands &bands)
{
    std::string text;
    for (const auto &[rcode, band] : bands.rcode_percent)
        text +=
            fmt::format("{}{} {} ({} to {})", text.empty() ? "" : ", ", rcode,
                        percent_text(band.mean), percent_text(band.min), percent_text(band.max));
    return text.empty()
               ? "no replies"
               : "RCODEs, percent of the replies, mean (least to greatest of a run): " + text;
}

// Says why queries of all runs together were invalid; nothing where none was.
std::string reasons_text(const std::vector<TrialSummary> &runs)
{
    std::string text;
    for (const InvalidClass &each : invalid_classes) {
        std::uint64_t count = 0;
        for (const TrialSummary &run : runs)
            count += run.reasons.*each.count;
        if (count != 0)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, each.reason);
    }
    return text.empty() ? "" : "Invalid, of all runs: answered " + text;
}

// An interval of a run.
struct LowestInterval {
    std::size_t run = 0; // from 1
    const TrialInterval *interval = nullptr;
};

// Returns the interval with the lowest response rate of all runs; nothing where none had a query.
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

// Says which replies the RCODEs count besides those that answered in time.
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
                       "replies that were late, or invalid, have one, too",
                       replies, replies - answered);
}

// Says in which interval the runs had the lowest response rate on average, and which interval of a
// run had the lowest one.
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
    return fmt::format(
        "Lowest response rate of an interval of {:g} s: on average of the runs {} % "
        "from {:g} s on (least {}, greatest {}); of a single run {} % in run {} "
        "from {:g} s on ({} of {} queries)",
        seconds(result.interval), percent_text(worst->answered_percent->mean),
        seconds(worst->since), percent_text(worst->answered_percent->min),
        percent_text(worst->answered_percent->max),
        percent_text(share_of(100, lowest->interval->answered, lowest->interval->sent)),
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

Table::Row interval_row(const std::string &run, const TrialInterval &interval,
                        const std::set<std::string> &rcodes)
{
    Table::Row row = {
        run, fmt::format("{}", seconds(interval.since)), fmt::format("{}", interval.sent),
        fmt::format("{}", interval.answered),
        interval.sent == 0 ? "" : percent_text(share_of(100, interval.answered, interval.sent))};
    for (const std::string &rcode : rcodes) {
        const auto found = interval.rcodes.find(rcode);
        row.push_back(fmt::format("{}", found == interval.rcodes.end() ? 0 : found->second));
    }
    return row;
}

Table::Row band_row(const BandRow &band, const IntervalBand &interval,
                    const std::set<std::string> &rcodes)
{
    Table::Row row = {
        band.name, fmt::format("{}", seconds(interval.since)), "", "",
        interval.answered_percent ? percent_text((*interval.answered_percent).*band.figure) : ""};
    for (const std::string &rcode : rcodes) {
        const auto found = interval.rcodes.find(rcode);
        row.push_back(found == interval.rcodes.end() ? "0"
                                                     : count_text(found->second.*band.figure));
    }
    return row;
}

} // namespace

std::string to_text(const ReplayResult &result, TableForm form)
{
    const bool is_plain = form == TableForm::csv;
    Table table;
    table.caption = caption_of(result);
    table.heads = {{"run"}};
    for (const Figure &figure : figures_shown(is_plain))
        table.heads.front().emplace_back(is_plain ? figure.column : figure.head);
    add_runs(table, result.rows, is_plain);
    add_bands(table, result.rows, is_plain);
    if (is_plain)
        add_caveat(table, result);
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
            table.rows.push_back(interval_row(fmt::format("{}", i + 1), interval, rcodes));
    for (const BandRow &band : band_rows)
        for (const IntervalBand &interval : result.bands.intervals)
            table.rows.push_back(band_row(band, interval, rcodes));
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
                                  plain_rtt_text(point.rtt.*band.figure)});
    add_caveat(table, result);
    return render(table, TableForm::csv);
}

} // namespace dnsgauge
