// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns a directory of a new name, and removes it with its content.
#pragma once

#include "system/setup_error.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace dnsgauge
{

class TemporaryDirectory
{
public:
    // Makes PARENT/NAME.XXXXXX, with other letters. Throws SetupError.
    explicit TemporaryDirectory(std::string_view name, const std::filesystem::path &parent =
                                                           std::filesystem::temp_directory_path())
    {
        std::string made = (parent / name).string() + ".XXXXXX";
        if (mkdtemp(made.data()) == nullptr)
            throw_errno("cannot make the directory " + made);
        path_ = made;
    }
    ~TemporaryDirectory()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory &operator=(TemporaryDirectory &&) = delete;

    [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace dnsgauge
