// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A TOML file of options. Their names have no dashes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct ConfigEntry {
    std::string option;              // "ttl"
    std::vector<std::string> values; // several if the value is an array
    std::string place;               // "FILE:LINE: ttl", for messages
};

// Returns the entries of the TOML file `file`, in the order of its lines. Throws SetupError, which
// names file and line, if `file` cannot be read or is no TOML, or if a value is not a text, a
// number, a flag or an array of these. `option` is the option that named the file, for messages.
[[nodiscard]] std::vector<ConfigEntry> read_config_file(const std::string &file,
                                                        std::string_view option);

} // namespace dnsgauge
