// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes a file that is there whole or not at all, also after a power failure.
//
// The constructor opens the file for writing, so that a file that cannot be written is refused at
// the beginning. It writes a regular file under a name that no other writer has, PATH.*.tmp;
// commit() gives the file its own name. Without commit(), whatever the reason, the temporary file
// is removed and an older PATH stays as it was. Devices, pipes and the files of standard output and
// standard error are written directly. A symbolic link stays a link, but another user's link in a
// directory for everybody (/tmp) is not followed. A file that is replaced keeps its mode, and its
// owner where the system allows that.
#pragma once

#include "common/unique_fd.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Every member throws SetupError when the system refuses: disk full, reader gone, no permission.
class WholeFile
{
public:
    // `option` is the option that named the file, for messages; empty if none did.
    explicit WholeFile(const std::filesystem::path &path, const std::string &option = {});
    ~WholeFile();
    WholeFile(const WholeFile &) = delete;
    WholeFile &operator=(const WholeFile &) = delete;

    [[nodiscard]] bool is_direct() const { return temporary_.empty(); }

    void write(std::string_view text);
    // Writes `text` as the end of the content, and gives the file its name.
    void commit(std::string_view text = {});

private:
    void open_temporary();
    [[noreturn]] void fail() const;

    std::filesystem::path path_;
    std::string name_; // for errors
    std::filesystem::path temporary_;
    UniqueFd fd_;
};

} // namespace dnsgauge
