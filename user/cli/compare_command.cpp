// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge compare
#include "cli/command.h"
#include "common/setup_error.h"
#include "common/standard_output.h"
#include "options/access.h"
#include "record/json_text.h"
#include "text/comparison.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

Json read_trial(const std::string &path)
{
    std::ifstream file(path);
    if (!file)
        throw SetupError("cannot read " + path + ": " + std::strerror(errno));
    Json trial = parse_json(std::string(std::istreambuf_iterator<char>(file), {}));
    if (!is_trial(trial))
        throw SetupError(path + " is not the result of a trial: give a file that dnsgauge trial "
                                "--json wrote");
    return trial;
}

ExitStatus run_compare(const std::vector<std::string> &paths)
{
    std::vector<Json> trials;
    for (const std::string &path : paths)
        trials.push_back(read_trial(path));
    std::vector<NamedResult> results;
    for (std::size_t i = 0; i < paths.size(); i++)
        results.push_back({std::filesystem::path(paths[i]).stem().string(), &trials[i]});
    try {
        print_result(compare(results));
    } catch (const Json::exception &error) {
        throw SetupError(std::string("a result lacks a field of its schema: ") + error.what());
    }
    return ExitStatus::criterion_met;
}

} // namespace

Command compare_command()
{
    auto paths = std::make_shared<std::vector<std::string>>();
    return {
        .name = "compare",
        .summary = "Print results of trials side by side",
        .options = {{.name = "FILE",
                     .group = OptionGroup::files,
                     .help = "Files that dnsgauge trial --json wrote",
                     .access = texts(*paths),
                     .is_required = true,
                     .is_positional = true,
                     .is_repeatable = true}},
        .examples = {"dnsgauge compare bind.json knot.json nsd.json",
                     "dnsgauge compare before.json after.json"},
        .statuses = {{ExitStatus::criterion_met, "the results were printed"},
                     {ExitStatus::wrong_input, "a file is no result of a trial"}},
        .run = [paths](const std::vector<std::string> & /*words*/) { return run_compare(*paths); }};
}

} // namespace dnsgauge
