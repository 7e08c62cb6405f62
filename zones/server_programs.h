// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files with which Unbound, PowerDNS Recursor and named run from a directory, whatever they are
// to resolve or to serve.
#pragma once

#include "zones/server_directory.h"

#include <string>

namespace dnsgauge
{

// Returns the set-up of unbound. `lines` are the lines of the server clause that differ between
// uses; `clauses` follow it.
[[nodiscard]] ServerSetup unbound_server(const ServerPlace &place, const Account &account,
                                         const std::string &lines, const std::string &clauses);

// Returns the set-up of pdns_recursor. `lines` are those that differ between uses.
[[nodiscard]] ServerSetup pdns_recursor_server(const ServerPlace &place, const Account &account,
                                               const std::string &lines);

// Returns the set-up of named. `options` are the lines of the options block that differ between
// uses; `zone` are the statements behind that block.
[[nodiscard]] ServerSetup bind9_server(const ServerPlace &place, const Account &account,
                                       const std::string &options, const std::string &zone);

} // namespace dnsgauge
