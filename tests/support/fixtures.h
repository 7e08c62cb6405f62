// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fixture files: lines of "name hexadecimal-bytes", comments with '#'.
#pragma once

#include "support/packet.h"

#include <filesystem>
#include <map>
#include <string>

namespace dnsgauge::testing
{

// Throws std::runtime_error when there is no such file, or nothing in it: a test that compares with
// no fixtures at all would always pass.
std::map<std::string, Bytes> read_fixtures(const std::filesystem::path &file);

} // namespace dnsgauge::testing
