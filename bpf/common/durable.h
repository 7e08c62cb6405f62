// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that are whole, and outlive a power failure.
#pragma once

#include <string>
#include <string_view>

namespace dnsgauge
{

// All of `text`, however many turns that takes. False, with errno: not all of it.
[[nodiscard]] bool write_all(int fd, std::string_view text);

// Is what `fd` has open the file that `path` names now?
[[nodiscard]] bool is_open_as(int fd, const std::string &path);

// The name of the file `path` is on the disk, after it was made or renamed: it is only there for
// good when its directory says so. False, with errno: it may not be.
[[nodiscard]] bool sync_directory_of(const std::string &path);

} // namespace dnsgauge
