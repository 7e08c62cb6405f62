// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/result_files.h"

#include "options/access.h"
#include "record/json_text.h"
#include "userland/same_file.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

namespace dnsgauge
{

void check_files_differ(const char *one, const std::optional<std::string> &file, const char *other,
                        const std::optional<std::string> &other_file)
{
    if (file && other_file && is_same_file(*file, *other_file))
        throw SetupError(
            fmt::format("{} and {} both name {}: give them different files", one, other, *file));
}

void check_inputs_stay(const TrialPlan &plan, const char *option,
                       const std::optional<std::string> &file)
{
    std::vector<std::string> inputs;
    for (const QueryFile &input : files_of(plan.workload))
        inputs.push_back(input.path);
    if (file)
        check_is_no_input(inputs, option, *file);
}

void open_file(std::optional<WholeFile> &file, const std::optional<std::string> &path,
               const char *option)
{
    if (path)
        file.emplace(*path, option);
}

Options output_options(OutputOptions &output)
{
    return {
        {"json", OptionGroup::files, "FILE", "Write the result to this file", text(output.json)},
        {"verbose", OptionGroup::other, "", "Show libbpf's messages", flag(output.verbose)}};
}

Option form_option(TableForm &form)
{
    return {"form", OptionGroup::files, "FORM",
            "Form of the printed table: text, csv, markdown or latex", word(form, table_forms)};
}

ResultFiles::ResultFiles(const std::optional<std::string> &json,
                         const std::optional<std::string> &given, const std::string &record,
                         Printer print)
    : print_(std::move(print))
{
    open_file(json_, json, "--json");
    set_record(given, record);
}

void ResultFiles::set_record(const std::optional<std::string> &given, const std::string &record)
{
    record_.reset();
    if (record.empty())
        return;
    std::error_code error;
    if (!given)
        std::filesystem::create_directories(std::filesystem::path(record).parent_path(), error);
    if (error)
        throw SetupError(fmt::format("cannot make the directory of {}: {}: name another file with "
                                     "--record, or another directory in DNSGAUGE_STATE",
                                     record, error.message()));
    record_.emplace(record, "--record");
}

void ResultFiles::write(const std::string &text, const nlohmann::ordered_json &result,
                        const nlohmann::ordered_json &record)
{
    if (record_ && !record.is_null())
        record_->commit(json_text(record));
    print_(text);
    if (json_)
        json_->commit(json_text(result));
}

} // namespace dnsgauge
