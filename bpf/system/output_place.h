// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Finds where a path leads to, for a process that is to write there. The process may have more
// rights than users who can write to the directories on the way.
//
// "Others may write to a directory" means that its group or everybody may. In such a directory this
// is trusted:
//
// - links and pipes of this process's user, of root and of the directory's owner;
// - files of this process's user and of the directory's owner. Replacing root's may be forbidden.
//
// All links on the way are checked, and the links to which they lead, too. In other directories the
// owner and the group are trusted, but not by root: a process of root follows no link of another
// user.
#pragma once

#include "system/unique_fd.h"

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
    bool is_descriptor = false;       // the name is /proc's name of an open pipe or device
};

// Returns where `path` leads to, once its links are followed. Throws SetupError if the way is
// barred, if the place is a directory, or if its file is not to be trusted. `what` is the file as
// messages name it.
[[nodiscard]] OutputPlace output_place(const std::filesystem::path &path, const std::string &what);

// Throws SetupError if everybody may replace files in the place's directory.
void require_lasting(const OutputPlace &place, const std::string &what);

} // namespace dnsgauge
