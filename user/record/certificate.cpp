// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

#include "record/calibration_json.h"
#include "record/json_text.h"
#include "record/record_file.h"
#include "result/labels.h"

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
        cover.lax = lax_terms(read_terms(record));
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
