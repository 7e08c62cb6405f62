// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files that results go to: the user's file, and the record of the set-up.
#pragma once

#include "options/option.h"
#include "system/standard_output.h"
#include "system/whole_file.h"
#include "text/table.h"
#include "workload/workload.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// An option, and the file that it names, if it is given.
struct NamedFile {
    const char *option;
    std::optional<std::string> path;
};

// Throws SetupError if two of the options name the same file, or if one names a file that trials of
// the workload read.
void check_files(const std::vector<NamedFile> &files, const Workload &workload = {});

// Owns the file that an option names, if the option names one.
class ResultFile
{
public:
    // Throws SetupError.
    ResultFile(const std::optional<std::string> &path, const char *option)
    {
        if (path)
            file_.emplace(*path, option);
    }

    [[nodiscard]] explicit operator bool() const { return file_.has_value(); }
    // Writes the file, if there is one. Throws SetupError.
    void commit(const std::string &text)
    {
        if (file_)
            file_->commit(text);
    }

private:
    std::optional<WholeFile> file_;
};

// Returns --json.
[[nodiscard]] Option json_option(std::optional<std::string> &file);

// Returns --form.
[[nodiscard]] Option form_option(TableForm &form);

// Prints a result's text.
using Printer = std::function<void(const std::string &text)>;

// Has `write` write a result's files, and then prints the result's text: whoever reads standard
// output may read nothing for ever, or be gone. Prints also if `write` throws.
void write_and_print(const std::function<void()> &write, const std::string &text,
                     const Printer &print = print_result);

class ResultFiles
{
public:
    // `json` and `given` are the files of --json and --record. `record` is the record's file; empty
    // if there is none. `print` takes the text. Makes the directory of the record unless the user
    // named the file. Throws SetupError.
    ResultFiles(const std::optional<std::string> &json, const std::optional<std::string> &given,
                const std::string &record, Printer print);

    // Names the record's file, in place of an earlier one.
    void set_record(const std::optional<std::string> &given, const std::string &record);

    // Writes the record, writes `result` to the user's file, and prints `text`. Writes no record if
    // `record` is null, because nothing was decided. The record comes first, so that it is kept
    // even if the rest fails. Throws SetupError.
    void write(const std::string &text, const nlohmann::ordered_json &result,
               const nlohmann::ordered_json &record);

private:
    ResultFile json_;
    std::optional<WholeFile> record_;
    Printer print_;
};

} // namespace dnsgauge
