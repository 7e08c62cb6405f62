// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that --internet names: what an Internet is like, in TOML (README.md).
#pragma once

#include "internet/world_options.h"

#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns the options of the file; the defaults where it is silent. Throws SetupError, one line
// with file, line and key.
[[nodiscard]] WorldOptions read_world_file(const std::string &file);

// Returns the name of a character in the file, such as "no-edns".
[[nodiscard]] std::string_view to_string(ServerCharacter character);

// Returns the type, as parse_query_type() does. Throws SetupError, which begins with `place`.
[[nodiscard]] std::uint16_t parse_type(std::string_view place, std::string_view text);

} // namespace dnsgauge
