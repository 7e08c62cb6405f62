// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/calibration_json.h"

#include "record/json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/selftest_json.h"
#include "result/labels.h"
#include "units/rate.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

template <class Checks, class Form>
Json list(const Checks &checks, Form form)
{
    Json all = Json::array();
    for (const auto &check : checks)
        all.push_back(form(check));
    return all;
}

// Adds what the check found of each of several Testers, in that form.
template <class Check, class Form>
void add_testers(Json &json, const Check &check, Form form)
{
    if (check.testers.empty())
        return;
    json["testers"] = list(check.testers, [&form](const OfTester<Check> &tester) {
        Json one{{"rank", tester.rank}, {"host", tester.host}};
        one.update(form(tester.found));
        return one;
    });
}

Json classes_json(const CountingCheck &check)
{
    Json counted;
    Json predicted;
    for (const CountedClass &one : check.classes) {
        counted[one.name] = one.counted;
        predicted[one.name] = one.predicted;
    }
    return {{"counted", counted}, {"predicted", predicted}};
}

Json counting_json(const CountingCheck &check)
{
    Json json{{"rate", check.rate.per_second}, {"attempts", check.attempts}};
    json.update(classes_json(check));
    add_testers(json, check, classes_json);
    return json;
}

Json delay_json(const DelayCheck &check)
{
    const auto bias = [](const DelayCheck &one) { return one.is_held ? Json(one.bias) : Json(); };
    Json json{{"rate", check.rate.per_second},
              {"delay_s", check.is_held ? Json(seconds(check.delay)) : Json()},
              {"attempts", check.attempts},
              {"sent", check.sent},
              {"valid", check.valid},
              {"late", check.late},
              {"rtt_ns",
               {{"min", check.min},
                {"mean", check.mean},
                {"stddev", check.stddev},
                {"p99", check.p99},
                {"max", check.max}}},
              {"bias_ns", bias(check)}};
    add_testers(json, check, [&bias](const DelayCheck &one) -> Json {
        return {{"sent", one.sent},
                {"valid", one.valid},
                {"late", one.late},
                {"rtt_min_ns", one.min},
                {"bias_ns", bias(one)}};
    });
    return json;
}

Json rtt_json(const CalibrationResult &result)
{
    const auto floor = result.rtt_floor();
    return {{"floor_ns", floor ? Json(floor->least) : Json()},
            {"bound_ns", floor ? Json(floor->bound()) : Json()},
            {"at_once", list(result.at_once, delay_json)},
            {"delays", list(result.delays, delay_json)},
            {"before_timeout", delay_json(result.before_edge)},
            {"behind_timeout", delay_json(result.behind_edge)}};
}

Json pacing_json(const PacingCheck &check)
{
    const PacingFigures &seen = check.seen;
    return {{"rate", check.rate.per_second},
            {"attempts", check.attempts},
            {"planned", check.planned},
            {"sent", check.sent},
            {"arrived", seen.arrived},
            {"repeated", check.repeated},
            {"disordered", seen.disordered},
            {"rate_error", seen.rate_error},
            {"span_error_ns", seen.span_error},
            {"lateness_ns",
             {{"p50", seen.lateness_p50}, {"p99", seen.lateness_p99}, {"max", seen.lateness_max}}},
            {"told_lateness_p99_ns", check.told_lateness_p99},
            {"gap_ns",
             {{"min", seen.gap_min},
              {"p1", seen.gap_p1},
              {"p50", seen.gap_p50},
              {"p99", seen.gap_p99},
              {"max", seen.gap_max}}},
            {"burst_share", seen.burst_share}};
}

Json doubt_json(const Doubt &doubt)
{
    Json json{{"figure", doubt.figure}, {"why", doubt.why}};
    if (!doubt.testers.empty())
        json["testers"] = doubt.testers;
    return json;
}

} // namespace

Json to_json(const CalibrationResult &result)
{
    Json json;
    json["schema"] = calibration_schema;
    json["trusted"] = result.doubts.empty();
    json["doubts"] = list(result.doubts, doubt_json);
    json["server"] = result.server;
    const CalibrationTerms &terms = result.terms;
    json["timeout_s"] = seconds(terms.timeout);
    json["duration_s"] = seconds(terms.duration);
    json["attempts"] = terms.attempts;
    json["limits_s"] = {{"bias", seconds(terms.limits.bias)},
                        {"lateness", seconds(terms.limits.lateness)},
                        {"lateness_p99", seconds(terms.limits.lateness_p99)},
                        {"overrun", seconds(terms.limits.overrun)}};
    json["lax"] = lax_terms(terms);
    json["allowed_rate"] = rate_json(result.allowed);
    json["kept_rate"] = rate_json(result.kept);
    json["stopped_by"] = result.stopped_by ? trial_json(*result.stopped_by) : Json();
    json["counting"] = list(result.counting, counting_json);
    json["rtt"] = result.delays.empty() ? Json() : rtt_json(result);
    json["pacing"] = list(result.pacing, pacing_json);
    json["finished"] = result.finished;
    json["setup"] = setup_json(result.setup);
    json["circumstances"] = written(result.circumstances);
    json["command"] = result.command;
    json["record"] = result.record;
    return json;
}

CalibrationTerms read_terms(const Json &record)
{
    const Json &limits = record.at("limits_s");
    return {.timeout = read_seconds(record.at("timeout_s")),
            .duration = read_seconds(record.at("duration_s")),
            .attempts = whole_number(record.at("attempts")),
            .limits = {.bias = read_seconds(limits.at("bias")),
                       .lateness = read_seconds(limits.at("lateness")),
                       .lateness_p99 = read_seconds(limits.at("lateness_p99")),
                       .overrun = read_seconds(limits.at("overrun"))}};
}

std::optional<RttFloor> read_rtt_floor(const Json &record)
{
    const Json &rtt = record.at("rtt");
    if (!rtt.contains("floor_ns") || rtt.at("floor_ns").is_null())
        return std::nullopt;
    return RttFloor{whole_number(rtt.at("floor_ns"))};
}

Json certificate_json(const std::optional<CertificateCover> &certificate)
{
    if (!certificate)
        return {};
    return {
        {"covers", certificate->covers()},
        {"why_not", certificate->covers() ? Json() : Json(certificate->why_not)},
        {"finished", certificate->finished.empty() ? Json() : Json(certificate->finished)},
        {"lax", certificate->finished.empty() ? Json() : Json(certificate->lax)},
        {"rtt_floor_ns", certificate->rtt_floor ? Json(certificate->rtt_floor->least) : Json()},
        {"rtt_bound_ns", certificate->rtt_floor ? Json(certificate->rtt_floor->bound()) : Json()},
        {"record", certificate->record}};
}

} // namespace dnsgauge
