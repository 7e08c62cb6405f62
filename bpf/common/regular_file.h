// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Files that a server reads, perhaps anew while it serves: to wait for a pipe's writer would hang
// it.
#pragma once

#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns the content of the regular file. `option` is the option that named it, for messages.
// Never waits. Throws SetupError where the path leads to anything else, or cannot be read.
[[nodiscard]] std::string read_regular_file(const std::string &path, std::string_view option);

} // namespace dnsgauge
