// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/replay_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/search_json.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json band_json(const Band &band)
{
    return {{"min", band.min}, {"median", band.median}, {"mean", band.mean}, {"max", band.max}};
}

Json band_json(const std::optional<Band> &band)
{
    return band ? band_json(*band) : Json();
}

Json bands_json(const std::map<std::string, Band> &bands)
{
    Json json = Json::object();
    for (const auto &[key, band] : bands)
        json[key] = band_json(band);
    return json;
}

Json later_json(const ReplayLatency &later)
{
    Json points = Json::array();
    for (const RttCurve::Point &point : later.curve.points)
        points.push_back({point.share, point.rtt});
    return {{"sent", later.sent},
            {"answered", later.answered},
            {"rtt_p50_ns", figure_json(later.rtt_p50)},
            {"rtt_p99_ns", figure_json(later.rtt_p99)},
            {"slower_than_1ms", later.curve.slower_than_1ms},
            {"slower_than_10ms", later.curve.slower_than_10ms},
            {"slower_than_100ms", later.curve.slower_than_100ms},
            {"slower_than_1s", later.curve.slower_than_1s},
            {"unanswered", 1 - share_of(1, later.answered, later.sent)},
            {"points", points}};
}

Json run_json(const ReplayRun &run)
{
    Json intervals = Json::array();
    for (const ReplayInterval &interval : run.intervals)
        intervals.push_back({{"since_s", seconds(interval.since)},
                             {"sent", interval.sent},
                             {"answered", interval.answered},
                             {"rcodes", Json(interval.rcodes)}});
    return {{"sent", run.sent},
            {"answered", run.answered},
            {"answered_percent", share_of(100, run.answered, run.sent)},
            {"late", run.late},
            {"invalid", run.invalid},
            {"invalid_reasons", invalid_json(run.reasons)},
            {"lost", run.lost},
            {"rcodes", Json(run.rcodes)},
            {"lateness_p99_ns", run.lateness_p99},
            {"lateness_max_ns", run.lateness_max},
            {"later_part", later_json(run.later)},
            {"intervals", intervals}};
}

Json replay_bands_json(const ReplayBands &bands)
{
    Json intervals = Json::array();
    for (const IntervalBand &interval : bands.intervals)
        intervals.push_back({{"since_s", seconds(interval.since)},
                             {"answered_percent", band_json(interval.answered_percent)},
                             {"rcodes", bands_json(interval.rcodes)}});
    Json curve = Json::array();
    for (const CurveBand &point : bands.curve)
        curve.push_back({{"share", point.share}, {"rtt_ns", band_json(point.rtt)}});
    return {{"answered_percent", band_json(bands.answered_percent)},
            {"rcode_percent", bands_json(bands.rcode_percent)},
            {"intervals", intervals},
            {"curve", curve}};
}

Json left_out_json(const ReplayResult &result)
{
    Json json = Json::object();
    for (const auto &[reason, count] : result.left_out)
        json[reason] = count;
    return json;
}

Json text_or_null(const std::string &text)
{
    return text.empty() ? Json() : Json(text);
}

} // namespace

Json to_json(const ReplayResult &result, const Json &header)
{
    Json runs = Json::array();
    for (const ReplayRun &run : result.runs)
        runs.push_back(run_json(run));
    Json json = {{"schema", "dnsgauge/replay/1"},
                 {"caveat", for_comparison_alone},
                 {"server", result.server},
                 {"captures",
                  {{"files", result.files},
                   {"server", text_or_null(result.capture_server)},
                   {"played", result.played},
                   {"speed", result.speed},
                   {"clients", result.clients},
                   {"queries", result.queries},
                   {"slices", result.slices},
                   {"packets", result.packets},
                   {"left_out", left_out_json(result)},
                   {"doubled", result.doubled}}},
                 {"runs_wanted", result.runs_wanted},
                 {"duration_s", seconds(result.duration)},
                 {"timeout_s", seconds(result.timeout)},
                 {"interval_s", seconds(result.interval)},
                 {"since_s", seconds(result.since)},
                 {"before_trial", text_or_null(result.before_trial)},
                 {"rfc8219", compliance_json(result.caveats.deviations)},
                 {"selftest", cover_json(result.caveats.selftest)},
                 {"certificate", certificate_json(result.caveats.certificate)},
                 {"doubts", result.caveats.doubts},
                 {"end", trials_ends.text_of(result.end)},
                 {"why", result.last_trial ? Json(result.last_trial->why) : Json()},
                 {"runs", runs},
                 {"bands", replay_bands_json(result.bands)}};
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
