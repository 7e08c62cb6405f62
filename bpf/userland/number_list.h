// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists of numbers as users write them, of CPUs or queues.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns the numbers of "0,2-5" in the order in which they are written; a number may occur more
// than once. Throws SetupError, whose message begins with `option`, if `text` is no such list of
// `things` ("CPUs") or has a number above `most`.
[[nodiscard]] std::vector<unsigned> parse_number_list(const std::string &option,
                                                      std::string_view text, unsigned most,
                                                      const char *things);

} // namespace dnsgauge
