// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_json.h"

#include "options/options_json.h"
#include "record/calibration_json.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/machine_fields.h"
#include "stats/selftest_rule.h"
#include "stats/summary.h"
#include "units/rate.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<unsigned> &number)
{
    return number ? Json(*number) : Json();
}

Json walked_json(const WalkedPlacement &placement)
{
    const std::vector<double> rates(placement.rates.begin(), placement.rates.end());
    const Spread spread = spread_of(rates).value_or(Spread{});
    return {{"sender_cpu", placement.sender_cpu},
            {"sender_queue", number_or_null(placement.sender_queue)},
            {"settings", Json(placement.settings)},
            {"rates", placement.rates},
            {"lowest", spread.min},
            {"median", spread.median},
            {"highest", spread.max}};
}

// Returns the value of an option that belongs to a set-up.
OptionValue value_of(const Json &json)
{
    if (json.is_null())
        return {};
    if (json.is_boolean())
        return json.get<bool>();
    if (json.is_number_unsigned())
        return json.get<std::uint64_t>();
    if (json.is_number())
        return json.get<double>();
    if (json.is_array())
        return json.get<std::vector<unsigned>>();
    return json.get<std::string>();
}

Json stage_json(const PlacementStage &stage)
{
    Json walked = Json::array();
    for (const WalkedPlacement &placement : stage.walked)
        walked.push_back(walked_json(placement));
    return {{"part", stage.part},
            {"walked", walked},
            {"best", stage.best + 1},
            {"gain_percent", stage.gain_percent ? Json(*stage.gain_percent) : Json()},
            {"found", stage.found}};
}

} // namespace

Json placements_json(const std::optional<PlacementWalk> &walk)
{
    if (!walk)
        return {};
    Json stages = Json::array();
    for (const PlacementStage &stage : walk->stages)
        stages.push_back(stage_json(stage));
    return {{"finished", walk->finished},
            {"repeat", walk->repeat},
            {"sender_cpu", walk->best().sender_cpu},
            {"sender_queue", number_or_null(walk->best().sender_queue)},
            {"settings", Json(walk->best().settings)},
            {"stages", stages},
            {"not_walked", walk->not_walked}};
}

Json trial_json(const SelftestTrial &tried)
{
    return {{"r", tried.r.per_second},
            {"rate", tried.trial.rate.per_second},
            {"verdict", to_string(tried.trial.verdict)},
            {"sent", tried.trial.sent},
            {"valid", tried.trial.valid},
            {"why", tried.trial.why}};
}

Json setup_json(const TesterSetup &setup)
{
    Json json = {{"version", setup.version},
                 {"kernel", setup.kernel},
                 {"host", setup.host},
                 {"cpu_model", setup.cpu_model},
                 {"cpus", setup.cpus},
                 {"interface", setup.interface},
                 {"driver", setup.driver},
                 {"mtu", setup.mtu},
                 {"link_mbps", setup.link_mbps != 0 ? Json(setup.link_mbps) : Json()},
                 {"receive_queues", setup.receive_queues},
                 {"transmit_queues", setup.transmit_queues},
                 {"sender_cpus", setup.sender_cpus}};
    for (const auto &[key, value] : setup.options)
        json[key] = json_of(value);
    json["ip_version"] = setup.is_ipv6 ? 6 : 4;
    for (const TesterSetup &other : setup.others)
        json["other_testers"].push_back(setup_json(other));
    return json;
}

TesterSetup read_setup(const Json &json)
{
    TesterSetup setup;
    setup.version = plain_text(json.at("version"));
    setup.kernel = plain_text(json.at("kernel"));
    setup.host = plain_text(json.at("host"));
    setup.cpu_model = plain_text(json.at("cpu_model"));
    setup.cpus = json.at("cpus").get<unsigned>();
    setup.interface = plain_text(json.at("interface"));
    setup.driver = plain_text(json.at("driver"));
    setup.mtu = json.at("mtu").get<std::uint32_t>();
    const Json &link = json.at("link_mbps");
    setup.link_mbps = link.is_null() ? 0 : whole_number(link);
    setup.receive_queues = json.at("receive_queues").get<unsigned>();
    setup.transmit_queues = json.at("transmit_queues").get<unsigned>();
    setup.sender_cpus = json.at("sender_cpus").get<std::vector<unsigned>>();
    // The options stand between these two members.
    bool is_option = false;
    for (const auto &[key, value] : json.items()) {
        is_option = is_option && key != "ip_version";
        if (is_option)
            setup.options.emplace_back(key, value_of(value));
        is_option = is_option || key == "sender_cpus";
    }
    setup.is_ipv6 = json.at("ip_version") == 6;
    for (const Json &other : json.value("other_testers", Json::array()))
        setup.others.push_back(read_setup(other));
    return setup;
}

Json to_json(const SelftestResult &result)
{
    const SelftestRule rule(result.delta);
    Json json;
    json["schema"] = selftest_schema;
    json["server"] = result.server;
    json["zone"] = result.zone;
    json["answer"] = result.answer;
    json["min_rate"] = result.min_rate.per_second;
    json["max_rate"] = result.max_rate.per_second;
    json["resolution"] = result.resolution;
    json["confirm"] = result.confirm;
    json["delta"] = rule.delta();
    json["timeout_s"] = seconds(result.timeout);
    json["selftest_timeout_s"] = seconds(SelftestRule::timeout_for(result.timeout));
    json["duration_s"] = seconds(result.duration);
    json["max_lateness_s"] = seconds(result.max_lateness);
    json["max_overrun_s"] = seconds(result.max_overrun);
    json["rfc8219"] = compliance_json(result.caveats.deviations);
    json["rfc8219"]["printed_rate"] =
        result.allowed ? Json(rule.printed_rate_for(*result.allowed)) : Json();
    json["end"] = trials_ends.text_of(result.end);
    json["allowed_rate"] = rate_json(result.allowed);
    json["passed_rate"] =
        rate_json(result.allowed ? std::optional(rule.rate_for(*result.allowed)) : std::nullopt);
    json["stopped_by"] = result.stopped_by ? trial_json(*result.stopped_by) : Json();
    Json trials = Json::array();
    for (const SelftestTrial &tried : result.trials)
        trials.push_back(trial_json(tried));
    json["trials"] = trials;
    json["certificate"] = certificate_json(result.caveats.certificate);
    json["finished"] = result.finished;
    json["setup"] = setup_json(result.setup);
    json["circumstances"] = written(result.circumstances);
    for (const Circumstances &other : result.other_circumstances)
        json["other_circumstances"].push_back(written(other));
    json["command"] = result.command;
    json["record"] = result.record;
    json["record_notes"] = result.record_notes;
    if (result.placements)
        json["placements"] = placements_json(result.placements);
    return json;
}

} // namespace dnsgauge
