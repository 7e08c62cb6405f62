// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a resolver that asks this Internet returns for a name, and why.
#pragma once

#include "internet/world.h"

#include <cstdint>
#include <string>

namespace dnsgauge
{

// Returns a line of JSON without the line's end. README.md explains the members.
[[nodiscard]] std::string prediction_line(const World &world, const WireName &name,
                                          std::uint16_t type);

// Returns the root's name servers as a file of hints for resolvers: lines of a zone file.
[[nodiscard]] std::string root_hints(const World &world);

} // namespace dnsgauge
