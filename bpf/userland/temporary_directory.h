// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a directory of a new name, and removes it with its content.
#pragma once

#include <filesystem>
#include <string_view>

namespace dnsgauge
{

class TemporaryDirectory
{
public:
    // Makes PARENT/NAME.XXXXXX, with other letters. Throws SetupError.
    explicit TemporaryDirectory(std::string_view name, const std::filesystem::path &parent =
                                                           std::filesystem::temp_directory_path());
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory &) = delete;
    TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace dnsgauge
