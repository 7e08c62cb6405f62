// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds where a path leads to, for a process that is to write there. The process may have more
// rights than users who can write to the directories on the way.
//
// "Others may write to a directory" means that its group or everybody may. In such a directory
// links, pipes and files are trusted only if they belong to this process's user, to root or to the
// directory's owner (files: not to root, since replacing its files may be forbidden). All links on
// the way are checked, and the links behind them, too. The directory's owner and its group are
// trusted, except by root: a process of root follows no link of another user in any directory.
#pragma once

#include "userland/unique_fd.h"

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

namespace dnsgauge
{

struct OutputPlace {
    UniqueFd directory; // O_PATH: it stays the same directory, whatever is renamed
    std::string name;   // in the directory; no link, except one to a descriptor of this process
    std::optional<struct stat> found; // what has the name, if anything has
    bool is_descriptor = false;       // the name is /proc's for a pipe or device that is open
};

// Returns where `path` leads to, once its links are followed. Throws SetupError if the way is
// barred, if the place is a directory, or if its file is not to be trusted. `what` is the file as
// messages name it.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path &path, const std::string &what);

// Throws SetupError if everybody may replace files in the place's directory.
void require_lasting(const OutputPlace &place, const std::string &what);

} // namespace dnsgauge
