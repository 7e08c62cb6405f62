// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What makes a file outlive a power failure.
#pragma once

#include <string>

namespace dnsgauge
{

// The content of the file `path` is on the disk. False, with errno: it may not be.
[[nodiscard]] bool sync_file(const std::string &path);

// Likewise its name, after it was made or renamed: that is only there for good when its directory
// says so.
[[nodiscard]] bool sync_directory_of(const std::string &path);

} // namespace dnsgauge
