// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/replay/replay.h"

#include "record/json.h"
#include "record/json_text.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "text/lines.h"
#include "workload/captured_queries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

using Json = Journal::Json;

RcodeCounts read_rcodes(const Json &json)
{
    RcodeCounts counts;
    for (const auto &[rcode, count] : json.items())
        counts[plain_text(rcode)] = whole_number(count);
    return counts;
}

// Throws std::invalid_argument if a part of a trial has more answers than queries.
void check_answers(std::uint64_t answered, std::uint64_t sent)
{
    if (answered > sent)
        throw std::invalid_argument("a part of a run with more answers than queries");
}

TrialInterval read_interval(const Json &json)
{
    TrialInterval interval{.since = read_seconds(json.at("since_s")),
                           .sent = whole_number(json.at("sent")),
                           .answered = whole_number(json.at("valid")),
                           .rcodes = read_rcodes(json.at("rcodes"))};
    check_answers(interval.answered, interval.sent);
    return interval;
}

LaterPart read_latency(const Json &part, const Json &curve)
{
    LaterPart latency{.sent = whole_number(part.at("sent")),
                      .answered = whole_number(part.at("valid")),
                      .rtt_p50 = number_or_none(part.at("rtt_ns").at("p50")),
                      .rtt_p99 = number_or_none(part.at("rtt_ns").at("p99")),
                      .curve = read_fields<RttCurve>(curve)};
    check_answers(latency.answered, latency.sent);
    return latency;
}

// Reads what only replays keep of a trial from the journal's form. If a run is too short for two
// parts, its later part is the whole run.
void read_run(TrialSummary &run, const Json &trial)
{
    run.reasons = read_fields<InvalidCounts>(trial.at("invalid"));
    run.rcodes = read_rcodes(trial.at("rcodes"));
    const Json &lateness = trial.at("sending").at("lateness_ns");
    run.lateness_p99 = whole_number(lateness.at("p99"));
    run.lateness_max = whole_number(lateness.at("max"));
    for (const Json &interval : trial.at("intervals"))
        run.intervals.push_back(read_interval(interval));
    run.later = trial.at("later_part").is_null()
                    ? read_latency(trial, trial.at("rtt_curve"))
                    : read_latency(trial.at("later_part"), trial.at("later_rtt_curve"));
}

std::uint64_t trials_in(const Journal &journal)
{
    return static_cast<std::uint64_t>(
        std::ranges::count_if(journal.records(), [](const Journal::Record &record) {
            return record.value.is_object() && record.value.value("record", Json()) == "trial";
        }));
}

// Makes the runs of the plan, and takes all runs of the journal, even if the plan has fewer.
class ReplayRuns : public Strategy
{
public:
    ReplayRuns(const RunsPlan &plan, std::uint64_t recorded) : plan_(plan), recorded_(recorded) {}

    [[nodiscard]] std::optional<SearchTurn> next() const override
    {
        if (trials_ >= recorded_ && runs_ >= plan_.runs)
            return std::nullopt;
        return SearchTurn{runs_ + 1, 1, plan_.rates.at(runs_ % plan_.rates.size())};
    }
    void read(TrialSummary &trial, const Json &whole) override
    {
        if (trial.verdict != Verdict::invalid)
            read_run(trial, whole);
    }
    void feed(const TrialSummary &trial) override
    {
        trials_++;
        runs_ += trial.verdict != Verdict::invalid;
    }
    [[nodiscard]] TrialsLeft left() const override { return {plan_.runs - runs_}; }

private:
    const RunsPlan &plan_;
    std::uint64_t recorded_;   // trials of the journal, or more
    std::uint64_t trials_ = 0; // that were fed
    unsigned runs_ = 0;        // without invalid trials
};

std::string label_of(const Caveats &caveats)
{
    const std::string text = caveats_text(caveats);
    return text.empty() ? for_comparison_alone : fmt::format("{}; {}", for_comparison_alone, text);
}

// Adds a doubt if the Tester sent late.
void add_lateness(Caveats &caveats, const ReplayResult &result)
{
    constexpr std::uint64_t share_most = 1'000'000; // nanoseconds, of a hundredth of the queries
    const auto most = static_cast<std::uint64_t>(Tolerances{}.lateness.count());
    std::uint64_t latest = 0;
    std::uint64_t later = 0;
    for (const TrialSummary &run : result.rows) {
        latest = std::max(latest, run.lateness_max);
        later = std::max(later, run.lateness_p99);
    }
    if (latest <= most && later <= share_most)
        return;
    caveats.doubts.push_back(fmt::format(
        "the Tester sent queries up to {} late, in some run one in a hundred {} or more: they left "
        "in bursts that are not in the captures, and RTTs may be longer than the resolver's",
        duration(latest), duration(later)));
}

// Puts what is known before the runs into a result.
void describe(ReplayResult &result, const ReplayRequest &request)
{
    const TrialPlan &plan = *request.loaded;
    describe(result, request, caveats_of(request));
    const auto &capture = std::get<CaptureWorkload>(plan.workload);
    const CapturedQueries &captured = *capture.queries;
    result.files = capture.files;
    result.capture_server = capture.server ? to_string(*capture.server) : "";
    result.played = captured.played();
    result.slices = capture.slices;
    result.speed = capture.speed;
    result.clients = captured.clients();
    result.queries = captured.size();
    result.packets = captured.counts().packets;
    result.left_out = captured.left_out();
    result.doubled = captured.doubled();
    result.duration = duration_of(request);
    result.interval = *plan.interval;
    result.since = plan.since;
    result.before_trial = request.between.command.value_or("");
    add_lateness(result.caveats, result);
}

NamedCounts named(const RcodeCounts &counts)
{
    return {counts.begin(), counts.end()};
}

// Adds the bands by the name of their RCODE.
void bands_row(Fields &row, const char *name, const std::map<std::string, Band> &bands,
               const char *meaning)
{
    Json json = Json::object();
    for (const auto &[key, band] : bands)
        json[key] = written(band);
    SharedSchemas none;
    row.apart(name, json,
              {{"type", "object"},
               {"propertyNames", {{"type", "string"}, {"pattern", rcode_names.pattern}}},
               {"additionalProperties", described<Band>(none)}},
              meaning);
}

void rcodes_row(Fields &fields, const char *key, const char *meaning, const TrialSummary &run)
{
    fields.made(key, named(run.rcodes), meaning, rcode_names);
}

Columns<TrialSummary> run_columns()
{
    using Row = TrialSummary;
    return trial_columns(
        {{"invalid_reasons", "", "why these replies are no right answers",
          object_of<&Row::reasons>},
         {"rcodes", "",
          "replies by the name of their RCODE: to the answered queries, the late ones, and the "
          "invalid ones without wrong_question and malformed",
          rcodes_row},
         {"lateness_p99_ns", "", "lateness of 99 % of the queries at most, nanoseconds",
          value_of<&Row::lateness_p99>},
         {"lateness_max_ns", "", "lateness of the latest query, nanoseconds",
          value_of<&Row::lateness_max>},
         {"later_part", "",
          "the queries that were sent from since_s on, when the cache has filled; latency is of "
          "these alone",
          object_of<&Row::later>},
         {"intervals", "", "what became of the queries that were sent in each interval, ascending",
          list_of<&Row::intervals>}});
}

std::uint64_t count_of(const RcodeCounts &counts, const std::string &rcode)
{
    const auto found = counts.find(rcode);
    return found == counts.end() ? 0 : found->second;
}

// A run's counts of replies.
using Counts = std::vector<const RcodeCounts *>;

std::map<std::string, Band>
rcode_bands(const Counts &runs, double (*figure)(const RcodeCounts &counts, std::uint64_t count))
{
    std::set<std::string> rcodes;
    for (const RcodeCounts *counts : runs)
        for (const auto &[rcode, count] : *counts)
            rcodes.insert(rcode);
    std::map<std::string, Band> bands;
    for (const std::string &rcode : rcodes) {
        std::vector<double> values;
        for (const RcodeCounts *counts : runs)
            values.push_back(figure(*counts, count_of(*counts, rcode)));
        bands[rcode] = *band_of(values);
    }
    return bands;
}

double percent_of_replies(const RcodeCounts &counts, std::uint64_t count)
{
    std::uint64_t all = 0;
    for (const auto &[rcode, replies] : counts)
        all += replies;
    return share_of(100, count, all);
}

double replies(const RcodeCounts & /*all*/, std::uint64_t count)
{
    return static_cast<double>(count);
}

IntervalBand interval_band(std::span<const TrialSummary> runs, std::size_t at, Nanoseconds since)
{
    std::vector<double> answered;
    Counts counts;
    for (const TrialSummary &run : runs) {
        if (at >= run.intervals.size() || run.intervals[at].sent == 0)
            continue;
        const TrialInterval &interval = run.intervals[at];
        answered.push_back(share_of(100, interval.answered, interval.sent));
        counts.push_back(&interval.rcodes);
    }
    IntervalBand band{.since = since};
    band.answered_percent = band_of(answered);
    band.rcodes = rcode_bands(counts, replies);
    return band;
}

std::vector<IntervalBand> interval_bands(std::span<const TrialSummary> runs)
{
    const auto longest = std::ranges::max_element(
        runs, {}, [](const TrialSummary &run) { return run.intervals.size(); });
    std::vector<IntervalBand> bands;
    for (std::size_t at = 0; at < longest->intervals.size(); at++)
        bands.push_back(interval_band(runs, at, longest->intervals[at].since));
    return bands;
}

std::vector<CurveBand> curve_bands(std::span<const TrialSummary> runs)
{
    const auto shortest = std::ranges::min_element(
        runs, {}, [](const TrialSummary &run) { return run.later.curve.points.size(); });
    std::vector<CurveBand> bands;
    for (std::size_t at = 0; at < shortest->later.curve.points.size(); at++) {
        std::vector<double> rtts;
        for (const TrialSummary &run : runs)
            rtts.push_back(static_cast<double>(run.later.curve.points[at].rtt));
        bands.push_back({.share = shortest->later.curve.points[at].share, .rtt = *band_of(rtts)});
    }
    return bands;
}

} // namespace

ReplayBands bands_of(std::span<const TrialSummary> runs)
{
    ReplayBands bands;
    if (runs.empty())
        return bands;
    std::vector<double> answered;
    Counts counts;
    for (const TrialSummary &run : runs) {
        answered.push_back(run.answered_of(100));
        counts.push_back(&run.rcodes);
    }
    bands.answered_percent = band_of(answered);
    bands.rcode_percent = rcode_bands(counts, percent_of_replies);
    bands.intervals = interval_bands(runs);
    bands.curve = curve_bands(runs);
    return bands;
}

std::uint32_t first_slice(unsigned run, std::uint32_t slices)
{
    constexpr double golden = 0.618;
    auto step = static_cast<std::uint32_t>(std::lround(golden * slices));
    while (std::gcd(step, slices) > 1)
        step++;
    return static_cast<std::uint32_t>(std::uint64_t{run - 1} * step % slices);
}

void keep_runs(ReplayResult &result, unsigned runs)
{
    if (result.rows.size() <= runs)
        return;
    result.rows.resize(runs);
    result.runs_wanted = runs;
    result.bands = bands_of(result.rows);
}

ReplayResult run_replay(const RunsPlan &plan, Journal &journal, const TrialRunner &run)
{
    ReplayRuns runs(plan, trials_in(journal));
    ReplayResult result;
    static_cast<SeriesResult &>(result) =
        run_series(runs, journal, run, "replay", plan.invalid_retries);
    leave_valid(result);
    result.runs_wanted = std::max(plan.runs, static_cast<unsigned>(result.rows.size()));
    result.bands = bands_of(result.rows);
    return result;
}

ReplayResult make_series(const ReplayRequest &request, Journal &journal,
                         const std::atomic<bool> &stop)
{
    SeriesRequest playing = request;
    playing.trial = *request.loaded;
    SearchProgress progress(
        playing.trial.duration, trial_time(playing), label_of(caveats_of(request)),
        {.series = "run", .trial = "trial", .outcome = answered_text, .repeat = request.runs.runs});
    unsigned run = 0; // the next one
    // After a command the series itself waits for the server. Without a command nothing else waits.
    const auto before_run = [&](TrialSeries &series) {
        if (plays_others(request))
            series.play_from(
                first_slice(run, std::get<CaptureWorkload>(request.trial.workload).slices),
                request.trial.duration);
        return request.between.command || series.wait_until_ready("the replay's beginning");
    };
    const TrialRunner make = shown_trials(playing, progress, stop, before_run);
    ReplayResult result = run_replay(request.runs, journal, [&](const SearchPlace &place) {
        run = place.turn.repetition;
        return make(place);
    });
    result.end = end_with(result.end, stop);
    describe(result, request);
    return result;
}

static void fields(Fields &row, Band &band)
{
    row.apart("min", band.min, {{"type", "number"}}, "the least");
    row.apart("median", band.median, {{"type", "number"}},
              "the median; of an even number of runs the mean of the two central values");
    row.apart("mean", band.mean, {{"type", "number"}}, "the mean");
    row.apart("max", band.max, {{"type", "number"}}, "the greatest");
}

static void fields(Fields &row, LaterPart &later)
{
    RttCurve &curve = later.curve;
    row("sent", later.sent, "queries sent in this part");
    row("answered", later.answered, "queries of this part that were answered");
    row("rtt_p50_ns", later.rtt_p50,
        "median RTT of the answered queries, nanoseconds; null: none was answered", newer);
    row("rtt_p99_ns", later.rtt_p99, "99th percentile of these RTTs, nanoseconds", newer);
    slowness_rows(row, curve, newer);
    FieldForm share = newer;
    share.most = 1;
    row.made("unanswered", 1 - share_of(1, later.answered, later.sent),
             "share of the queries that were not answered in time", share);
    row.made("points", curve.points, "rows [share, RTT] as in rtt_curve of dnsgauge/trial/1");
}

static void fields(Fields &row, TrialInterval &interval)
{
    row("since_s", interval.since, "seconds from the start of the run until the interval began");
    row("sent", interval.sent, "queries sent in the interval");
    row("answered", interval.answered, "queries of the interval that were answered");
    row.made("rcodes", named(interval.rcodes),
             "replies to queries of the interval, by the name of their RCODE", rcode_names);
}

static void fields(Fields &row, IntervalBand &interval)
{
    row("since_s", interval.since, "seconds from the start of a run until the interval began");
    row.object("answered_percent", interval.answered_percent,
               "response rate to queries sent in the interval, percent; null: no run sent a query");
    bands_row(row, "rcodes", interval.rcodes,
              "replies to queries sent in the interval, by the name of their RCODE");
}

static void fields(Fields &row, CurveBand &point)
{
    row("share", point.share, "share of the queries that are slowest", {.most = 1});
    row.object("rtt_ns", point.rtt,
               "the RTT that these queries need at least, nanoseconds; a query without a right "
               "answer counts with the timeout");
}

static void fields(Fields &row, ReplayBands &bands)
{
    row.object("answered_percent", bands.answered_percent, "response rate of a run, percent");
    bands_row(row, "rcode_percent", bands.rcode_percent,
              "replies of a run by the name of their RCODE, percent of its replies");
    row.list("intervals", bands.intervals, "the bands of each interval, ascending");
    row.list("curve", bands.curve,
             "the bands of the later part's logarithmic percentile histogram, at the points that "
             "all runs have");
}

static void capture_rows(Fields &row, ReplayResult &result)
{
    row("files", result.files, "the files");
    row("server", result.capture_server,
        "the server whose queries are played; null: the queries to any server",
        {.is_null = result.capture_server.empty()});
    row("played", result.played,
        "captures, or slices of them, that are played at once: the load factor");
    row("speed", result.speed, "how many times as fast as captured", {.is_above_zero = true});
    row("clients", result.clients, "clients that ask");
    row("queries", result.queries,
        "queries of a run; of the first one where runs play other slices");
    row("slices", result.slices,
        "slices into which the captures are cut, of which each run plays others, or all "
        "(--slices); 0: as many as are played",
        newer);
    row("packets", result.packets,
        "packets in the captures; 0: not known, because the captures are prepared ones", newer);
    row.made("left_out", NamedCounts(result.left_out.begin(), result.left_out.end()),
             "queries and packets of the captures that are not sent, by reason, as in "
             "dnsgauge/trial/1",
             newer);
    row("doubled", result.doubled,
        "queries that follow, within a millisecond, a query of the same client, port, server, ID "
        "and question: packets that were captured twice",
        newer);
}

void fields(Fields &row, ReplayResult &result)
{
    begin_rows(row, "replay", "captures, run by run", result);
    row.made("caveat", std::string(for_comparison_alone),
             "what the figures are good for: only comparison");
    row.group<capture_rows>("captures", result, "what each run played");
    row("runs_wanted", result.runs_wanted, "runs that were asked for", newer);
    row("interval_s", result.interval, "the length of an interval, seconds",
        {.is_above_zero = true});
    row("since_s", result.since,
        "seconds from the start of a run until its later part begins; 0: the run has one "
        "interval, and all of it counts");
    row("before_trial", result.before_trial,
        "the command that empties the resolver's cache before each run; null: there was none",
        {.presence = Presence::newer, .is_null = result.before_trial.empty()});
    common_rows(row, result, {.timeout = {}, .end = newer});
    row.object("bands", result.bands, "the bands in which the runs' figures lie");
    end_rows(row, result, run_columns(), {"rcodes", "later_part", "intervals"});
}

} // namespace dnsgauge
