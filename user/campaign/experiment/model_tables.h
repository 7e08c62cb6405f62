// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Paper 002's model of a DNS64 server, fitted to an experiment's cells.
#pragma once

#include "experiment/members.h"
#include "text/table.h"

#include <functional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the table of the model's times, and the table of the model's rates beside the measured
// rates. If the results do not determine a time, the reason stands in its place. If they determine
// no time, there is no second table. `members` differ only in the shares of cached names and of
// AAAA records. `caption` makes the caption of a table from the words for what it shows.
[[nodiscard]] std::vector<Table>
model_tables(const std::function<std::string(const char *)> &caption,
             const std::vector<Member> &members);

} // namespace dnsgauge
