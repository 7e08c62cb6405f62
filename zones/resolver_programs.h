// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files with which Unbound and PowerDNS Recursor run from a directory, whatever they are to
// resolve. bind9_config.h has the set-ups of named.
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

} // namespace dnsgauge
