// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/result_files.h"

#include "options/access.h"
#include "record/json_text.h"
#include "system/same_file.h"
#include "system/setup_error.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <utility>

namespace dnsgauge
{

void check_files(const std::vector<NamedFile> &files, const Workload &workload)
{
    std::vector<std::string> inputs;
    for (const QueryFile &input : files_of(workload))
        inputs.push_back(input.path);
    for (auto one = files.begin(); one != files.end(); ++one) {
        if (one->path)
            check_is_no_input(inputs, one->option, *one->path);
        for (auto other = one + 1; other != files.end(); ++other)
            if (one->path && other->path && is_same_file(*one->path, *other->path))
                throw SetupError("{} and {} both name {}: give them different files", one->option,
                                 other->option, *one->path);
    }
}

Option json_option(std::optional<std::string> &file)
{
    return {"json", OptionGroup::files, "FILE", "Write the result to this file", text(file)};
}

Option form_option(TableForm &form)
{
    return {"form", OptionGroup::files, "FORM",
            "Form of the printed table: text, csv, markdown or latex", word(form, table_forms)};
}

void write_and_print(const std::function<void()> &write, const std::string &text,
                     const Printer &print)
{
    try {
        write();
    } catch (...) {
        print(text);
        throw;
    }
    print(text);
}

ResultFiles::ResultFiles(const std::optional<std::string> &json,
                         const std::optional<std::string> &given, const std::string &record,
                         Printer print)
    : json_(json, "--json"), print_(std::move(print))
{
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
        throw SetupError("cannot make the directory of {}: {}: name another file with "
                         "--record, or another directory in DNSGAUGE_STATE",
                         record, error.message());
    record_.emplace(record, "--record");
}

void ResultFiles::write(const std::string &text, const nlohmann::ordered_json &result,
                        const nlohmann::ordered_json &record)
{
    const auto write_files = [&] {
        if (record_ && !record.is_null())
            record_->commit(json_text(record));
        json_.commit(json_text(result));
    };
    write_and_print(write_files, text, print_);
}

} // namespace dnsgauge
