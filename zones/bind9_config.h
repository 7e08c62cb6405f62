// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files with which named runs from a directory, for any kind of zone.
#pragma once

#include "zones/server_directory.h"

#include <string>

namespace dnsgauge
{

// Returns the set-up of named. `options` are the lines of the options block that differ between
// uses; `zone` are the statements behind that block.
[[nodiscard]] ServerSetup bind9_server(const ServerPlace &place, const Account &account,
                                       const std::string &options, const std::string &zone);

} // namespace dnsgauge
