// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// make_schemas TABLELESS FOLDER: writes the schemas of all results into FOLDER: the forms that have
// tables of fields, and those in the folder TABLELESS, whose common parts it adds to.
#include "record/calibration_json.h"
#include "record/json_text.h"
#include "record/repeated_trials_json.h"
#include "record/selftest_json.h"
#include "record/trial_fields.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

using namespace dnsgauge;
using Json = nlohmann::ordered_json;

namespace
{

Json read(const std::filesystem::path &path)
{
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return Json::parse(text.str());
}

void write(const std::filesystem::path &path, const Json &schema)
{
    Json whole = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                  {"$comment", "SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only"}};
    whole.update(schema);
    std::ofstream(path) << json_text(whole);
}

void make(const std::filesystem::path &tableless, const std::filesystem::path &folder)
{
    std::filesystem::remove_all(folder);
    std::filesystem::copy(tableless, folder);
    SharedSchemas shared;
    write(folder / "calibration.schema.json", described<CalibrationResult>(shared));
    write(folder / "selftest.schema.json", described<SelftestResult>(shared));
    write(folder / "trial.schema.json", described<TrialResult>(shared));
    write(folder / "trials.schema.json", described<RepeatedTrials>(shared));
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
