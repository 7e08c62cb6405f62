// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_json.h"

#include "record/machine_fields.h"
#include "series/search/search.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string &text)
{
    return text.empty() ? Json() : Json(text);
}

Json settings_json(const Settings &settings)
{
    Json json = Json::object();
    for (const auto &[key, setting] : settings)
        json[key] = setting.value;
    return json;
}

Json table_json(const Table &table)
{
    return {{"caption", table.caption},
            {"heads", table.heads},
            {"rows", table.rows},
            {"notes", table.notes}};
}

Json cell_placement_json(const CellOutcome &outcome)
{
    Json json = written(outcome.placement);
    if (outcome.placement)
        json.erase("topology"); // all cells have one machine, so the experiment has its topology
    return json;
}

// Returns the topology of the first cell whose machine was looked at. All cells have one machine.
Json topology_json(const std::vector<CellOutcome> &outcomes)
{
    for (const CellOutcome &outcome : outcomes)
        if (outcome.placement)
            return written(outcome.placement->places);
    return {};
}

Json search_json(const CellOutcome &outcome, const Json &header)
{
    // nlohmann's library has a to_json() of two arguments, too.
    return outcome.result.trials == 0 ? Json() : dnsgauge::to_json(outcome.result, header);
}

} // namespace

Json cell_json(const Experiment &experiment, const Cell &cell)
{
    // The commands in the form of the file, without the names of directories.
    Json servers = Json::array();
    for (const ServerCommands &server : cell.servers) {
        const ServerDefinition &definition = experiment.servers.at(server.name);
        servers.push_back({{"name", server.name},
                           {"prepare", definition.prepare.words},
                           {"start", definition.start.words}});
    }
    return {{"settings", settings_json(cell.settings)},
            {"variables", settings_json(experiment.variables)},
            {"servers", servers},
            {"restart-each-trial", cell.restart_each_trial},
            {"cpu-method", cpu_methods.text_of(experiment.dut.cpu_method)},
            {"scaled-down", text_or_null(experiment.scaled_down)}};
}

Json to_json(const Experiment &experiment, const std::string &file, const std::vector<Cell> &cells,
             const std::vector<CellOutcome> &outcomes, const std::vector<Json> &headers)
{
    Json json;
    json["schema"] = "dnsgauge/experiment/1";
    json["title"] = experiment.title;
    json["file"] = file;
    json["reproduces"] = experiment.paper.empty() ? Json()
                                                  : Json{{"paper", experiment.paper},
                                                         {"table", text_or_null(experiment.table)}};
    json["scaled_down"] = text_or_null(experiment.scaled_down);
    json["rfc8219_compliant"] =
        std::all_of(outcomes.begin(), outcomes.end(), [](const CellOutcome &outcome) {
            return outcome.result.caveats.is_compliant();
        });
    json["labels"] = labels_of(experiment, outcomes);
    json["complete"] =
        std::all_of(outcomes.begin(), outcomes.end(), [](const CellOutcome &outcome) {
            return outcome.result.end == TrialsEnd::complete && !outcome.result.rates().empty();
        });
    json["server_topology"] = topology_json(outcomes);
    Json all = Json::array();
    for (std::size_t i = 0; i < cells.size(); i++)
        all.push_back({{"name", cells[i].name},
                       {"settings", settings_json(cells[i].settings)},
                       {"failure", text_or_null(outcomes.at(i).failure)},
                       {"placement", cell_placement_json(outcomes[i])},
                       {"search", search_json(outcomes[i], headers.at(i))}});
    json["cells"] = all;
    Json tables = Json::array();
    for (const Table &table : tables_of(experiment, cells, outcomes))
        tables.push_back(table_json(table));
    json["tables"] = tables;
    return json;
}

} // namespace dnsgauge
