// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads the names out of a list of public suffixes in libpsl's binary form, a DAFSA: a graph whose
// ways from the start to a value spell the names (libpsl: psl-make-dafsa(1)).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the names of ASCII characters, such as "co.uk", without what the list says of them.
// Leaves out names in UTF-8: the list also has their ASCII form (xn--). Empty if `file` does not
// begin as a DAFSA. Throws SetupError if it does, and is broken.
[[nodiscard]] std::vector<std::string> suffix_graph_names(std::span<const std::uint8_t> file);

} // namespace dnsgauge
