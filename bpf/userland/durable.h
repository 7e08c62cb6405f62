// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that are whole, and outlive a power failure.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Writes all of `text`, in as many calls as that takes. Returns false, with errno, if not all of it
// is written: EAGAIN where nobody has taken anything of a descriptor that does not block for
// `patience`, which is for ever if it is negative.
[[nodiscard]] bool write_all(int fd, std::string_view text,
                             std::chrono::milliseconds patience = std::chrono::milliseconds(-1));

// Returns whether `path` still names the file that `fd` has open.
[[nodiscard]] bool is_open_as(int fd, const std::string &path);

// Puts the name of the file `path` on the disk, after the file was made or renamed: only its
// directory keeps that name through a power failure. Returns false, with errno, if the name may not
// be there.
[[nodiscard]] bool sync_directory_of(const std::string &path);

} // namespace dnsgauge
