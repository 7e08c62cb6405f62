// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Where results go: to the user's file, and to the record of what was found out about this set-up.
#pragma once

#include "common/whole_file.h"
#include "options/option.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace dnsgauge
{

// Throws SetupError where both options name the same file.
void check_files_differ(const char *one, const std::optional<std::string> &file, const char *other,
                        const std::optional<std::string> &other_file);

struct OutputOptions {
    std::optional<std::string> json;
    bool verbose = false;
};

// Returns --json and --verbose.
[[nodiscard]] Options output_options(OutputOptions &output);

class ResultFiles
{
public:
    // `json` and `given` are --json and --record. `record` is the record's file, whose directory is
    // made unless the user named it; empty: there is none. Throws SetupError.
    ResultFiles(const std::optional<std::string> &json, const std::optional<std::string> &given,
                const std::string &record);

    // Writes the record first, unless `record` is null, because nothing was decided: what was found
    // out stays found out, whatever becomes of the rest. Then prints `text`, and writes `result` to
    // the user's file. Throws SetupError.
    void write(const std::string &text, const nlohmann::ordered_json &result,
               const nlohmann::ordered_json &record);

private:
    std::optional<WholeFile> json_;
    std::optional<WholeFile> record_;
};

} // namespace dnsgauge
