// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file behind --config: options in TOML, without their dashes.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

struct ConfigEntry {
    std::string option;              // "--ttl"
    std::vector<std::string> values; // several of an array
    std::string place;               // "FILE:LINE: ttl", for messages
};

// Returns the entries of the TOML file `file`, in the order of its lines. Throws SetupError, one
// line with file and line: `file` cannot be read or is no TOML, or a value is neither text, number
// nor flag, nor an array of such.
[[nodiscard]] std::vector<ConfigEntry> read_config_file(const std::string &file);

} // namespace dnsgauge
