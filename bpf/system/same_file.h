// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paths that lead to one file: a file that is read and written at once, or written twice, is lost.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns whether both paths lead to the same file, also through links of either kind. The files
// need not exist yet. Pipes and devices are no files.
[[nodiscard]] bool is_same_file(const std::filesystem::path &one,
                                const std::filesystem::path &other);

// Throws SetupError if the file that `option` names to write to is also to be read. "-" is no file.
void check_is_no_input(const std::vector<std::string> &inputs, const std::string &option,
                       const std::string &file);

} // namespace dnsgauge
