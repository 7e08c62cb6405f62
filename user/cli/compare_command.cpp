// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge compare
#include "cli/command.h"
#include "options/access.h"
#include "record/json.h"
#include "record/record_file.h"
#include "series/result_files.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "text/comparison.h"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

struct CompareArguments {
    std::vector<std::string> paths;
    TableForm form = TableForm::text;
};

Json read_result(const std::string &path)
{
    Json result = as_series(read_json_file(path));
    if (!is_comparable(result))
        throw SetupError(path +
                         " is not the result of trials, a search, a replay, a self-test or a "
                         "probe: give files that --json of these commands wrote");
    return result;
}

Options options_of(CompareArguments &given)
{
    return {Option("FILE", OptionGroup::files, "",
                   "Results that --json wrote, all of the same command", texts(given.paths),
                   {.is_required = true, .is_positional = true, .is_repeatable = true}),
            form_option(given.form)};
}

ExitStatus run(const CompareArguments &request, const std::vector<std::string> & /*words*/)
{
    try {
        std::vector<Json> read;
        for (const std::string &path : request.paths)
            read.push_back(read_result(path));
        std::vector<NamedResult> results;
        for (std::size_t i = 0; i < read.size(); i++)
            results.push_back({std::filesystem::path(request.paths[i]).stem().string(), &read[i]});
        print_result(compare(results, request.form));
    } catch (const Json::exception &error) {
        throw SetupError(std::string("a result lacks a field of its schema: ") + error.what());
    }
    return ExitStatus::criterion_met;
}

} // namespace

Command compare_command()
{
    return with_arguments<CompareArguments>(
        {.name = "compare",
         .summary = "Print results of trials, searches, replays, self-tests or probes side by side",
         .examples = {"dnsgauge compare bind.json knot.json nsd.json",
                      "dnsgauge compare --form csv before.json after.json"},
         .statuses = {{ExitStatus::criterion_met, "the results were printed"},
                      {ExitStatus::wrong_input,
                       "a file is no result, or the results are not of one kind"}}});
}

} // namespace dnsgauge
