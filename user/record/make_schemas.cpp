// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// make_schemas TABLELESS FOLDER writes the schemas of all results into FOLDER. It makes the schemas
// of forms with tables of fields, and copies the others from the folder TABLELESS. It adds the
// shared parts of the tables to the common schema.
#include "calibrate/calibration_result.h"
#include "experiment/experiment_json.h"
#include "gate/gate.h"
#include "placement/show.h"
#include "queries/capture_stats.h"
#include "record/json.h"
#include "record/json_text.h"
#include "record/probe_fields.h"
#include "record/selftest_result.h"
#include "record/trial_fields.h"
#include "series/kind.h"
#include "series/replay/load_factors.h"
#include "text/diagnosis.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace dnsgauge;
using Json = nlohmann::ordered_json;

namespace
{

Json read(const std::filesystem::path &path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return parse_json(text.str());
}

void write(const std::filesystem::path &path, const Json &schema)
{
    Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"$comment", "SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only"}};
    whole.update(schema);
    std::ofstream(path) << json_text(whole);
}

bool has(const Json &list, const std::string &name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

// Returns a schema that admits objects of each of these schemas.
Json merged(const std::vector<Json> &parts)
{
    const auto is_in_all = [&parts](const std::string &name, bool is_required) {
        return std::ranges::all_of(parts, [&](const Json &part) {
            return is_required ? has(part.at("required"), name)
                               : part.at("properties").contains(name);
        });
    };
    Json whole = parts.front();
    whole["required"] = whole["sometimes"] = Json::array();
    for (const Json &part : parts)
        for (const auto &[name, schema] : part.at("properties").items())
            if (!whole["properties"].contains(name))
                whole["properties"][name] = schema;
    for (const auto &[name, schema] : whole["properties"].items())
        if (is_in_all(name, true))
            whole["required"].push_back(name);
        else if (!is_in_all(name, false))
            whole["sometimes"].push_back(name);
    return whole;
}

// Returns the members that only this part must have. "required" members are in files of all
// versions; older versions lack "written" members.
Json more_of(const Json &part, const Json &whole)
{
    Json more = {{"required", Json::array()}, {"written", Json::array()}};
    for (const auto &[name, schema] : part.at("properties").items())
        if (!has(whole.at("required"), name) && !schema.value("optional", false))
            more[has(part.at("required"), name) ? "required" : "written"].push_back(name);
    return more;
}

// Returns the schema of a series of any kind.
Json schema_of_series(const std::vector<Json> &kinds)
{
    std::vector<Json> trials;
    for (const Json &kind : kinds)
        trials.push_back(kind.at("properties").at("trials").at("items"));
    Json whole = merged(kinds);
    whole["$defs"]["trial"] = merged(trials);
    whole["properties"]["trials"]["items"] = reference("#/$defs/trial");
    Json &kind_of_all = whole["properties"]["kind"];
    kind_of_all.erase("const");
    kind_of_all["type"] = "string";
    kind_of_all["pattern"] = "^[a-z]+(-[a-z]+)*$";
    std::string kinds_text = "what chose the trials.";
    whole["allOf"] = Json::array();
    for (std::size_t i = 0; i < kinds.size(); i++) {
        Json condition;
        const Json &kind = kinds[i].at("properties").at("kind");
        const std::string name = kind.at("const");
        condition["properties"]["kind"]["const"] = name;
        kinds_text +=
            (i == 0 ? " " : "; ") + name + ": " + kind.at("description").get<std::string>();
        Json more = more_of(kinds[i], whole);
        more["properties"]["trials"]["items"] = more_of(trials[i], whole["$defs"]["trial"]);
        whole["allOf"].push_back({{"if", condition}, {"then", more}});
    }
    whole["properties"]["kind"]["description"] = kinds_text;
    return whole;
}

// Writes the schemas of forms, whose titles name the files.
template <class... Values>
void make_forms(const std::filesystem::path &folder, SharedSchemas &shared)
{
    for (const Json &schema : {described<Values>(shared)...})
        write(folder / (schema.at("title").get<std::string>() + ".schema.json"), schema);
}

void make(const std::filesystem::path &tableless, const std::filesystem::path &folder)
{
    std::filesystem::remove_all(folder);
    std::filesystem::copy(tableless, folder);
    SharedSchemas shared;
    make_forms<CalibrationResult, CaptureStudy, Diagnosis, ExperimentResult, GateResult,
               LoadFactorResult, PlacementRecord, ProbeRecord, RepeatedTrials, SelftestResult,
               ShownPlacement, TrialResult>(folder, shared);
    std::vector<Json> kinds;
    for (const SeriesKind &kind : series_kinds())
        for (const auto &schema : kind.schemas)
            kinds.push_back(schema(shared));
    write(folder / "series.schema.json", schema_of_series(kinds));
    shared["experiment_cell"] = described<CellHeader>(shared);
    Json common = read(tableless / "common.schema.json");
    for (const auto &[name, schema] : shared)
        common["$defs"][name] = schema;
    write(folder / "common.schema.json", common);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 3) {
        std::cerr << "usage: make_schemas TABLELESS FOLDER\n";
        return 2;
    }
    make(argv[1], argv[2]);
}
