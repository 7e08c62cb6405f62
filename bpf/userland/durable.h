// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that are whole, and outlive a power failure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Writes all of `text`, in as many calls as that takes. Returns false, with errno, if not all of it
// is written: EAGAIN if the reader of a descriptor that does not block has taken nothing for
// `patience`. A negative patience waits for ever.
[[nodiscard]] bool write_all(int fd, std::string_view text,
                             std::chrono::milliseconds patience = std::chrono::milliseconds(-1));

// Returns whether `path` still names the file that `fd` has open.
[[nodiscard]] bool is_open_as(int fd, const std::string &path);

// Puts the name of the file `path` on the disk, after the file was made or renamed. Without this
// the name may not outlive a power failure. Returns false, with errno, if the name may not be
// there.
[[nodiscard]] bool sync_directory_of(const std::string &path);

} // namespace dnsgauge
