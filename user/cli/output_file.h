// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A result file that is known to be writable before the work begins, and is whole or not there,
// also after a power failure.
#pragma once

#include "host/unique_fd.h"

#include <optional>
#include <string>

namespace dnsgauge
{

class OutputFile
{
public:
    // Makes the file's temporary twin beside it. Throws SetupError naming `option`.
    OutputFile(std::string path, const std::string &option);
    ~OutputFile(); // removes the twin if write() was not reached
    OutputFile(const OutputFile &) = delete;
    OutputFile &operator=(const OutputFile &) = delete;

    // Writes `text` and puts the file in its place, durably. Throws SetupError.
    void write(const std::string &text);

private:
    std::string path_;
    std::string temporary_;
    UniqueFd file_; // the twin, until it is in its place
};

// Throws SetupError where both options name the same file.
void check_files_differ(const char *one, const std::optional<std::string> &file, const char *other,
                        const std::optional<std::string> &other_file);

} // namespace dnsgauge
