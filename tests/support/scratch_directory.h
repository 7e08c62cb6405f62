// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a directory for a test's files, in memory where possible: tests that write thousands of
// files durably would otherwise wait for a disk.
#pragma once

#include "system/temporary_directory.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace dnsgauge
{

class ScratchDirectory : public TemporaryDirectory
{
public:
    ScratchDirectory();

    // Returns the path of a file in the directory.
    [[nodiscard]] std::string file(std::string_view name) const { return path() / name; }
    // Returns the number of entries in the directory itself, not below.
    [[nodiscard]] std::size_t entries() const;
};

[[nodiscard]] std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view content);

} // namespace dnsgauge
