// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/soak_json.h"

#include "record/calibration_json.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/search_json.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json row_json(const SoakRow &row)
{
    return {{"started", row.started},
            {"verdict", to_string(row.verdict)},
            {"why", row.why},
            {"sent", row.sent},
            {"answered", row.answered},
            {"late", row.late},
            {"invalid", row.invalid},
            {"lost", row.lost},
            {"loss_percent", row.loss_percent()},
            {"rtt_p50_ns", figure_json(row.rtt_p50)},
            {"rtt_p99_ns", figure_json(row.rtt_p99)},
            {"memory_octets", figure_json(row.memory())},
            {"processes", processes_json(row.processes)}};
}

Json total_json(const SoakRow &total)
{
    return {{"sent", total.sent}, {"answered", total.answered},
            {"late", total.late}, {"invalid", total.invalid},
            {"lost", total.lost}, {"loss_percent", total.loss_percent()}};
}

} // namespace

Json processes_json(const std::vector<ProcessMemory> &processes)
{
    Json json = Json::array();
    for (const ProcessMemory &one : processes)
        json.push_back(
            {{"process", one.process}, {"name", one.name}, {"memory_octets", one.octets}});
    return json;
}

std::vector<ProcessMemory> read_processes(const Json &json)
{
    std::vector<ProcessMemory> processes;
    for (const Json &one : json) {
        const std::uint64_t process = whole_number(one.at("process"));
        if (process > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
            throw std::invalid_argument("no process: " + one.at("process").dump());
        processes.push_back({static_cast<int>(process), plain_text(one.at("name")),
                             whole_number(one.at("memory_octets"))});
    }
    return processes;
}

namespace
{

Json why(const SoakResult &result)
{
    if (!result.error.empty())
        return result.error;
    return result.last_trial ? Json(result.last_trial->why) : Json();
}

} // namespace

Json to_json(const SoakResult &result, const Json &header)
{
    Json rows = Json::array();
    for (const SoakRow &row : result.rows)
        rows.push_back(row_json(row));
    Json json = {{"schema", "dnsgauge/soak/1"},
                 {"server", result.server},
                 {"rate", result.rate.per_second},
                 {"rate_from", result.rate_from.empty() ? Json() : Json(result.rate_from)},
                 {"row_s", seconds(result.row)},
                 {"rows_wanted", result.rows_wanted},
                 {"timeout_s", seconds(result.timeout)},
                 {"accept_percent", result.accept_percent},
                 {"rfc8219", compliance_json(result.caveats.deviations)},
                 {"selftest", cover_json(result.caveats.selftest)},
                 {"certificate", certificate_json(result.caveats.certificate)},
                 {"end", trials_ends.text_of(result.end)},
                 {"why", why(result)},
                 {"total", total_json(total_of(result))},
                 {"rows_with_new_processes", rows_with_new_processes(result)},
                 {"rows", rows}};
    json.update(log_json(result, header));
    return json;
}

} // namespace dnsgauge
