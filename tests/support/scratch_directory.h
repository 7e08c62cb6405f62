// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A directory for a test's files, in memory where that can be had: tests that write thousands of
// files durably would otherwise wait for a disk.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace dnsgauge
{

class ScratchDirectory
{
public:
    ScratchDirectory();
    ~ScratchDirectory(); // removes it with all that is in it
    ScratchDirectory(const ScratchDirectory &) = delete;
    ScratchDirectory &operator=(const ScratchDirectory &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }
    // The path of a file in it.
    [[nodiscard]] std::string file(std::string_view name) const { return path_ / name; }
    // How much there is in it, not counting what is deeper.
    [[nodiscard]] std::size_t entries() const;

private:
    std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::string &path);
void write_file(const std::string &path, std::string_view content);

} // namespace dnsgauge
