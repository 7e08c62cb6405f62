// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/certificate.h"

#include "record/json_text.h"
#include "record/record_file.h"
#include "units/rate.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr RecordKind calibration_kind{.file = "calibration",
                                      .test = "calibration",
                                      .what = "a certificate",
                                      .schema = calibration_schema};

// Returns the floor in a certificate; nothing in certificates of older versions, whose "floor" was
// from one slow trial. Throws Json::exception.
std::optional<RttFloor> read_rtt_floor(const Json &record)
{
    const Json &rtt = record.at("rtt");
    if (!rtt.contains("floor_ns") || rtt.at("floor_ns").is_null())
        return std::nullopt;
    return RttFloor{whole_number(rtt.at("floor_ns"))};
}

// Returns what keeps the certificate from vouching; empty if nothing does.
std::string shortfall(const Json &record, Rate rate)
{
    const Json &doubts = record.at("doubts");
    if (!doubts.is_array())
        return "it is not whole";
    if (!doubts.empty())
        return fmt::format("it says that {} is not to be trusted: {}",
                           plain_text(doubts.front().at("figure")),
                           plain_text(doubts.front().at("why")));
    const auto allowed = whole_number(record.at("allowed_rate"));
    if (allowed < rate.per_second)
        return fmt::format("it goes up to {} queries/s, not {}", allowed, rate.per_second);
    return {};
}

} // namespace

static void fields(Fields &row, CalibrationLimits &limits)
{
    row.seconds("bias", limits.bias, "the bias of RTTs");
    row.seconds("lateness", limits.lateness,
                "the lateness of any query, at the other end of the link");
    row.seconds("lateness_p99", limits.lateness_p99,
                "the lateness of 99 % of the queries, at the other end of the link");
    row.seconds("overrun", limits.overrun,
                "the time by which sending may take longer or shorter than the rate asks");
}

void fields(Fields &row, CalibrationTerms &terms)
{
    row("timeout_s", terms.timeout, "the timeout of each trial, seconds");
    row("duration_s", terms.duration, "the duration of each trial, seconds");
    row("attempts", terms.attempts, "how often a check was made at most");
    row.object("limits_s", terms.limits, "the largest errors that leave no doubt, seconds");
}

void fields(Fields &row, CertificateCover &certificate)
{
    const bool none = certificate.finished.empty();
    const RttFloor floor = certificate.rtt_floor.value_or(RttFloor{});
    const FieldForm of_floor{.presence = Presence::newer, .is_null = !certificate.rtt_floor};
    row.shared("certificate_cover",
               "whether a calibration of the Tester vouches for the result; null: nobody looked",
               true);
    row.made("covers", certificate.covers(),
             "whether the last calibration of the set-up vouches for the result");
    row.made("why_not", certificate.why_not,
             "why that calibration does not vouch for the result; null: it does",
             {.is_null = certificate.covers()});
    row.made("finished", certificate.finished,
             "when that calibration finished: UTC, ISO 8601; null: no calibration could be read",
             {.is_null = none, .pattern = utc_moment.pattern});
    row.made("lax", certificate.lax,
             "the terms in which that calibration was easier than by default; null: no "
             "calibration could be read",
             {.is_null = none});
    row.made("rtt_floor_ns", floor.least,
             "the smallest RTT of that calibration when FakeDNS answered at once, nanoseconds; "
             "null: it does not vouch for the result, or has no such RTT",
             of_floor);
    row.made("rtt_bound_ns", floor.bound(),
             "the RTT below which no trial of the set-up sees one, nanoseconds: half of "
             "rtt_floor_ns; null: rtt_floor_ns is null",
             of_floor);
    row.made("record", certificate.record, "the file of the calibration's record");
}

std::vector<std::string> lax_terms(const CalibrationTerms &terms)
{
    const CalibrationTerms usual;
    std::vector<std::string> found;
    const auto most = [&found](const char *option, Nanoseconds given, Nanoseconds by_default) {
        if (given > by_default)
            found.push_back(fmt::format("{} of {:g} s, not at most {:g} s", option, seconds(given),
                                        seconds(by_default)));
    };
    const auto least = [&found](const char *option, Nanoseconds given, Nanoseconds by_default) {
        if (given < by_default)
            found.push_back(fmt::format("{} of {:g} s, not at least {:g} s", option, seconds(given),
                                        seconds(by_default)));
    };
    most("--max-bias", terms.limits.bias, usual.limits.bias);
    most("--max-lateness", terms.limits.lateness, usual.limits.lateness);
    most("--max-lateness-p99", terms.limits.lateness_p99, usual.limits.lateness_p99);
    most("--max-overrun", terms.limits.overrun, usual.limits.overrun);
    least("--timeout", terms.timeout, usual.timeout);
    least("--duration", terms.duration, usual.duration);
    if (terms.attempts > usual.attempts)
        found.push_back(
            fmt::format("--attempts of {}, not at most {}", terms.attempts, usual.attempts));
    return found;
}

std::string certificate_path(const TesterSetup &setup)
{
    return record_path(calibration_kind, setup);
}

CertificateCover look_up_certificate(const std::string &path, const TesterSetup &setup, Rate rate)
{
    CertificateCover cover;
    cover.record = path;
    const RecordFault fault = read_record(path, calibration_kind, setup, [&](const Json &record) {
        cover.why_not = shortfall(record, rate);
        cover.lax = lax_terms(read_fields<CalibrationTerms>(record));
        cover.finished = plain_text(record.at("finished"));
        const std::optional<RttFloor> floor = read_rtt_floor(record);
        if (cover.covers())
            cover.rtt_floor = floor;
        else
            cover.why_not =
                fmt::format("the last one, of {} ({}): {}", cover.finished, path, cover.why_not);
    });
    if (!fault.message.empty())
        return {.record = path, .why_not = fault.message};
    return cover;
}

} // namespace dnsgauge
