// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that anybody may have written. A file that is read into memory as a whole has a limit,
// because a huge one would take all memory.
#pragma once

#include "system/unique_fd.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace dnsgauge
{

// The limits of a file of settings and of a file of names, octets.
inline constexpr std::size_t settings_most = std::size_t{16} << 20U;
inline constexpr std::size_t names_most = std::size_t{1} << 30U;

// Opens a file, or a pipe, to read it. Throws SetupError, with `about` in front, if it cannot be
// opened, or if it is a pipe into which nothing comes for ten seconds.
[[nodiscard]] UniqueFd open_input(const std::string &path, std::string_view about);

// Returns the rest of an open file. Throws SetupError, with `about` in front, if the file cannot be
// read, or has more than `most` octets, which are whole MiB.
[[nodiscard]] std::string read_open_file(int file, std::size_t most, std::string_view about);

// Returns the content of the regular file. `option` is the option that named it, for messages.
// Throws SetupError if the path leads to anything else, if the file has more than `most` octets, or
// if it cannot be read. Never waits, because a pipe without a writer would hang a server.
[[nodiscard]] std::string read_regular_file(const std::string &path, std::string_view option,
                                            std::size_t most);

} // namespace dnsgauge
