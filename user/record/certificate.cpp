// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/certificate.h"

#include "record/calibration_json.h"
#include "record/json_difference.h"
#include "record/json_text.h"
#include "record/selftest_json.h"
#include "record/selftest_record.h"
#include "result/labels.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

// Returns what keeps the certificate from vouching; empty if nothing does.
std::string shortfall(const Json &record, const TesterSetup &setup, Rate rate)
{
    if (record.at("schema") != calibration_schema)
        return "it is not of this version";
    const std::string other =
        json_difference(record.at("setup"), setup_json(setup), "what it tells of the set-up");
    if (!other.empty())
        return "it is of another set-up: " + other;
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
    return state_path("calibration", setup);
}

CertificateCover look_up_certificate(const std::string &path, const TesterSetup &setup, Rate rate)
{
    CertificateCover cover;
    cover.record = path;
    const std::optional<std::string> text = read_state(path, "calibration", cover.why_not);
    if (!text)
        return cover;
    try {
        const Json record = parse_json(*text);
        cover.why_not = shortfall(record, setup, rate);
        cover.lax = lax_terms(read_terms(record));
        cover.finished = plain_text(record.at("finished"));
        if (!cover.why_not.empty())
            cover.why_not =
                fmt::format("the last one, of {} ({}): {}", cover.finished, path, cover.why_not);
        return cover;
    } catch (const Json::exception &) {
        CertificateCover none;
        none.record = path;
        none.why_not = path + " is not a certificate, or not a whole one";
        return none;
    }
}

} // namespace dnsgauge
