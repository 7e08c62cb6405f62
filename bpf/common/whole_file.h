// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A file that is there whole or not at all, also after a power failure.
//
// It is known to be writable from the beginning: a regular file is written under a name that no
// other writer has, PATH.*.tmp, and gets its own in commit(). Without that, whatever the reason,
// what was written is removed and an older PATH stays as it was. Devices, pipes and what standard
// output or standard error go to are written directly. A symbolic link stays one, but that of
// somebody else in a directory for everybody (/tmp) is not followed. A file that is replaced keeps
// its mode, and its owner where that can be.
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
    // `option`: what named the file, for errors. Empty: nothing did.
    explicit WholeFile(const std::filesystem::path &path, const std::string &option = {});
    ~WholeFile();
    WholeFile(const WholeFile &) = delete;
    WholeFile &operator=(const WholeFile &) = delete;

    [[nodiscard]] bool is_direct() const { return temporary_.empty(); }

    void write(std::string_view text);
    // The content is complete with `text`: from now on the file is there.
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
