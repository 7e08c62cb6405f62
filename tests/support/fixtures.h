// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fixture files. A line is "name hexadecimal-bytes", or a comment that begins with '#'.
#pragma once

#include "support/packet.h"

#include <filesystem>
#include <map>
#include <string>

namespace dnsgauge::testing
{

// Returns the fixtures by name. Throws std::runtime_error if there is no such file, or if it has no
// fixtures: a test without fixtures to compare with would always pass.
std::map<std::string, Bytes> read_fixtures(const std::filesystem::path &file);

} // namespace dnsgauge::testing
