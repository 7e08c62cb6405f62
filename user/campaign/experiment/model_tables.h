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

// The model's times, and its rates beside those measured. `members` differ in the shares of cached
// names and of AAAA records alone; what of the model their results do not tell is said in words,
// and if that is all of it, the first table is the only one. `caption` gives that of a table, with
// what the table shows put into it.
[[nodiscard]] std::vector<Table>
model_tables(const std::function<std::string(const char *)> &caption,
             const std::vector<Member> &members);

} // namespace dnsgauge
