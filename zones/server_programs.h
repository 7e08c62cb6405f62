// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files that Unbound, PowerDNS Recursor and named need to run from a directory, for any use.
#pragma once

#include "zones/server_directory.h"

#include <string>

namespace dnsgauge
{

// Returns the set-up of unbound. `lines` are the lines of the server clause that differ between
// uses; `clauses` follow it.
[[nodiscard]] ServerSetup unbound_server(const ServerPlace &place, const Account &account,
                                         const std::string &lines, const std::string &clauses);

// Returns the set-up of pdns_recursor. `lines` are the lines that differ between uses.
[[nodiscard]] ServerSetup pdns_recursor_server(const ServerPlace &place, const Account &account,
                                               const std::string &lines);

// Returns the set-up of named. `options` are the lines of the options block that differ between
// uses; `zone` has the statements after that block.
[[nodiscard]] ServerSetup bind9_server(const ServerPlace &place, const Account &account,
                                       const std::string &options, const std::string &zone);

} // namespace dnsgauge
