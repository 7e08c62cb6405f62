// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files that results go to: the user's file, and the record of the set-up.
#pragma once

#include "cli/command.h"
#include "options/option.h"
#include "text/table.h"
#include "userland/whole_file.h"
#include "workload/workload.h"

#include <nlohmann/json_fwd.hpp>

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

// Makes the file that an option names, if the option names one. Throws SetupError.
[[nodiscard]] std::optional<WholeFile> open_file(const std::optional<std::string> &path,
                                                 const char *option);

struct OutputOptions {
    std::optional<std::string> json;
    bool verbose = false;
};

// Returns --json and --verbose.
[[nodiscard]] Options output_options(OutputOptions &output);

// Returns --form.
[[nodiscard]] Option form_option(TableForm &form);

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

    // Writes the record, prints `text`, and writes `result` to the user's file. Writes no record if
    // `record` is null, because nothing was decided. The record comes first, so that it is kept
    // even if the rest fails. Throws SetupError.
    void write(const std::string &text, const nlohmann::ordered_json &result,
               const nlohmann::ordered_json &record);

private:
    std::optional<WholeFile> json_;
    std::optional<WholeFile> record_;
    Printer print_;
};

} // namespace dnsgauge
